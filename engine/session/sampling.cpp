#include "engine/session/sampling.hpp"

namespace attnscope {
namespace {

constexpr double kSubmitMs = 300;     ///< of one submit at most; drivers' watchdogs bite at 2 s
constexpr uint32_t kOverlapping = 8;  ///< executions of a back-to-back sample at least, so that overlap can show
constexpr double kLeastEstimateNs = 100;

/// Twice the L2 of any GPU of today, except where a buffer may not be that large; software has the CPU's caches.
uint64_t flush_bytes(const DeviceInfo& device) {
  const uint64_t wanted = device.type == DeviceType::software ? uint64_t{64} << 20 : uint64_t{256} << 20;
  return std::min({wanted, device.limits.max_storage_buffer_bytes, device.limits.max_allocation_bytes}) / 4 * 4;
}

}  // namespace

uint32_t slices_for(double estimate_ns) {
  return static_cast<uint32_t>(std::max(1.0, std::ceil(estimate_ns / (kSubmitMs * 1e6))));
}

Result<Sampling> Sampling::create(const vulkan::Device& device, const vulkan::Execution& execution,
                                  const Protocol& protocol, double estimate_ns, uint32_t slices,
                                  const vulkan::Wait& wait) {
  Sampling s(execution, protocol, std::max(estimate_ns, kLeastEstimateNs));
  s.sample_.back_to_back = protocol.launch == LaunchMode::back_to_back;
  s.sample_.slices = slices;
  if (protocol.cache == CacheMode::cold) {
    vulkan::Buffer flush = TRY(vulkan::Buffer::create(device, flush_bytes(device.info())));
    s.sample_.flush = flush;
    // The first fill finds the memory untouched. The wall clock bounds the second one from above.
    TRY(flush.fill(0, wait));
    const auto start = Clock::now();
    TRY(flush.fill(1, wait));
    s.flush_ns_ = 1e6 * ms_since(start);
  }
  s.sample_.repetitions = s.wanted_repetitions();
  return s;
}

uint32_t Sampling::wanted_repetitions() const {
  // After the first execution the cache is no longer cold.
  if (protocol_.cache == CacheMode::cold || sample_.slices > 1) return 1;
  double n = std::ceil(protocol_.min_sample_us * 1e3 / estimate_ns_);
  if (sample_.back_to_back) n = std::max<double>(n, kOverlapping);
  const double fit = std::max(std::floor(kSubmitMs * 1e6 / estimate_ns_), 1.0);
  return static_cast<uint32_t>(std::clamp(n, 1.0, fit));
}

void Sampling::settle() {
  sample_.repetitions = wanted_repetitions();
  settled_ = true;
}

uint32_t Sampling::samples_in(double ms) const {
  return static_cast<uint32_t>(std::clamp(ms / sample_ms(), 1.0, 1000.0));
}

Result<double> Sampling::once(const vulkan::Wait& wait) const {
  vulkan::SampleRequest one = sample_;
  one.samples = one.repetitions = 1;
  one.back_to_back = false;
  std::vector<double> ns = TRY(execution_->sample(one, wait));
  return ns.front();
}

Result<std::vector<double>> Sampling::take(uint32_t samples, const vulkan::Wait& wait) {
  std::vector<double> all;
  while (all.size() < samples) {
    if (wait.cancel != nullptr && *wait.cancel) return Error{ErrorKind::cancelled, "Cancelled."};
    sample_.samples = std::min(samples - static_cast<uint32_t>(all.size()), samples_in(kSubmitMs));
    std::vector<double> some = TRY(execution_->sample(sample_, wait));
    all.insert(all.end(), some.begin(), some.end());
    if (settled_) continue;
    estimate_ns_ = std::max(all.back(), kLeastEstimateNs);
    sample_.repetitions = wanted_repetitions();
  }
  return all;
}

}  // namespace attnscope
