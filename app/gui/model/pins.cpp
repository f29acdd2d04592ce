#include "app/gui/model/pins.hpp"

#include <algorithm>
#include <numeric>

#include "app/gui/worker/series.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {

std::string run_key(const Record& r) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", device_key(r.environment.device), r.variant, r.environment.shader_hash,
                     attnscope::to_text(r.config), to_text(r.protocol.cache), to_text(r.protocol.launch), r.seed);
}

std::string identity_of(const Record& r) { return run_key(r) + "|" + to_text(r.problem); }

std::string remark_key(const Pin& p) {
  return p.dataset.empty() ? identity_of(*p.record) : p.dataset + "|" + identity_of(*p.record);
}

void Pins::restore(Record record, size_t slot, bool shown, const std::string& dataset) {
  append(std::move(record), taken(slot) ? free_slot() : slot, shown, dataset);
}

void Pins::append(Record record, size_t slot, bool shown, const std::string& dataset) {
  std::string key = run_key(record);
  pins_.push_back(
      {next_id_++, slot, shown, std::make_shared<const Record>(std::move(record)), std::move(key), dataset});
  ++version_;
}

const Pin* Pins::find(uint64_t id) const {
  const auto at = std::find_if(pins_.begin(), pins_.end(), [&](const Pin& p) { return p.id == id; });
  return at == pins_.end() ? nullptr : &*at;
}

std::string how_far(const JobState& job, double now) {
  std::string counts = fmt::format("{} of {}", job.done, job.total);
  if (job.done < 2 || job.done >= job.flops.size()) return counts;
  const auto begin = job.flops.begin(), middle = begin + std::ptrdiff_t(job.done);
  const double behind = std::accumulate(begin + 1, middle, 0.0), ahead = std::accumulate(middle, job.flops.end(), 0.0),
               took = job.done_at - job.began, each = std::min(job.first_s, took / double(job.done)),
               a_flop = behind > 0 ? (took - each * double(job.done)) / behind : 0;
  const double left = each * double(job.total - job.done) + a_flop * ahead - (now - job.done_at);
  return fmt::format("{}, about {:.0f} s left", counts, std::max(1.0, left));
}

}  // namespace attnscope::gui
