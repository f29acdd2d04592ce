#include "app/gui/state/catalogue.hpp"

#include <algorithm>
#include <cctype>

namespace attnscope::gui {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

}  // namespace

void Catalogue::step(const Known& known, const Problem& problem, const std::string& chosen, const std::string& filter) {
  if (version_ == known.version() && problem_ == problem && chosen_ == chosen && filter_ == filter) return;
  version_ = known.version();
  problem_ = problem;
  chosen_ = chosen;
  filter_ = filter;
  open_.clear();
  folded_.clear();
  const std::string wanted = lower(filter), text = to_text(problem);
  std::vector<Row> running;
  for (size_t i = 0; i < known.variants.size(); ++i) {
    const VariantInfo& v = known.variants[i];
    if (!wanted.empty() &&
        lower(v.name + " " + v.title + " " + v.summary + " " + v.system).find(wanted) == std::string::npos)
      continue;
    Row row{i, known.why_not(v, text)};
    if (row.why.broken)
      open_.push_back(std::move(row));
    else if (row.why.text.empty() || v.name == chosen)
      running.push_back(std::move(row));
    else
      folded_.push_back(std::move(row));
  }
  open_.insert(open_.end(), std::make_move_iterator(running.begin()), std::make_move_iterator(running.end()));
}

}  // namespace attnscope::gui
