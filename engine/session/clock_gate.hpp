// Delays sampling until the device's clock has risen.
#pragma once

#include "engine/measure/clock.hpp"
#include "engine/result.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

/// One a device, kept as long as the device: what its clock reaches is learned once (a quarter of a second at least)
/// and then looked at in a few pieces of kProbeNs. On a software device, whose clock is the CPU's, it does nothing,
/// unless told to.
class ClockGate {
 public:
  /// `answer`, when given, is what rise() says, and the device is not looked at.
  explicit ClockGate(vulkan::Device device, bool even_software = false, std::function<double()> answer = {});

  /// Keeps the device busy until a fixed piece of arithmetic is as fast as it ever was, or that wait timed out.
  /// The answer is how many times as long as at its fastest the piece takes now (1 = the clock is up).
  Result<double> rise(const vulkan::Wait&);

 private:
  vulkan::Device device_;
  bool idle_;
  std::function<double()> answer_;
  ClockRule rule_;
  std::optional<vulkan::Execution> probe_;
};

/// A run whose clock is slower than this does not count as settled.
constexpr double kClockDown = 1.1;

}  // namespace attnscope
