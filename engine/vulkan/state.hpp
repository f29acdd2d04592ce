// The objects behind the public handles of this module. Internal: the only header here that includes Vulkan.
#pragma once

#include <volk.h>

#include <vk_mem_alloc.h>

#include <condition_variable>
#include <mutex>

#include "engine/clock.hpp"
#include "engine/shader/file_cache.hpp"
#include "engine/vulkan/buffer.hpp"
#include "engine/vulkan/pipeline.hpp"

// Newer than the headers that the build may have; the names and numbers are the registry's.
#ifndef VK_KHR_shader_bfloat16
#define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME "VK_KHR_shader_bfloat16"
constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR =
    static_cast<VkStructureType>(1000141000);
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_BFLOAT16_KHR = static_cast<VkComponentTypeKHR>(1000141000);
struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderBFloat16Type;
  VkBool32 shaderBFloat16DotProduct;
  VkBool32 shaderBFloat16CooperativeMatrix;
};
#endif

namespace attnscope::vulkan {

/// A Vulkan structure, all zero but for its type.
template <class T>
T vk_struct(VkStructureType type) {
  T out{};
  out.sType = type;
  return out;
}

/// What a call lists by a count and an array, of which each begins as `each`; and what the call returned.
template <class T, class Call>
std::pair<VkResult, std::vector<T>> list_of(const Call& call, const T& each = {}) {
  uint32_t count = 0;
  VkResult result = call(&count, nullptr);
  std::vector<T> all(count, each);
  if (result == VK_SUCCESS) result = call(&count, all.data());
  all.resize(count);
  return {result, std::move(all)};
}

/// `doing`: what was tried, as in "creating the device".
Error vulkan_error(VkResult, std::string_view doing);

struct InstanceState {
  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  bool validation = false, timed = true;
  std::vector<VkPhysicalDevice> physical;  ///< parallel to devices
  std::vector<DeviceInfo> devices;
  std::mutex mutex;
  std::vector<std::string> messages;

  ~InstanceState();
};

/// A command buffer with its pool and fence, for one thread at a time.
class Commands {
 public:
  static Result<std::unique_ptr<Commands>> create(LogicalDevice&);
  ~Commands();
  Commands& operator=(Commands&&) = delete;
  /// Starts anew, with a full barrier against everything submitted before.
  Result<VkCommandBuffer> begin();
  Result<void> submit_and_wait(const Wait&);

 private:
  explicit Commands(LogicalDevice& device) : device_(device) {}
  LogicalDevice& device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

struct Access {
  VkPipelineStageFlags2 stage;
  VkAccessFlags2 access;
};
void barrier(const LogicalDevice&, VkCommandBuffer, const Access& before, const Access& after);
/// Every earlier command and its memory before every later one.
void full_barrier(const LogicalDevice&, VkCommandBuffer);

struct Recorder {
  explicit Recorder(LogicalDevice& d) : device(d) {}
  ~Recorder();
  LogicalDevice& device;
  std::unique_ptr<Commands> commands;
  VkQueryPool queries = VK_NULL_HANDLE;
};

struct LogicalDevice {
  std::shared_ptr<InstanceState> instance;
  DeviceInfo info;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  VmaAllocator allocator = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex queue_mutex;
  std::atomic<bool> lost{false};
  /// A submit timed out: the driver may still use every object, so nothing may be destroyed any more.
  std::atomic<bool> abandoned{false};

  FileCache cache{{}};
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  std::mutex cache_mutex;
  std::mutex compiling_mutex;
  std::set<std::string> compiling;  ///< hashes of requests: who asks for the same waits, and finds it in the cache
  std::condition_variable compiled;
  Clock::time_point cache_saved;
  Clock::duration cache_saving{};  ///< what it took the last time

  std::mutex staging_mutex;  ///< over the three below
  VkBuffer staging = VK_NULL_HANDLE;
  VmaAllocation staging_allocation = VK_NULL_HANDLE;
  VmaAllocationInfo staging_info{};
  std::unique_ptr<Commands> staging_commands;

  std::mutex recorders_mutex;
  std::vector<std::unique_ptr<Recorder>> recorders;  ///< not in use: a search makes thousands of executions

  ~LogicalDevice();
  /// vulkan_error, remembering a lost device.
  Error error(VkResult, std::string_view doing);
  Result<void> check(VkResult result, std::string_view doing) {
    return result == VK_SUCCESS ? Result<void>() : error(result, doing);
  }
  /// When the device is closed, and now and then as pipelines are made.
  void save_pipeline_cache();
};

struct BufferState {
  std::shared_ptr<LogicalDevice> device;
  VkBuffer buffer = VK_NULL_HANDLE;
  VmaAllocation allocation = VK_NULL_HANDLE;
  uint64_t bytes = 0;

  BufferState& operator=(BufferState&&) = delete;
  ~BufferState();
};

struct PipelineState {
  std::shared_ptr<LogicalDevice> device;
  std::string name;
  Reflection reflection;
  ModuleFacts facts;
  bool sliceable = false;
  std::vector<VkDescriptorSetLayout> set_layouts;  ///< one a set, from set 0 on
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::map<uint32_t, VkDescriptorType> buffers() const {
    std::map<uint32_t, VkDescriptorType> out;
    for (const uint32_t place : reflection.storage_bindings) out[place] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    for (const auto& [place, block] : reflection.uniforms) out[place] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    return out;
  }

  PipelineState& operator=(PipelineState&&) = delete;
  ~PipelineState();
};

/// The optional features that this program knows, as a chain of structures for one device. It points into itself.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR coopmat{};
  VkPhysicalDeviceCooperativeMatrix2FeaturesNV coopmat2{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable{};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_layout{};
  std::vector<const char*> extensions;  ///< those that are linked in

  /// As the device has them.
  FeatureChain(VkPhysicalDevice, const std::vector<std::string>& device_extensions);
  FeatureChain& operator=(FeatureChain&&) = delete;

  /// Turns off what this program does not use (robust buffer access above all: it costs time and is optional).
  void keep_used();
};

/// Fills in everything of DeviceInfo but its index. `timed`: what cannot time is unsuitable.
DeviceInfo query_device(VkPhysicalDevice, bool timed = true);
struct QueueFamily {
  uint32_t index, timestamp_bits;
};
/// The first compute queue family, with timestamps unless nothing will be timed; nullopt when there is none.
std::optional<QueueFamily> find_compute_family(VkPhysicalDevice, bool timestamps = true);
std::vector<std::string> device_extensions(VkPhysicalDevice);
/// Cores that work, of the structures that the device has, the others all zero; 0 when none tells.
uint32_t count_cores(const VkPhysicalDeviceShaderSMBuiltinsPropertiesNV&,
                     const VkPhysicalDeviceShaderCorePropertiesAMD&, const VkPhysicalDeviceShaderCoreProperties2AMD&);

}  // namespace attnscope::vulkan
