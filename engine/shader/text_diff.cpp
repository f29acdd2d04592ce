#include "engine/shader/text_diff.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope {
namespace {

using Lines = std::vector<std::string_view>;
using Side = DiffLine::Side;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The difference between a common beginning and a common end.
void diff_middle(const Lines& a, const Lines& b, size_t most, std::vector<DiffLine>& out) {
  const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
  const auto limit = std::min(n + m, static_cast<std::ptrdiff_t>(most));
  std::vector<std::vector<std::ptrdiff_t>> reached;  // of each count of edits, the furthest x on each diagonal
  std::vector<std::ptrdiff_t> furthest(static_cast<size_t>(2 * limit + 3), 0);
  const auto at = [&](std::vector<std::ptrdiff_t>& v, std::ptrdiff_t k) -> std::ptrdiff_t& {
    return v[static_cast<size_t>(k + static_cast<std::ptrdiff_t>(v.size()) / 2)];
  };
  const auto down = [&](std::vector<std::ptrdiff_t>& v, std::ptrdiff_t k, std::ptrdiff_t d) {
    return k == -d || (k != d && at(v, k - 1) < at(v, k + 1));
  };
  std::ptrdiff_t edits = -1;
  for (std::ptrdiff_t d = 0; d <= limit && edits < 0; ++d) {
    // Only the diagonals that d edits reach are kept.
    reached.emplace_back(furthest.begin() + (limit + 1 - (d + 1)), furthest.begin() + (limit + 1 + d + 2));
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = down(furthest, k, d) ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(x - k)]) ++x;
      at(furthest, k) = x;
      if (x >= n && x - k >= m) edits = d;
    }
  }
  if (edits < 0) {
    for (const auto line : a) out.push_back({Side::first, line});
    for (const auto line : b) out.push_back({Side::second, line});
    return;
  }
  std::vector<DiffLine> back;
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = edits; d >= 0; --d) {
    std::vector<std::ptrdiff_t>& before = reached[static_cast<size_t>(d)];
    const std::ptrdiff_t k = x - y, from = down(before, k, d) ? k + 1 : k - 1;
    const std::ptrdiff_t from_x = d == 0 ? 0 : at(before, from), from_y = d == 0 ? 0 : from_x - from;
    while (x > from_x && y > from_y) {
      back.push_back({Side::both, a[static_cast<size_t>(--x)]});
      --y;
    }
    if (d == 0) break;
    if (x > from_x)
      back.push_back({Side::first, a[static_cast<size_t>(--x)]});
    else
      back.push_back({Side::second, b[static_cast<size_t>(--y)]});
  }
  out.insert(out.end(), back.rbegin(), back.rend());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%'; }

/// Without comments and what a scheduler notes, and of names such as v12, v[12:15], r12..14, %7 and BB3 the letters
/// alone.
std::string without_numbers(std::string_view line) {
  line = line.substr(0, std::min({line.find("//"), line.find(" ; "), line.find(" {")}));
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  const auto joined = [&](size_t i) { return i < line.size() && (is_letter(line[i]) || line[i] == '_'); };
  std::string out;
  for (size_t i = 0; i < line.size();) {
    const char before = i == 0 ? ' ' : line[i - 1];
    size_t end = i;
    while (end < line.size() && is_letter(line[end])) ++end;
    out += line.substr(i, std::max<size_t>(1, end - i));
    const bool name = end > i && !is_letter(before) && !is_digit(before) && before != '_' && before != '.';
    i = std::max(i + 1, end);
    if (!name) continue;
    const bool several = i < line.size() && line[i] == '[';
    size_t digits = i + several;
    while (digits < line.size() &&
           (is_digit(line[digits]) || line.substr(digits, 2) == ".." ||
            (line[digits] == '.' && line[digits - 1] == '.') || (several && line[digits] == ':')))
      ++digits;
    if (several && (digits >= line.size() || line[digits] != ']')) continue;
    if (!joined(digits)) i = digits + several;
  }
  return out;
}

std::string without_numbers(const Lines& lines) {
  std::string out;
  for (const std::string_view line : lines) out += without_numbers(line) + "\n";
  return out;
}

}  // namespace

std::vector<DiffLine> diff_code(std::string_view first, std::string_view second) {
  const Lines a = lines_of(first), b = lines_of(second);
  const std::string plain_a = without_numbers(a), plain_b = without_numbers(b);
  std::vector<DiffLine> out = diff_lines(plain_a, plain_b);
  size_t of_a = 0, of_b = 0;
  for (DiffLine& line : out) {
    line.text = line.side == Side::first ? a[of_a] : b[of_b];
    of_a += line.side != Side::second;
    of_b += line.side != Side::first;
  }
  return out;
}

std::vector<DiffLine> diff_lines(std::string_view first, std::string_view second, size_t most) {
  Lines a = lines_of(first), b = lines_of(second);
  const auto head = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  size_t tail = 0;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<DiffLine> out;
  for (size_t i = 0; i < head; ++i) out.push_back({Side::both, a[i]});
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  diff_middle(middle(a), middle(b), most, out);
  for (size_t i = a.size() - tail; i < a.size(); ++i) out.push_back({Side::both, a[i]});
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
