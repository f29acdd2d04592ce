#include "engine/session/timing.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

#include "engine/measure/stopping.hpp"
#include "engine/session/sampling.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmupBatchMs = 10;  ///< short, so that the estimate soon follows the clock upwards
constexpr size_t kLiveKept = 100000;   ///< samples of a live run kept for its record: the newest
constexpr double kPatience = 5;        ///< times min_ms, for samples that wander

class Sampler {
 public:
  Sampler(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record)
      : r_(request), events_(events), wait_(wait), record_(record) {}

  Result<void> prepare() {
    Result<Sampling> sampling = Sampling::create(*r_.device, *r_.execution, r_.protocol, r_.estimate_ns, r_.slices);
    if (!sampling) return sampling.error();
    sampling_ = std::move(*sampling);
    return {};
  }

  Result<void> warm_up() {
    events_.stage("warm-up");
    Result<double> slow = r_.clock->rise(wait_);
    if (!slow) return slow.error();
    const auto rule = make_warmup_rule(r_.protocol);
    rule->initialize();
    begin();
    while (!rule->finished()) {
      Result<std::vector<double>> samples = batch(kWarmupBatchMs);
      if (!samples) return samples.error();
      for (const double ns : *samples) rule->add(ns, elapsed_ms());
      events_.alive();
    }
    // Whatever let the device rest meanwhile: samples begin with its clock up.
    slow = r_.clock->rise(wait_);
    if (!slow) return slow.error();
    record_.settled = !rule->capped() && *slow < kClockDown;
    return {};
  }

  Result<void> measure() {
    // Every sample of a record is made in the same way.
    sampling_->settle();
    record_.dispatches_per_sample = sampling_->repetitions();
    events_.stage("sample");
    events_.emit(SamplingBegan{record_.dispatches_per_sample, record_.settled});
    // What a software device's times wander by is other programs, which no patience averages away.
    const bool own_clock = r_.device->info().type != DeviceType::software;
    const auto rule = make_sampling_rule(r_.protocol, own_clock ? kPatience : 1);
    rule->initialize();
    begin();
    uint64_t batches = 0;
    while (r_.live || !rule->finished()) {
      const uint32_t left = r_.live ? UINT32_MAX : remaining();
      Result<std::vector<double>> samples = batch(r_.batch_ms, left);
      if (!samples && samples.error().kind == ErrorKind::cancelled && r_.live) return {};
      if (!samples) return samples.error();
      for (const double ns : *samples) {
        record_.samples_ns.push_back(ns);
        if (!r_.live) rule->add(ns * sampling_->repetitions(), elapsed_ms());
      }
      if (record_.samples_ns.size() > 2 * kLiveKept && r_.live)
        record_.samples_ns.erase(record_.samples_ns.begin(), record_.samples_ns.end() - kLiveKept);
      if (r_.live && r_.still_right && std::has_single_bit(++batches)) {
        Result<bool> right = r_.still_right();
        if (!right && right.error().kind == ErrorKind::cancelled) return {};
        if (!right) return right.error();
        if (!*right) return {};
      }
      events_.emit(SampleBatch{*samples});
    }
    return {};
  }

 private:
  uint32_t remaining() const {
    const size_t have = record_.samples_ns.size();
    return static_cast<uint32_t>(r_.protocol.max_samples > have ? r_.protocol.max_samples - have : 1);
  }

  Result<std::vector<double>> batch(double ms, uint32_t at_most = UINT32_MAX) {
    return sampling_->take(std::min(sampling_->samples_in(ms), at_most), wait_);
  }

  void begin() {
    start_ = Clock::now();
    held_at_start_ = events_.held_ms();
  }
  double elapsed_ms() const {
    const double all = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    return all - (events_.held_ms() - held_at_start_);
  }

  const TimingRequest& r_;
  EventStream& events_;
  const vulkan::Wait& wait_;
  Record& record_;
  std::optional<Sampling> sampling_;
  Clock::time_point start_;
  double held_at_start_ = 0;
};

}  // namespace

Result<void> take_samples(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record) {
  Sampler sampler(request, events, wait, record);
  if (Result<void> ok = sampler.prepare(); !ok) return ok;
  Result<void> warm = sampler.warm_up();
  if (!warm) return request.live && warm.error().kind == ErrorKind::cancelled ? Result<void>() : warm;
  return sampler.measure();
}

}  // namespace attnscope
