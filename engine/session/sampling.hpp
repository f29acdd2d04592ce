// How one sample is made (dispatches, what is overwritten before, submits), and warm-up and samples by the protocol.
#pragma once

#include "engine/measure/stopping.hpp"
#include "engine/session/events.hpp"
#include "engine/session/guarded_buffer.hpp"
#include "engine/telemetry/source.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

/// Delays sampling until the device's clock has risen. One a device: what its clock reaches is learned once (a quarter
/// of a second or more), then looked at in pieces of kProbeNs. Idle on a software device, unless told.
class ClockGate {
 public:
  /// `answer`, when given, is what rise() says, and the device is not looked at.
  explicit ClockGate(vulkan::Device device, bool even_software = false, std::function<double()> answer = {});

  /// Keeps the device busy until a fixed piece of arithmetic is as fast as ever; how many times as long it takes now.
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

class Sampling {
 public:
  /// `estimate_ns` of one execution, until samples tell. What it samples outlives it.
  static Result<Sampling> create(const vulkan::Device&, const vulkan::Execution&, const Protocol&, double estimate_ns,
                                 uint32_t slices, const vulkan::Wait&);

  /// GPU ns of one execution, one number a sample. Until settle(), executions a sample follow the newest samples.
  /// `judged`: what each leaves counts for all_gave().
  Result<std::vector<double>> take(uint32_t samples, const vulkan::Wait&, bool judged = false);
  /// From here on the output is fingerprinted after each sample that is judged, untimed.
  Result<void> watch(vulkan::Kernels&, const vulkan::Buffer& output, const vulkan::Wait&);
  /// Whether each sample that was judged left this; true as well where none was, or where one broke off.
  Result<bool> all_gave(uint64_t fingerprint, const vulkan::Wait&) const;
  /// Samples until the protocol's warm-up is over; whether it reached its goal.
  Result<bool> warm_up(EventStream&, const vulkan::Wait&);
  /// One execution alone, with the caches and slices of a sample.
  Result<double> once(const vulkan::Wait&) const;
  /// From here on every sample is made in the same way.
  void settle();
  /// Executions of a sample, for this protocol and estimate; fixed by settle().
  uint32_t repetitions() const { return sample_.repetitions; }
  /// How many samples fill `ms`, with what comes before each; one at least.
  uint32_t samples_in(double ms) const;
  /// Of one sample, with what comes before it.
  double sample_ms() const { return (estimate_ns_ * sample_.repetitions + flush_ns_) / 1e6; }

 private:
  Sampling(const vulkan::Execution& execution, const Protocol& protocol, double estimate_ns)
      : execution_(&execution), protocol_(protocol), estimate_ns_(estimate_ns) {}
  uint32_t wanted_repetitions() const;

  const vulkan::Execution* execution_;
  Protocol protocol_;
  double estimate_ns_;
  double flush_ns_ = 0;  ///< that overwriting the caches takes before each sample, at most
  bool settled_ = false;
  vulkan::SampleRequest sample_;
  std::optional<FingerprintSums> outputs_;
  uint64_t judged_ = 0;  ///< samples
};

/// How many submits an execution that takes `estimate_ns` is cut into, so that each stays below 300 ms.
uint32_t slices_for(double estimate_ns);

/// FLOP/s that even a poor kernel reaches.
inline double least_rate(const DeviceInfo& device) {
  if (device.type == DeviceType::software) return 4e8;
  if (device.limits.core_count > 0) return 5e9 * device.limits.core_count;
  return device.type == DeviceType::integrated_gpu ? 2e10 : 1e11;
}
/// Whether an execution may take so long that it is first tried in slices.
inline bool may_be_long(const DeviceInfo& device, double flops) { return flops > least_rate(device) * 0.5; }

struct TimingRequest {
  const RunRequest& run;
  ClockGate& clock;
  Sampling& sampling;
  telemetry::Source* sensors;  ///< read while samples are taken; nullptr = there are none
  bool software;               ///< the device is a CPU, which other programs share
  /// Asked of a live run before its samples are shown, after 1, 2, 4, 8… batches: false ends it.
  std::function<Result<bool>()> still_right;
  /// Made between the samples of a run with an end, at places that nobody can foresee: false ends it.
  std::function<Result<bool>()> spot_check, single_check;
};

/// Fills samples_ns, dispatches_per_sample, settled, streaming. Cancelled: an error, unless live, and what was taken.
Result<void> take_samples(const TimingRequest&, EventStream&, const vulkan::Wait&, Record& record);

}  // namespace attnscope
