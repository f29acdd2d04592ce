// Sensors of a device: NVML, loaded at run time, and sysfs of amdgpu, i915 and xe.
#pragma once

#include "engine/clock.hpp"
#include "engine/platform/system.hpp"
#include "engine/repeater.hpp"
#include "engine/telemetry/telemetry.hpp"

namespace attnscope::telemetry {

struct Reading {
  std::optional<double> watts, joules;  ///< joules: a counter that only rises, from anywhere
  std::optional<double> clock_mhz, memory_clock_mhz, celsius;
  std::vector<std::string> throttled;
};

/// Read from one thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string name() const = 0;
  virtual Reading read() = 0;
};

/// Which device: as Vulkan tells.
struct Identity {
  uint32_t vendor_id = 0;
  std::string uuid;  ///< 32 hex digits; "" = not known
  std::string pci;   ///< "0000:65:00.0"; "" = not known
};
struct Places {
  std::string nvml = kNvmlLibrary;
  std::filesystem::path sys = "/sys";
};
/// The sensors of NVIDIA's driver; nullptr where the library is missing, does not start, or does not know the device.
std::unique_ptr<Source> find_nvml(const Identity&, const std::string& file);
/// nullptr where nothing tells of this device.
std::unique_ptr<Source> find_source(const Identity&, const Places& = {});

/// Makes Telemetry of readings at times in seconds.
class Summary {
 public:
  void add(const Reading&, double seconds);
  /// `executions` in `busy_s` of device time, within `window_s`.
  Telemetry of(const std::string& source, double executions, double busy_s, double window_s) const;

 private:
  struct Mean {
    double sum = 0;
    uint64_t count = 0;
    void add(const std::optional<double>&);
    std::optional<double> value() const { return count > 0 ? std::optional(sum / double(count)) : std::nullopt; }
  };
  uint64_t readings_ = 0, moves_ = 0;
  double first_s_ = 0, last_s_ = 0;
  Mean watts_, clock_, memory_clock_;
  std::optional<double> celsius_, joules_;  ///< joules_: the counter as it was last read
  double moved_s_ = 0, moved_joules_ = 0, counted_s_ = 0, counted_joules_ = 0;
  std::map<std::string, uint64_t> throttled_;
};

/// Reads a source about every 25 ms on a thread of its own, from construction to stop().
class Watch {
 public:
  explicit Watch(Source&);
  /// With one more reading; once.
  Summary stop();

 private:
  void look();
  Source& source_;
  Summary summary_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Repeater> thread_;  // last: it uses the others
};

}  // namespace attnscope::telemetry
