#include "engine/vulkan/instance.hpp"

#include "engine/number.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr size_t kMaxMessages = 200;  // a faulty loop must not fill the memory

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  auto& state = *static_cast<InstanceState*>(user);
  const std::lock_guard lock(state.mutex);
  if (state.messages.size() < kMaxMessages)
    add_line(state.messages, "validation {}: {}",
             severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? "error" : "warning",
             data->pMessage ? data->pMessage : "(no text)");
  return VK_FALSE;
}

bool has_extension(const char* name) {
  const auto [result, all] = list_of<VkExtensionProperties>(
      [](auto... list) { return vkEnumerateInstanceExtensionProperties(nullptr, list...); });
  return result == VK_SUCCESS &&
         std::ranges::any_of(all, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

bool has_layer(const char* name) {
  const auto [result, layers] = list_of<VkLayerProperties>(vkEnumerateInstanceLayerProperties);
  return result == VK_SUCCESS &&
         std::ranges::any_of(layers, [&](const auto& l) { return std::strcmp(l.layerName, name) == 0; });
}

Result<void> load_vulkan() {
  // volk's function pointers are global: loading them is done by one thread, once.
  static const VkResult loaded = volkInitialize();
  if (loaded != VK_SUCCESS)
    return unsupported(
        "No Vulkan loader (libvulkan.so.1) was found. Install the graphics driver of your GPU, or Mesa's software "
        "device (packages libvulkan1 and mesa-vulkan-drivers on Debian).");
  const uint32_t version = volkGetInstanceVersion();
  if (version < VK_API_VERSION_1_3)
    return unsupported("The Vulkan loader is version {}.{}, and 1.3 is needed. Install a newer libvulkan1.",
                       VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
  return {};
}

Result<void> create_instance(InstanceState& state) {
  auto messenger =
      vk_struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = &state;
  const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  auto validation = vk_struct<VkValidationFeaturesEXT>(VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT);
  validation.pNext = &messenger;
  validation.enabledValidationFeatureCount = 1;
  validation.pEnabledValidationFeatures = enabled;

  auto app = vk_struct<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "attnscope";
  app.apiVersion = VK_API_VERSION_1_3;
  const char* layers[] = {kValidationLayer};
  std::vector<const char*> extensions;
  auto info = vk_struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &app;
  if (state.validation) {
    info.pNext = &validation;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = layers;
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  // Else a loader hides drivers on top of another interface (MoltenVK).
  if (has_extension(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult result = vkCreateInstance(&info, nullptr, &state.instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return unsupported(
        "No Vulkan driver was found. Install the graphics driver of your GPU, or Mesa's software device (package "
        "mesa-vulkan-drivers on Debian).");
  if (result != VK_SUCCESS) return vulkan_error(result, "creating the Vulkan instance");
  volkLoadInstanceOnly(state.instance);
  if (!state.validation) return {};
  const VkResult made = vkCreateDebugUtilsMessengerEXT(state.instance, &messenger, nullptr, &state.messenger);
  if (made != VK_SUCCESS) return vulkan_error(made, "listening to the validation layer");
  return {};
}

Result<void> enumerate(InstanceState& state) {
  VkResult result = VK_SUCCESS;
  std::tie(result, state.physical) =
      list_of<VkPhysicalDevice>([&](auto... list) { return vkEnumeratePhysicalDevices(state.instance, list...); });
  // The answer of a loader with drivers but no hardware; not a fault.
  if (result == VK_ERROR_INITIALIZATION_FAILED)
    state.physical.clear();
  else if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return vulkan_error(result, "listing the Vulkan devices");
  for (size_t i = 0; i < state.physical.size(); ++i) {
    state.devices.push_back(query_device(state.physical[i], state.timed));
    state.devices.back().index = uint32_t(i);
  }
  return {};
}

int speed_class(DeviceType type) {
  constexpr std::array kSlowestFirst{DeviceType::software, DeviceType::other, DeviceType::virtual_gpu,
                                     DeviceType::integrated_gpu, DeviceType::discrete_gpu};
  return int(std::ranges::find(kSlowestFirst, type) - kSlowestFirst.begin());
}

std::string listed(const std::vector<DeviceInfo>& devices) {
  return joined(devices, ", ", [](const DeviceInfo& d) { return fmt::format("{} ({})", d.index, d.name); });
}

}  // namespace

InstanceState::~InstanceState() {
  if (messenger) vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  if (instance) vkDestroyInstance(instance, nullptr);
}

Result<Instance> Instance::create(const InstanceOptions& options) {
  // volkLoadInstanceOnly writes the same global pointers for every instance; they work for all of them.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  TRY(load_vulkan());
  if (options.validation && !has_layer(kValidationLayer))
    return unsupported(
        "Validation was asked for, but the layer {} is not installed (package vulkan-validationlayers on Debian).",
        kValidationLayer);
  auto state = std::make_shared<InstanceState>();
  state->validation = options.validation;
  state->timed = options.timed;
  TRY(create_instance(*state));
  TRY(enumerate(*state));
  return Instance(std::move(state));
}

const std::vector<DeviceInfo>& Instance::devices() const { return state_->devices; }

std::vector<std::string> Instance::take_validation_messages() const {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->messages, {});
}

Result<uint32_t> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector) {
  if (devices.empty())
    return unsupported(
        "No Vulkan device was found. Install the graphics driver of your GPU, or Mesa's software device (package "
        "mesa-vulkan-drivers on Debian).");
  const std::string wanted = lower_case(selector);
  const Result<size_t> index = parse_number<size_t>(wanted, {0, SIZE_MAX});
  const bool is_cpu = wanted == "cpu";

  std::vector<uint32_t> matches;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const bool match = index    ? i == *index
                       : is_cpu ? devices[i].type == DeviceType::software
                                : lower_case(devices[i].name).find(wanted) != std::string::npos;
    if (match) matches.push_back(i);
  }
  if (matches.empty() && is_cpu)
    return unsupported(
        "There is no software Vulkan device for \"cpu\" (package mesa-vulkan-drivers on Debian has one). Devices: {}.",
        listed(devices));
  if (matches.empty())
    return unsupported("No device matches \"{}\". Give an index, part of a name, or \"cpu\". Devices: {}.", selector,
                       listed(devices));
  const auto slower = [&](uint32_t a, uint32_t b) {
    const auto rank = [&](uint32_t i) {
      return std::tuple(devices[i].unsuitable.empty(), speed_class(devices[i].type),
                        devices[i].limits.device_memory_bytes);
    };
    return rank(a) < rank(b);
  };
  const uint32_t best = *std::ranges::max_element(matches, slower);  // the first of equals
  if (!devices[best].unsuitable.empty())
    return unsupported("Device {} ({}) cannot be used: {}.", devices[best].index, devices[best].name,
                       devices[best].unsuitable);
  return best;
}

}  // namespace attnscope::vulkan
