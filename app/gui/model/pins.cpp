#include "app/gui/model/pins.hpp"

#include "app/gui/worker/series.hpp"
#include "engine/device_info.hpp"

namespace attnscope::gui {

std::string run_key(const Record& r) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", device_key(r.environment.device), r.variant, r.environment.shader_hash,
                     attnscope::to_text(r.config), to_text(r.protocol.cache), to_text(r.protocol.launch), r.seed);
}

std::string identity_of(const Record& r) { return run_key(r) + "|" + to_text(r.problem); }

std::string remark_key(const Pin& p) {
  return p.dataset.empty() ? identity_of(*p.record) : p.dataset + "|" + identity_of(*p.record);
}

const Pin& Pins::add(Record record, std::optional<size_t> slot, bool shown, const std::string& dataset) {
  std::string key = run_key(record);
  ++version_;
  return pins_.emplace_back(Pin{next_id_++, !slot || taken(*slot) ? free_slot() : *slot, shown,
                                std::make_shared<const Record>(std::move(record)), std::move(key), dataset});
}

std::string how_far(const JobState& job, double now) {
  std::string counts = fmt::format("{} of {}", job.done, job.total);
  if (job.done == 0 || job.done >= job.total) return counts;
  const double left = (now - job.began) / double(job.done) * double(job.total - job.done);
  return fmt::format("{}, about {:.0f} s left", counts, std::max(1.0, left));
}

}  // namespace attnscope::gui
