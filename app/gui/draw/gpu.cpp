#include "app/gui/draw/gpu.hpp"

#include <cstring>

#include <fmt/format.h>

namespace attnscope::gui {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<std::vector<std::string>*>(user)->push_back(data->pMessage);
  return VK_FALSE;
}

bool has_layer(const char* wanted) {
  uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  for (const auto& layer : layers)
    if (std::strcmp(layer.layerName, wanted) == 0) return true;
  return false;
}

int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 3;
    default: return 4;
  }
}

/// The index of a queue family that draws (and presents); -1 when there is none.
int drawing_family(VkPhysicalDevice physical, VkSurfaceKHR surface) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) continue;
    VkBool32 presents = surface == VK_NULL_HANDLE;
    if (surface && vkGetPhysicalDeviceSurfaceSupportKHR(physical, i, surface, &presents) != VK_SUCCESS) continue;
    if (presents) return int(i);
  }
  return -1;
}

}  // namespace

Result<void> check(VkResult result, const char* what) {
  const auto failed = [&](ErrorKind kind, const std::string& why) {
    return Error{kind, fmt::format("Drawing the window failed in {}: {}.", what, why)};
  };
  switch (result) {
    case VK_SUCCESS:
    case VK_SUBOPTIMAL_KHR: return {};
    case VK_ERROR_DEVICE_LOST: return failed(ErrorKind::device_lost, "the device that draws was lost");
    case VK_ERROR_SURFACE_LOST_KHR: return failed(ErrorKind::device_lost, "the display went away");
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return failed(ErrorKind::out_of_memory, "memory ran out");
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return unsupported(
          "No Vulkan driver was found, so nothing can be drawn. Install the graphics driver of your GPU, or Mesa's "
          "software device (package mesa-vulkan-drivers on Debian).");
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return failed(ErrorKind::unsupported, "the Vulkan driver lacks what drawing here needs");
    case VK_ERROR_INITIALIZATION_FAILED: return failed(ErrorKind::unsupported, "the Vulkan driver did not start");
    default: return failed(ErrorKind::internal, fmt::format("VkResult {}", int(result)));
  }
}

Gpu::~Gpu() {
  if (device) vkDestroyDevice(device, nullptr);
  if (messenger_) vkDestroyDebugUtilsMessengerEXT(instance, messenger_, nullptr);
  if (instance) vkDestroyInstance(instance, nullptr);
}

Result<void> Gpu::make_instance(const std::vector<const char*>& instance_extensions, bool validation) {
  if (volkInitialize() != VK_SUCCESS)
    return unsupported("There is no Vulkan loader (libvulkan.so.1), so nothing can be drawn. Install libvulkan1.");
  if (validation && !has_layer(kValidationLayer))
    return unsupported("The Vulkan validation layers are not installed (vulkan-validationlayers).");
  std::vector<const char*> extensions = instance_extensions;
  if (validation) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  auto app = made<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "attnscope";
  app.apiVersion = VK_API_VERSION_1_1;
  const VkValidationFeatureEnableEXT sync = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  auto features = made<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &sync;
  auto info = made<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pNext = validation ? &features : nullptr;
  info.pApplicationInfo = &app;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.enabledLayerCount = validation ? 1 : 0;
  info.ppEnabledLayerNames = &kValidationLayer;
  if (auto made = check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance"); !made) return made.error();
  volkLoadInstance(instance);
  if (!validation) return {};
  auto messenger = made<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = &messages_;
  return check(vkCreateDebugUtilsMessengerEXT(instance, &messenger, nullptr, &messenger_),
               "vkCreateDebugUtilsMessengerEXT");
}

Result<void> Gpu::make_device(VkSurfaceKHR surface) {
  uint32_t count = 0;
  if (auto ok = check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices"); !ok)
    return ok;
  std::vector<VkPhysicalDevice> devices(count);
  if (auto ok = check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices"); !ok)
    return ok;
  int best = 5, chosen = -1;
  for (VkPhysicalDevice candidate : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(candidate, &properties);
    const int f = drawing_family(candidate, surface);
    if (f < 0 || rank(properties.deviceType) >= best) continue;
    best = rank(properties.deviceType);
    chosen = f;
    physical = candidate;
    name = properties.deviceName;
    software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    most_pixels = properties.limits.maxImageDimension2D;
  }
  if (chosen < 0)
    return unsupported(
        fmt::format("None of the {} Vulkan devices here can draw{}. The command line needs no drawing: "
                    "`attnscope bench`. Mesa's llvmpipe (mesa-vulkan-drivers) can draw everywhere.",
                    count, surface ? " to this display" : ""));
  family = uint32_t(chosen);
  const float priority = 1;
  auto queue_info = made<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue_info.queueFamilyIndex = family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  const char* swapchain = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  auto info = made<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = surface ? 1 : 0;
  info.ppEnabledExtensionNames = &swapchain;
  if (auto ok = check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"); !ok) return ok;
  vkGetDeviceQueue(device, family, 0, &queue);
  return {};
}

Result<uint32_t> Gpu::memory_type(uint32_t bits, VkMemoryPropertyFlags flags) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((bits & (1u << i)) && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  return unsupported(fmt::format("{} has no memory with property flags {:#x} to draw in.", name, flags));
}

}  // namespace attnscope::gui
