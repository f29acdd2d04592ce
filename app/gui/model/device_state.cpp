#include "app/gui/model/device_state.hpp"

#include <algorithm>

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {

void DeviceState::list_devices(size_t worker, const std::vector<DeviceInfo>& infos) {
  std::erase_if(devices, [&](const DeviceEntry& d) { return d.worker == worker; });
  for (const DeviceInfo& info : infos) devices.push_back({worker, info});
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceEntry& a, const DeviceEntry& b) { return a.worker < b.worker; });
}

void DeviceState::check(const std::string& variant_name, const Problem& problem, const WhyNot& reason) {
  constexpr size_t kChecksKept = 20000;  // far more problems than a person asks for in a day
  if (checked_.size() > kChecksKept) checked_.clear();
  WhyNot& known = checked_[{variant_name, to_text(problem)}];
  // What serves is what was assumed: nothing to be shown anew.
  if (known != reason) ++version_;
  known = reason;
}

WhyNot DeviceState::why_not(const VariantInfo& v, const std::string& problem) const {
  if (!v.error.empty()) return {v.error, true};
  if (!v.why_not.empty()) return {v.why_not, false};
  const auto known = checked_.find({v.name, problem});
  return known == checked_.end() ? WhyNot{} : known->second;
}

Catalogue::Rows Catalogue::listed(const DeviceState& known, const Problem& problem, const std::string& chosen,
                                  const std::string& filter) {
  Rows out;
  const std::string text = to_text(problem);
  std::vector<Row> running;
  for (size_t i = 0; i < known.variants.size(); ++i) {
    const VariantInfo& v = known.variants[i];
    if (!find_words(filter, fmt::format("{} {} {} {}", v.name, v.title, v.summary, v.system))) continue;
    Row row{i, known.why_not(v, text)};
    if (row.why.broken)
      out.open.push_back(std::move(row));
    else if (row.why.text.empty() || v.name == chosen)
      running.push_back(std::move(row));
    else
      out.folded.push_back(std::move(row));
  }
  // Who types a name means that one; then those that begin so.
  std::ranges::stable_sort(running, {}, [&](const Row& r) {
    const std::string& name = known.variants[r.variant].name;
    return filter.empty() || name == filter ? 0 : name.starts_with(filter) ? 1 : 2;
  });
  out.open.insert(out.open.end(), std::make_move_iterator(running.begin()), std::make_move_iterator(running.end()));
  return out;
}

}  // namespace attnscope::gui
