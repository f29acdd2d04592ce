// Every element of a result compared on the device: what closes the gap between the rows that the CPU has time for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/session/device_reference.hpp"

namespace attnscope {

class FullCheck {
 public:
  explicit FullCheck(vulkan::Device device) : device_(std::move(device)) {}

  /// What results of one precision are held against.
  struct Yardstick {
    Precision precision;
    std::shared_ptr<const Reference> rows{};   ///< by the CPU
    std::optional<vulkan::Buffer> elements{};  ///< every element, by the device; absent where that takes too long
    double allowed = 0;                        ///< of an element's error against `elements`
  };
  /// `elements` stays absent where computing them takes more than `most_s`, and where they are no better, on the CPU's
  /// rows, than what they would judge. Computed at the first call for these inputs: the problem's own, or the `changed`
  /// ones, which then have to be in place.
  Result<Yardstick> yardstick(Workload&, bool changed, std::shared_ptr<const Reference> rows, double most_s,
                              const vulkan::Wait&);
  /// Which element of O is wrong, as a sentence; "" when each is near enough. Only with `elements`.
  Result<std::string> wrong(const Workload&, const Yardstick&, const vulkan::Wait&);

 private:
  Result<void> need_reference();
  vulkan::Device device_;
  std::optional<DeviceReference> reference_;
};

}  // namespace attnscope
