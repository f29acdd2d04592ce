#include "app/gui/model/pins.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

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

bool Pins::taken(size_t slot) const {
  return std::any_of(pins_.begin(), pins_.end(), [&](const Pin& p) { return p.slot == slot; });
}

size_t Pins::free_slot() const {
  std::vector<bool> used(pins_.size() + 1);
  for (const Pin& p : pins_)
    if (p.slot < used.size()) used[p.slot] = true;
  return size_t(std::find(used.begin(), used.end(), false) - used.begin());
}

const Pin& Pins::add(Record record) {
  restore(std::move(record), free_slot(), true);
  return pins_.back();
}

void Pins::restore(Record record, size_t slot, bool shown, const std::string& dataset) {
  append(std::move(record), taken(slot) ? free_slot() : slot, shown, dataset);
}

void Pins::open(const std::string& dataset, const std::vector<Record>& records) {
  // Beyond those of pins, so that a file takes no pin's colour.
  constexpr size_t kSlots = size_t{1} << 20;
  for (const Record& r : records)
    if (r.outcome == Outcome::measured && r.statistics) append(r, kSlots + next_id_, false, dataset);
}

void Pins::append(Record record, size_t slot, bool shown, const std::string& dataset) {
  std::string key = run_key(record);
  std::vector<double> spread = quantiles(record.samples_ns);
  pins_.push_back({next_id_++, slot, shown, std::make_shared<const Record>(std::move(record)), std::move(key),
                   std::move(spread), dataset});
  ++version_;
}

bool Pins::any_own() const {
  return std::any_of(pins_.begin(), pins_.end(), [](const Pin& p) { return p.dataset.empty(); });
}

void Pins::show(uint64_t id, bool shown) {
  for (Pin& p : pins_)
    if (p.id == id) p.shown = shown;
  ++shown_version_;
}

std::vector<Pin> Pins::remove(const std::function<bool(const Pin&)>& which) {
  std::vector<Pin> out;
  std::copy_if(pins_.begin(), pins_.end(), std::back_inserter(out), which);
  std::erase_if(pins_, which);
  ++version_;
  return out;
}

void Pins::put_back(const std::vector<Pin>& removed) {
  for (Pin p : removed) {
    if (taken(p.slot)) p.slot = free_slot();
    pins_.insert(
        std::upper_bound(pins_.begin(), pins_.end(), p, [](const Pin& a, const Pin& b) { return a.id < b.id; }),
        std::move(p));
  }
  ++version_;
}

const Pin* Pins::find(uint64_t id) const {
  const auto at = std::find_if(pins_.begin(), pins_.end(), [&](const Pin& p) { return p.id == id; });
  return at == pins_.end() ? nullptr : &*at;
}

const Pin* Pins::same(const Record& r) const {
  const std::string key = run_key(r);
  const auto at = std::find_if(pins_.begin(), pins_.end(), [&](const Pin& p) {
    return p.dataset.empty() && p.key == key && p.record->problem == r.problem;
  });
  return at == pins_.end() ? nullptr : &*at;
}

bool ProblemList::listed(const Problem& problem) const {
  return std::find(problems_.begin(), problems_.end(), problem) != problems_.end();
}

void ProblemList::add(const Problem& problem) {
  if (!listed(problem)) problems_.push_back(problem);
}

void ProblemList::remove(size_t index) {
  if (index < problems_.size()) problems_.erase(problems_.begin() + std::ptrdiff_t(index));
}

void ProblemList::set_problems(const std::vector<Problem>& problems) {
  problems_.clear();
  for (const Problem& p : problems) add(p);
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
