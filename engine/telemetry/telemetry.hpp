// Readings of a device's own sensors during a measurement.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// Means over the time of the samples; of a live run, over two seconds of it. Absent: not told.
struct Telemetry {
  std::string source;  ///< "NVML", or the driver that sysfs is of: "amdgpu", "i915", "xe"
  double seconds = 0;  ///< between the first reading and the last
  uint64_t readings = 0;
  std::optional<double> watts;  ///< by the energy counter where it moved often enough, else the mean of the readings
  /// Energy of one execution. Absent where the counter moved too seldom, or the device was idle for more than a fifth.
  std::optional<double> joules;
  std::optional<double> clock_mhz, memory_clock_mhz;
  std::optional<double> celsius;  ///< the highest
  /// Why the clock was below what was asked for ("power", "temperature", ...), and in which share of the readings.
  std::map<std::string, double> throttled;
  bool operator==(const Telemetry&) const = default;
};
/// "power (83 %), temperature (2 %)": of the readings; "" where nothing slowed it.
std::string throttled_text(const Telemetry&);
/// "412 W, 1.93 mJ an execution, 1,755 MHz, memory 2,619 MHz, 61 °C": what is known, without throttling.
std::string sensors_text(const Telemetry&);

}  // namespace attnscope
