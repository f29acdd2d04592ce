#include "engine/shader/text_diff.hpp"

#include <regex>

namespace attnscope {
namespace {

using Side = DiffLine::Side;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Without comments and what a scheduler notes, and of names such as v12, v[12:15], r12..14, %7 and BB3 the letters
/// alone.
std::string without_numbers(std::string_view line) {
  static const std::regex kName(R"((^|[^A-Za-z%0-9_.])([A-Za-z%]+)(?:\[\d[\d:.]*\]|\d+(?:\.\.\d+)?)(?![A-Za-z%0-9_]))");
  line = line.substr(0, std::min({line.find("//"), line.find(" ; "), line.find(" {")}));
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  return std::regex_replace(std::string(line), kName, "$1$2");
}

}  // namespace

std::vector<DiffLine> diff_code(std::string_view first, std::string_view second) {
  const std::vector<std::string_view> a = lines_of(first), b = lines_of(second);
  std::map<std::string, size_t> known;
  const auto numbers_of = [&](const std::vector<std::string_view>& lines) {
    std::vector<size_t> out;
    for (const std::string_view line : lines)
      out.push_back(known.try_emplace(without_numbers(line), known.size()).first->second);
    return out;
  };
  const std::vector<size_t> of_a = numbers_of(a), of_b = numbers_of(b);
  const size_t head = size_t(std::ranges::mismatch(of_a, of_b).in1 - of_a.begin());
  size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head && of_a[a.size() - 1 - tail] == of_b[b.size() - 1 - tail]) ++tail;

  // How many lines are common to what follows from line i of a and line j of b on.
  constexpr size_t kMostCells = size_t{1} << 26;
  const size_t n = a.size() - tail, m = b.size() - tail, width = m - head + 1;
  const bool fits = (n - head + 1) * width <= kMostCells;
  std::vector<uint16_t> cells(fits ? (n - head + 1) * width : 0);
  const auto common = [&](size_t i, size_t j) -> uint16_t& { return cells[(i - head) * width + j - head]; };
  for (size_t i = n; fits && i-- > head;)
    for (size_t j = m; j-- > head;)
      common(i, j) =
          of_a[i] == of_b[j] ? uint16_t(common(i + 1, j + 1) + 1) : std::max(common(i + 1, j), common(i, j + 1));
  std::vector<DiffLine> out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool in_middle = i >= head && (i < n || j < m);
    if (!in_middle || (fits && i < n && j < m && of_a[i] == of_b[j])) {
      out.push_back({Side::both, b[j++]});
      ++i;
    } else if (j == m || (i < n && (!fits || common(i + 1, j) >= common(i, j + 1)))) {
      out.push_back({Side::first, a[i++]});
    } else {
      out.push_back({Side::second, b[j++]});
    }
  }
  return out;
}

std::string unified_diff(std::string_view first, std::string_view second) {
  constexpr size_t kAround = 3;
  const std::vector<DiffLine> lines = diff_code(first, second);
  std::vector<bool> shown(lines.size());
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].side != Side::both)
      for (size_t j = i - std::min(i, kAround); j < std::min(lines.size(), i + kAround + 1); ++j) shown[j] = true;
  std::string out;
  size_t a = 1, b = 1;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (shown[i] && (i == 0 || !shown[i - 1])) out += fmt::format("@@ -{} +{} @@\n", a, b);
    const Side side = lines[i].side;
    if (shown[i])
      out += fmt::format("{}{}\n", side == Side::both ? ' ' : side == Side::first ? '-' : '+', lines[i].text);
    a += side != Side::second;
    b += side != Side::first;
  }
  return out;
}

}  // namespace attnscope
