// Converts VkResults to Errors with a remedy.

#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

std::string_view name_of(VkResult result) {
  switch (result) {
    case VK_NOT_READY: return "VK_NOT_READY";
    case VK_TIMEOUT: return "VK_TIMEOUT";
    case VK_INCOMPLETE: return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FRAGMENTED_POOL: return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_INVALID_SHADER_NV: return "VK_ERROR_INVALID_SHADER_NV";
    case VK_ERROR_UNKNOWN: return "VK_ERROR_UNKNOWN";
    default: return "";
  }
}

}  // namespace

Error vulkan_error(VkResult result, std::string_view doing) {
  const std::string_view name = name_of(result);
  const std::string text = name.empty() ? fmt::format("VkResult {}", static_cast<int>(result)) : std::string(name);
  switch (result) {
    case VK_ERROR_DEVICE_LOST:
      return {ErrorKind::device_lost, fmt::format("The device was lost while {} ({}). A kernel may have run too long "
                                                  "or touched memory that is not its own; open the device again.",
                                                  doing, text)};
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return {ErrorKind::out_of_memory,
              fmt::format("Memory ran out while {} ({}). Use a smaller problem.", doing, text)};
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return unsupported(fmt::format("The Vulkan driver does not support {} ({}).", doing, text));
    case VK_ERROR_UNKNOWN:
    case VK_ERROR_INVALID_SHADER_NV:
      return internal_error(
          fmt::format("Vulkan failed while {} ({}). Where no module was at hand, the driver failed or memory ran out; "
                      "if it was a module made elsewhere, `spirv-val` tells whether it is valid.",
                      doing, text));
    default: return internal_error(fmt::format("Vulkan failed while {} ({}).", doing, text));
  }
}

}  // namespace attnscope::vulkan
