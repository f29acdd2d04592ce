#include "app/gui/state/tried.hpp"

#include <fmt/format.h>

#include "app/gui/state/pins.hpp"

namespace attnscope::gui {
namespace {

std::string group_of(const Record& r) {
  return fmt::format("{}|{}|{}|{}|{}", to_text(r.problem), r.environment.device.name, r.environment.device.device_uuid,
                     to_text(r.protocol.cache), to_text(r.protocol.launch));
}

bool ranked(const Record& r) { return r.outcome == Outcome::measured && r.statistics.has_value(); }

}  // namespace

void Tried::note(const Record& record) {
  const std::string key = run_key(record) + "|" + to_text(record.problem), group = group_of(record);
  auto kept = std::make_shared<const Record>(record);
  ++version_;
  if (const auto at = index_.find(key); at != index_.end()) {
    entries_[at->second].record = std::move(kept);
  } else {
    if (entries_.size() >= kKept) {
      // Rare enough to do it simply: a tenth of the log goes at once.
      std::vector<Entry> rest(entries_.begin() + kKept / 10, entries_.end());
      entries_.clear();
      index_.clear();
      groups_.clear();
      for (Entry& e : rest) {
        index_[run_key(*e.record) + "|" + to_text(e.record->problem)] = entries_.size();
        groups_[group_of(*e.record)].push_back(entries_.size());
        entries_.push_back(std::move(e));
      }
    }
    index_[key] = entries_.size();
    groups_[group].push_back(entries_.size());
    entries_.push_back({next_++, std::move(kept), false});
  }
  rank(group);
}

std::shared_ptr<const Record> Tried::find(const std::string& key, const std::string& problem) const {
  const auto at = index_.find(key + "|" + problem);
  return at == index_.end() ? nullptr : entries_[at->second].record;
}

void Tried::rank(const std::string& group) {
  Entry* best = nullptr;
  for (const size_t i : groups_[group]) {
    Entry& e = entries_[i];
    e.best = false;
    if (ranked(*e.record) && (!best || e.record->statistics->median < best->record->statistics->median)) best = &e;
  }
  if (best) best->best = true;
}

}  // namespace attnscope::gui
