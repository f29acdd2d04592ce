#include "engine/vulkan/device.hpp"

#include "engine/clock.hpp"
#include "engine/shader/compiler.hpp"
#include "engine/vulkan/matrix_layout.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

std::string cache_name(const DeviceInfo& info) {
  return fmt::format("pipelines-{}.bin", content_hash(fmt::format("{}/{}/{}/{}", info.pipeline_uuid, info.driver,
                                                                  info.vendor_id, info.device_id)));
}
// A pipeline cache is checked by the driver too; this only keeps another file format of ours out.
constexpr uint64_t kCacheCheck = 1;

/// Objects that may not be destroyed because work on them may never end.
struct AbandonedDevice {
  std::shared_ptr<InstanceState> instance;
  VkDevice device;
  VmaAllocator allocator;
};
void keep_for_ever(AbandonedDevice abandoned) {
  static std::mutex mutex;
  static auto* kept = new std::vector<AbandonedDevice>;  // never destroyed, not even at the process's end
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(abandoned));
}

Result<void> create_device(LogicalDevice& state) {
  const auto family = find_compute_family(state.physical, state.info.use == DeviceUse::run);
  if (!family) return unsupported("Device {} has no compute queue with timestamps.", state.info.name);
  state.queue_family = family->index;
  FeatureChain features(state.physical, device_extensions(state.physical));
  features.keep_used();
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue{
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, state.queue_family, 1, &priority};
  auto info = vk_struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = uint32_t(features.extensions.size());
  info.ppEnabledExtensionNames = features.extensions.data();
  if (const VkResult r = vkCreateDevice(state.physical, &info, nullptr, &state.device); r != VK_SUCCESS)
    return vulkan_error(r, fmt::format("opening the device {}", state.info.name));
  volkLoadDeviceTable(&state.vk, state.device);
  state.vk.vkGetDeviceQueue(state.device, state.queue_family, 0, &state.queue);
  return {};
}

Result<void> create_allocator(LogicalDevice& state) {
  VmaVulkanFunctions functions{};
  functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = vkGetDeviceProcAddr;
  VmaAllocatorCreateInfo info{};
  info.physicalDevice = state.physical;
  info.device = state.device;
  info.instance = state.instance->instance;
  info.pVulkanFunctions = &functions;
  info.vulkanApiVersion = VK_API_VERSION_1_3;
  if (state.info.has("buffer_device_address")) info.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
  if (const VkResult r = vmaCreateAllocator(&info, &state.allocator); r != VK_SUCCESS)
    return vulkan_error(r, "preparing device memory");
  return {};
}

Result<void> create_pipeline_cache(LogicalDevice& state) {
  const auto stored = state.cache.load(cache_name(state.info), kCacheCheck);
  auto info = vk_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = stored ? stored->size() : 0;
  info.pInitialData = stored ? stored->data() : nullptr;
  VkResult r = state.vk.vkCreatePipelineCache(state.device, &info, nullptr, &state.pipeline_cache);
  if (r != VK_SUCCESS && stored) {  // data that the driver does not take costs time, nothing else
    info.initialDataSize = 0;
    info.pInitialData = nullptr;
    r = state.vk.vkCreatePipelineCache(state.device, &info, nullptr, &state.pipeline_cache);
  }
  if (r != VK_SUCCESS) return vulkan_error(r, "creating the pipeline cache");
  state.cache_saved = Clock::now();
  return {};
}

}  // namespace

void LogicalDevice::save_pipeline_cache() {
  if (!cache.enabled() || !pipeline_cache || abandoned) return;
  const std::lock_guard lock(cache_mutex);
  const auto start = cache_saved = Clock::now();
  size_t bytes = 0;
  if (vk.vkGetPipelineCacheData(device, pipeline_cache, &bytes, nullptr) != VK_SUCCESS || bytes == 0) return;
  std::string data(bytes, '\0');
  if (vk.vkGetPipelineCacheData(device, pipeline_cache, &bytes, data.data()) != VK_SUCCESS) return;
  data.resize(bytes);
  cache.store(cache_name(info), kCacheCheck, data);
  cache_saved = Clock::now();
  cache_saving = cache_saved - start;
}

Error LogicalDevice::error(VkResult result, std::string_view doing) {
  if (result == VK_ERROR_DEVICE_LOST) lost = true;
  return vulkan_error(result, doing);
}

LogicalDevice::~LogicalDevice() {
  if (abandoned) {
    keep_for_ever({instance, device, allocator});
    return;
  }
  if (!device) return;
  save_pipeline_cache();
  vk.vkDeviceWaitIdle(device);  // a lost device says so here; there is nothing to be done about it
  recorders.clear();
  staging_commands.reset();
  if (staging) vmaDestroyBuffer(allocator, staging, staging_allocation);
  if (pipeline_cache) vk.vkDestroyPipelineCache(device, pipeline_cache, nullptr);
  if (allocator) vmaDestroyAllocator(allocator);
  vk.vkDestroyDevice(device, nullptr);
}

Result<Device> Device::open(const Instance& instance, std::string_view selector, const DeviceOptions& options) {
  if (options.compile_only && instance.devices().size() > 1)
    return unsupported("its driver lists {} devices, so which one it compiles for is not known",
                       instance.devices().size());
  auto index = TRY(choose_device(instance.devices(), selector));
  auto state = std::make_shared<LogicalDevice>();
  state->instance = instance.state();
  state->info = instance.devices()[index];
  state->physical = instance.state()->physical[index];
  state->cache = FileCache(options.cache_dir);
  if (options.compile_only) {
    describe_compile_only(*options.compile_only, state->info);
    TRY(create_device(*state));
    return Device(std::move(state));
  }
  TRY(create_device(*state));
  TRY(create_allocator(*state));
  TRY(create_pipeline_cache(*state));
  Device device(std::move(state));
  device.state_->info.matrix_layout = TRY(probe_matrix_layout(device));
  return device;
}

const DeviceInfo& Device::info() const { return state_->info; }
bool Device::lost() const { return state_->lost || state_->abandoned; }

std::string Device::pci_address() const {
  const std::vector<std::string> has = device_extensions(state_->physical);
  if (!contains(has, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) return {};
  auto pci =
      vk_struct<VkPhysicalDevicePCIBusInfoPropertiesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  auto p = vk_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  p.pNext = &pci;
  vkGetPhysicalDeviceProperties2(state_->physical, &p);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
}

}  // namespace attnscope::vulkan
