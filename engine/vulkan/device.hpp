// A logical device: one compute queue, every optional feature that exists, memory and a pipeline cache on disk.
#pragma once

#include <filesystem>

#include "engine/vulkan/instance.hpp"

namespace attnscope::vulkan {

struct LogicalDevice;

/// How to wait for the GPU. After `cancel` what was submitted is still waited for, then ErrorKind::cancelled. After
/// `timeout_s` for one submit the device is lost: later calls fail, and its objects leak.
struct Wait {
  const Cancel* cancel = nullptr;
  double timeout_s = 30;                           ///< ten times that on a software device
  const std::function<void()>* between = nullptr;  ///< called after each submit that ended: a sign of life
};

struct DeviceOptions {
  std::filesystem::path cache_dir{};  ///< of the pipeline cache; empty = none
  /// Opens a driver without hardware: nothing is executed, and no memory is allocated.
  std::optional<CompileOnly> compile_only{};
};

/// A shared handle, as all of this module. Thread-safe; each Execution and Buffer is for one thread at a time.
class Device {
 public:
  static Result<Device> open(const Instance&, std::string_view selector, const DeviceOptions& = {});
  const DeviceInfo& info() const;
  bool is_software() const { return info().type == DeviceType::software; }
  /// True once a submit timed out or the driver reported the device lost. Open a new one, best in a new process.
  bool lost() const;
  /// "0000:65:00.0"; "" where the driver does not tell.
  std::string pci_address() const;
  const std::shared_ptr<LogicalDevice>& state() const { return state_; }

 private:
  explicit Device(std::shared_ptr<LogicalDevice> state) : state_(std::move(state)) {}
  std::shared_ptr<LogicalDevice> state_;
};

}  // namespace attnscope::vulkan
