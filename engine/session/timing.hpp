// Timing: warm-up and samples of one execution by the protocol's rules.
#pragma once

#include <functional>

#include "engine/record/record.hpp"
#include "engine/session/clock_gate.hpp"
#include "engine/session/events.hpp"
#include "engine/session/sampling.hpp"
#include "engine/telemetry/source.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

struct TimingRequest {
  ClockGate* clock = nullptr;
  Sampling* sampling = nullptr;
  telemetry::Source* sensors = nullptr;  ///< read while samples are taken; nullptr = there are none
  bool software = false;                 ///< the device is a CPU, which other programs share
  Protocol protocol;
  bool live = false;
  double batch_ms = 100;
  /// Asked of a live run before its samples are shown, after 1, 2, 4, 8… batches: false ends it.
  std::function<Result<bool>()> still_right = {};
  /// Made between the samples of a run with an end, at places that nobody can foresee: false ends it.
  std::function<Result<bool>()> spot_check = {};
};

/// Fills samples_ns, dispatches_per_sample and settled of `record`, streaming the samples. When cancelled, the error
/// says so and the samples taken so far are in the record; a live run ends that way and without an error.
Result<void> take_samples(const TimingRequest&, EventStream&, const vulkan::Wait&, Record& record);

}  // namespace attnscope
