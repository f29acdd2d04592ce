// The Vulkan instance: the devices of this machine, and messages of the validation layers.
#pragma once

#include "engine/device_info.hpp"
#include "engine/result.hpp"

namespace attnscope::vulkan {

struct InstanceState;

struct InstanceOptions {
  /// The Khronos validation layer with synchronization validation. An error when the layer is not installed.
  bool validation = false;
  bool timed = true;  ///< a device that cannot time is unsuitable; false for devices that only compile
};

/// A shared handle: copies name the same instance, the last one destroys it.
class Instance {
 public:
  /// unsupported: no Vulkan loader, no driver, or none of version 1.3. An empty device list is not an error.
  static Result<Instance> create(const InstanceOptions& = {});
  /// In the driver's order; unsuitable ones too, with the reason in DeviceInfo::unsuitable.
  const std::vector<DeviceInfo>& devices() const;
  /// Warnings and errors of the validation layers since the last call. Always empty without validation.
  std::vector<std::string> take_validation_messages() const;
  const std::shared_ptr<InstanceState>& state() const { return state_; }

 private:
  explicit Instance(std::shared_ptr<InstanceState> state) : state_(std::move(state)) {}
  std::shared_ptr<InstanceState> state_;
};

/// Picks from `devices`; the index into it. "" = the fastest real GPU (discrete, integrated, virtual, other; then
/// device memory), else software; digits = an index; "cpu" = the software device; else part of a name,
/// case-insensitive, the fastest that matches. bad_input when nothing matches (the message lists what there is),
/// unsupported when there is no device at all or the one asked for is unsuitable.
Result<uint32_t> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector);

}  // namespace attnscope::vulkan
