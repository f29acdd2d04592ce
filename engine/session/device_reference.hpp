// Attention computed on the device by a plain kernel of the engine's own, so that every element of a large result can
// be compared, where the CPU reference has time for some rows. It is itself judged by those rows before it judges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/session/guarded_buffer.hpp"
#include "engine/session/workload.hpp"

namespace attnscope {

/// How a result differs from the reference, over all of its elements.
struct Difference {
  uint64_t not_finite = 0;  ///< NaN, Inf, or never written (the poison is a NaN)
  uint64_t first_not_finite = 0;
  double max_abs = 0;  ///< over the finite elements
  uint64_t worst = 0;  ///< its element of O
  double got = 0, expected = 0;
};

class DeviceReference {
 public:
  static Result<DeviceReference> create(const vulkan::Device&);
  /// Seconds that computing it takes on a device like this, roughly; infinity where it is impossible (more elements
  /// than 32 bits can index).
  static double cost_s(const DeviceInfo&, const Problem&);

  /// O in f32, laid out as the problem's: scores, softmax and sums in f32, keys in blocks of 128 with a running
  /// maximum.
  Result<vulkan::Buffer> compute(const Workload&, const vulkan::Wait&) const;
  /// The largest difference of `computed` from a CPU reference on its rows.
  static Result<double> error_of(const vulkan::Buffer& computed, const Problem&, const Reference&, const vulkan::Wait&);
  /// `output`: O of that problem as a kernel left it. The two values of the worst element are fetched where its error
  /// is over `allowed`.
  Result<Difference> compare(const vulkan::Buffer& expected, const GuardedBuffer& output, const Problem&,
                             double allowed, const vulkan::Wait&) const;

 private:
  DeviceReference(vulkan::Device device, vulkan::Pipeline attention, vulkan::Pipeline difference, vulkan::Buffer parts)
      : device_(std::move(device)),
        attention_(std::move(attention)),
        difference_(std::move(difference)),
        parts_(std::move(parts)) {}
  vulkan::Device device_;
  vulkan::Pipeline attention_, difference_;
  vulkan::Buffer parts_;
};

class FullCheck {
 public:
  explicit FullCheck(vulkan::Device device) : device_(std::move(device)) {}

  /// The reference for results of one precision.
  struct Yardstick {
    Precision precision;
    std::shared_ptr<const Reference> rows{};   ///< by the CPU
    std::optional<vulkan::Buffer> elements{};  ///< every element, by the device; absent where that takes too long
    double allowed = 0;                        ///< of an element's error against `elements`
  };
  /// `elements` stays absent where computing them takes more than `most_s`, and where they are no better, on the CPU's
  /// rows, than what they would judge. Computed at the first call for these inputs: the problem's own, or the `changed`
  /// ones, which then have to be in place.
  Result<Yardstick> yardstick(Workload&, bool changed, const std::shared_ptr<const Reference>& rows, double most_s,
                              const vulkan::Wait&);
  /// Which element of O is wrong, as a sentence; "" when each is near enough. Only with `elements`.
  Result<std::string> wrong(const Workload&, const Yardstick&, const vulkan::Wait&);

 private:
  Result<void> need_reference();
  vulkan::Device device_;
  std::optional<DeviceReference> reference_;
};

}  // namespace attnscope
