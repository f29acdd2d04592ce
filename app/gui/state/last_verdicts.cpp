#include "app/gui/state/last_verdicts.hpp"

#include <map>

#include "engine/record/same_device.hpp"

namespace attnscope::gui {

std::set<std::string> last_wrong(const Tried& tried, const std::string& problem, const std::string& device) {
  std::map<std::string, const Record*> newest;
  for (const Tried::Entry& e : tried.entries()) {
    const Record& r = *e.record;
    if (!r.verdict || device_key(r.environment.device) != device || to_text(r.problem) != problem) continue;
    // The same run again keeps its place in the log: its time tells.
    const Record*& now = newest[r.variant];
    if (!now || r.environment.time_utc >= now->environment.time_utc) now = &r;
  }
  std::set<std::string> wrong;
  for (const auto& [variant, record] : newest)
    if (!record->verdict->pass) wrong.insert(variant);
  return wrong;
}

}  // namespace attnscope::gui
