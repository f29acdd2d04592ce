// The Vulkan device that the window is drawn with. It measures nothing: the measured device lives in the worker.
#pragma once

#include <string>
#include <vector>

#include <volk.h>

#include "engine/result.hpp"

namespace attnscope::gui {

/// An Error when `result` is no success; `what` names the call.
Result<void> check(VkResult result, const char* what);

/// A Vulkan structure, zero but for its type.
template <class T>
T made(VkStructureType type) {
  T value{};
  value.sType = type;
  return value;
}

class Gpu {
 public:
  Gpu() = default;
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// `instance_extensions`: those that a window needs; none to draw off screen. With `validation`, the validation
  /// layers' messages are collected (unsupported when the layers are not installed).
  Result<void> make_instance(const std::vector<const char*>& instance_extensions, bool validation);
  /// The first of: discrete GPU, integrated, virtual, software that has a graphics queue and, when `surface` is given,
  /// can present to it.
  Result<void> make_device(VkSurfaceKHR surface);

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::string name;
  uint32_t most_pixels = 0;  ///< along a side of an image
  bool software = false;

  /// A memory type out of `bits` with all of `flags`, or an Error that names them.
  Result<uint32_t> memory_type(uint32_t bits, VkMemoryPropertyFlags flags) const;
  const std::vector<std::string>& validation_messages() const { return messages_; }

 private:
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<std::string> messages_;
};

}  // namespace attnscope::gui
