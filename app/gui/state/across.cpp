#include "app/gui/state/across.hpp"

namespace attnscope::gui {

void Across::add(const Problem& problem) {
  std::string text = to_text(problem);
  if (!listed_.insert(text).second) return;
  ++version_;
  problems_.push_back(problem);
  texts_.push_back(std::move(text));
}

void Across::remove(size_t index) {
  if (index >= problems_.size()) return;
  ++version_;
  listed_.erase(texts_[index]);
  problems_.erase(problems_.begin() + std::ptrdiff_t(index));
  texts_.erase(texts_.begin() + std::ptrdiff_t(index));
}

void Across::set_problems(const std::vector<Problem>& problems) {
  ++version_;
  problems_.clear();
  texts_.clear();
  listed_.clear();
  for (const Problem& p : problems) add(p);
}

void Across::note(const Record& record) {
  ++version_;
  auto kept = std::make_shared<const Record>(record);
  const auto [at, fresh] = index_.emplace(std::pair(run_key(record), to_text(record.problem)), results_.size());
  if (fresh)
    results_.push_back(std::move(kept));
  else
    results_[at->second] = std::move(kept);
}

const Record* Across::result(const Pin& pin, size_t problem) const {
  if (problem >= problems_.size()) return nullptr;
  if (pin.record->problem == problems_[problem]) return pin.record.get();
  const auto at = index_.find({pin.key, texts_[problem]});
  return at == index_.end() ? nullptr : results_[at->second].get();
}

}  // namespace attnscope::gui
