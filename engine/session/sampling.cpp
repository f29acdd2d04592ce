#include "engine/session/sampling.hpp"
#include "engine/clock.hpp"
#include "engine/vulkan/keep_warm.hpp"

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

namespace {

constexpr double kProbeNs = 300e3;    ///< of a piece at least, where the clock may be a sixth of what it will be
constexpr uint32_t kLooks = 3;        ///< the fastest of so many pieces is a probe: another's work falls between some
constexpr uint32_t kBusyPieces = 40;  ///< between two probes, so that the device has no rest in which to slow down

}  // namespace

ClockGate::ClockGate(vulkan::Device device, bool even_software, std::function<double()> answer)
    : device_(std::move(device)), idle_(device_.is_software() && !even_software), answer_(std::move(answer)) {}

Result<double> ClockGate::rise(const vulkan::Wait& wait) {
  if (answer_) return answer_();
  if (idle_) return 1.0;
  const auto take = [&](const vulkan::Execution& piece, uint32_t samples) -> Result<double> {
    auto ns = TRY(piece.sample({.samples = samples, .repetitions = 1}, wait));
    return *std::ranges::min_element(ns);
  };
  if (!probe_) {
    auto loop = TRY(vulkan::FmaLoop::create(device_));
    uint32_t iterations = vulkan::FmaLoop::kLeastIterations;
    auto piece = loop.of(iterations);
    for (; piece && iterations < vulkan::FmaLoop::kMostIterations; iterations *= 2, piece = loop.of(iterations)) {
      auto ns = TRY(take(*piece, 2));
      if (ns >= kProbeNs) break;
    }
    if (!piece) return piece.error();
    probe_ = std::move(*piece);
  }
  const auto began = Clock::now();
  rule_.begin();
  for (uint32_t samples = kLooks;; samples = kBusyPieces) {
    auto ns = TRY(take(*probe_, samples));
    rule_.add(ns, ms_since(began));
    if (rule_.finished()) return rule_.slowdown();
    if (wait.cancel != nullptr && *wait.cancel) return Error{ErrorKind::cancelled, "Cancelled."};
  }
}

}  // namespace attnscope
