#include "engine/session/clock_gate.hpp"

#include "engine/clock.hpp"
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {
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
