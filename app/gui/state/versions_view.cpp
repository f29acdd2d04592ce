#include "app/gui/state/versions_view.hpp"

#include <algorithm>
#include <map>

#include "engine/record/same_device.hpp"

namespace attnscope::gui {

void VersionsView::step(const Versions& versions, const Tried& tried, const Of& of) {
  if (versions_ == versions.version() && tried_ == tried.version() && of_ == of) return;
  versions_ = versions.version();
  tried_ = tried.version();
  of_ = of;
  rows_.clear();
  struct Found {
    std::shared_ptr<const Record> exact, newest;
  };
  std::map<std::string, Found> runs;
  for (const Tried::Entry& t : tried.entries()) {
    const Record& r = *t.record;
    if (r.variant != of.ask.variant || r.problem != of.ask.problem || r.protocol.cache != of.modes.cache ||
        r.protocol.launch != of.modes.launch || device_key(r.environment.device) != of.device)
      continue;
    Found& found = runs[r.environment.shader_hash];
    found.newest = t.record;
    if (r.config == of.ask.config) found.exact = t.record;
  }
  for (const Version& v : versions.of(of.ask.variant)) {
    Row row{v.number, v.hash, v.hash == of.hash, false, !v.texts.empty(), nullptr, false};
    if (const auto found = runs.find(v.hash); found != runs.end()) {
      row.same_config = found->second.exact != nullptr;
      row.record = row.same_config ? found->second.exact : found->second.newest;
    }
    rows_.push_back(std::move(row));
  }
  std::reverse(rows_.begin(), rows_.end());
  // The one that was correct last; where none was run here, the one that was there before.
  const std::vector<std::string>& order = versions.order(of.ask.variant);
  Row* last = nullptr;
  bool judged = false;
  for (const std::string& hash : order) {
    if (hash == of.hash) continue;
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.hash == hash; });
    if (row == rows_.end() || !row->texts) continue;
    const bool ran = row->record && row->record->verdict;
    const bool correct = ran && row->record->verdict->pass && row->record->outcome != Outcome::error;
    if ((ran && !correct) || (judged && !correct)) continue;
    judged = judged || correct;
    last = &*row;
  }
  if (last) last->good = true;
}

const VersionsView::Row* VersionsView::before() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.good; });
  return found == rows_.end() ? nullptr : &*found;
}

const VersionsView::Row* VersionsView::current() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.current; });
  return found == rows_.end() ? nullptr : &*found;
}

}  // namespace attnscope::gui
