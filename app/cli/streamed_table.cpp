#include "app/cli/streamed_table.hpp"

#include <algorithm>

#include "engine/record/units.hpp"

namespace attnscope::cli {
namespace {

constexpr std::string_view kIndent = "    ";

}  // namespace

StreamedTable::StreamedTable(std::span<const Column> columns, size_t width) : width_(width) {
  std::vector<size_t> natural;
  for (const Column& c : columns) {
    columns_.push_back({c.title, c.right, c.expendable, c.least});
    titles_.push_back(c.title);
    natural.push_back(std::max(c.natural, display_width(c.title)));
  }
  // There is one line a row, so what would be a second part is not shown.
  if (Fit fit = fit_columns(columns_, natural, 0, width); !fit.parts.empty()) places_ = std::move(fit.parts.front());
}

std::string StreamedTable::header() const { return fitted_line(places_, columns_, titles_) + "\n"; }

std::string StreamedTable::row(std::span<const std::string> cells) const {
  return fitted_line(places_, columns_, cells) + "\n";
}

std::string StreamedTable::remark(std::string_view sentence) const {
  std::string out;
  const std::string text = wrapped(sentence, width_ - kIndent.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out.append(kIndent).append(text, at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

}  // namespace attnscope::cli
