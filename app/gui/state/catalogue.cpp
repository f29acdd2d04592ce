#include "app/gui/state/catalogue.hpp"

#include <algorithm>
#include <cctype>

namespace attnscope::gui {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

/// How near a search comes to a variant's name; what is found in its words alone is last.
int rank_of(const std::string& name, const std::string& wanted) {
  if (name == wanted) return 0;
  if (name.starts_with(wanted)) return 1;
  return name.find(wanted) != std::string::npos ? 2 : 3;
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
  if (wanted.empty()) return;
  // Who searches has a name in mind: before what is broken, and before what only has the word in its description.
  for (std::vector<Row>* rows : {&open_, &folded_})
    std::stable_sort(rows->begin(), rows->end(), [&](const Row& a, const Row& b) {
      return rank_of(lower(known.variants[a.variant].name), wanted) <
             rank_of(lower(known.variants[b.variant].name), wanted);
    });
}

}  // namespace attnscope::gui
