#include "engine/session/timing.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "engine/measure/stopping.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSubmitMs = 300;      ///< of one submit at most; drivers' watchdogs bite at 2 s
constexpr double kWarmupBatchMs = 10;  ///< short, so that the estimate soon follows the clock upwards
constexpr uint32_t kOverlapping = 8;   ///< executions of a back-to-back sample at least, so that overlap can show
constexpr size_t kLiveKept = 100000;   ///< samples of a live run kept for its record: the newest

/// Twice the L2 of any GPU of today, except where a buffer may not be that large; software has the CPU's caches.
uint64_t flush_bytes(const DeviceInfo& device) {
  const uint64_t wanted = device.type == DeviceType::software ? uint64_t{64} << 20 : uint64_t{256} << 20;
  return std::min({wanted, device.limits.max_storage_buffer_bytes, device.limits.max_allocation_bytes}) / 4 * 4;
}

class Sampler {
 public:
  Sampler(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record)
      : r_(request),
        events_(events),
        wait_(wait),
        record_(record),
        estimate_ns_(std::max(request.estimate_ns, 100.0)) {}

  Result<void> prepare() {
    sample_.back_to_back = r_.protocol.launch == LaunchMode::back_to_back;
    sample_.slices = r_.slices;
    if (r_.protocol.cache == CacheMode::cold) {
      Result<vulkan::Buffer> flush = vulkan::Buffer::create(*r_.device, flush_bytes(r_.device->info()));
      if (!flush) return flush.error();
      sample_.flush = *flush;
    }
    return {};
  }

  Result<void> warm_up() {
    events_.stage("warm-up");
    const auto rule = make_warmup_rule(r_.protocol);
    rule->initialize();
    begin();
    while (!rule->finished()) {
      sample_.repetitions = repetitions();
      Result<std::vector<double>> samples = batch(kWarmupBatchMs);
      if (!samples) return samples.error();
      for (const double ns : *samples) rule->add(ns, elapsed_ms());
      // The first runs may be slow for reasons that are over, so the estimate follows the newest samples.
      estimate_ns_ = std::max(samples->back(), 100.0);
      events_.alive();
    }
    record_.settled = !rule->capped();
    return {};
  }

  Result<void> measure() {
    // Fixed from here on: every sample of a record is made in the same way.
    sample_.repetitions = repetitions();
    record_.dispatches_per_sample = sample_.repetitions;
    events_.stage("sample");
    events_.emit(SamplingBegan{record_.dispatches_per_sample, record_.settled});
    const auto rule = make_sampling_rule(r_.protocol);
    rule->initialize();
    begin();
    uint64_t batches = 0;
    while (r_.live || !rule->finished()) {
      const uint32_t left = r_.live ? UINT32_MAX : remaining();
      Result<std::vector<double>> samples = batch(std::min(r_.batch_ms, kSubmitMs), left);
      if (!samples && samples.error().kind == ErrorKind::cancelled && r_.live) return {};
      if (!samples) return samples.error();
      for (const double ns : *samples) {
        record_.samples_ns.push_back(ns);
        rule->add(ns * sample_.repetitions, elapsed_ms());
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
  uint32_t repetitions() const {
    // After the first execution the cache is no longer cold.
    if (r_.protocol.cache == CacheMode::cold || r_.slices > 1) return 1;
    double n = std::ceil(r_.protocol.min_sample_us * 1e3 / estimate_ns_);
    if (sample_.back_to_back) n = std::max<double>(n, kOverlapping);
    const double fit = std::max(std::floor(kSubmitMs * 1e6 / estimate_ns_), 1.0);
    return static_cast<uint32_t>(std::clamp(n, 1.0, fit));
  }

  uint32_t remaining() const {
    const size_t have = record_.samples_ns.size();
    return static_cast<uint32_t>(r_.protocol.max_samples > have ? r_.protocol.max_samples - have : 1);
  }

  Result<std::vector<double>> batch(double ms, uint32_t at_most = UINT32_MAX) {
    if (wait_.cancel != nullptr && *wait_.cancel) return Error{ErrorKind::cancelled, "Cancelled."};
    vulkan::SampleRequest request = sample_;
    const double one_ns = estimate_ns_ * request.repetitions;
    request.samples = static_cast<uint32_t>(std::clamp(ms * 1e6 / one_ns, 1.0, 1000.0));
    request.samples = std::min(request.samples, at_most);
    return r_.execution->sample(request, wait_);
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
  double estimate_ns_;
  vulkan::SampleRequest sample_;
  Clock::time_point start_;
  double held_at_start_ = 0;
};

}  // namespace

uint32_t slices_for(double estimate_ns) {
  return static_cast<uint32_t>(std::max(1.0, std::ceil(estimate_ns / (kSubmitMs * 1e6))));
}

Result<void> take_samples(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record) {
  Sampler sampler(request, events, wait, record);
  if (Result<void> ok = sampler.prepare(); !ok) return ok;
  Result<void> warm = sampler.warm_up();
  if (!warm) return request.live && warm.error().kind == ErrorKind::cancelled ? Result<void>() : warm;
  return sampler.measure();
}

}  // namespace attnscope
