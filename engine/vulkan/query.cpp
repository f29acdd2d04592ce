// Makes a DeviceInfo of a physical device.

#include "engine/feature_names.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

std::string component_name(VkComponentTypeKHR type) {
  switch (type) {
    case VK_COMPONENT_TYPE_FLOAT16_KHR: return "f16";
    case VK_COMPONENT_TYPE_FLOAT32_KHR: return "f32";
    case VK_COMPONENT_TYPE_FLOAT64_KHR: return "f64";
    case VK_COMPONENT_TYPE_SINT8_KHR: return "s8";
    case VK_COMPONENT_TYPE_SINT16_KHR: return "s16";
    case VK_COMPONENT_TYPE_SINT32_KHR: return "s32";
    case VK_COMPONENT_TYPE_SINT64_KHR: return "s64";
    case VK_COMPONENT_TYPE_UINT8_KHR: return "u8";
    case VK_COMPONENT_TYPE_UINT16_KHR: return "u16";
    case VK_COMPONENT_TYPE_UINT32_KHR: return "u32";
    case VK_COMPONENT_TYPE_UINT64_KHR: return "u64";
    case VK_COMPONENT_TYPE_FLOAT_E4M3_NV: return "e4m3";
    case VK_COMPONENT_TYPE_FLOAT_E5M2_NV: return "e5m2";
    default: return type == VK_COMPONENT_TYPE_BFLOAT16_KHR ? "bf16" : fmt::format("type_{}", int(type));
  }
}

std::string scope_name(VkScopeKHR scope) {
  return scope == VK_SCOPE_SUBGROUP_KHR    ? "subgroup"
         : scope == VK_SCOPE_WORKGROUP_KHR ? "workgroup"
         : scope == VK_SCOPE_DEVICE_KHR    ? "device"
                                           : fmt::format("scope_{}", int(scope));
}

DeviceType type_of(VkPhysicalDeviceType type) {
  return type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU     ? DeviceType::discrete_gpu
         : type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ? DeviceType::integrated_gpu
         : type == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU    ? DeviceType::virtual_gpu
         : type == VK_PHYSICAL_DEVICE_TYPE_CPU            ? DeviceType::software
                                                          : DeviceType::other;
}

void query_shapes(VkPhysicalDevice physical, DeviceInfo& info) {
  if (!info.has("coopmat") || !vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR) return;
  const auto [result, rows] =
      list_of([&](auto... list) { return vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, list...); },
              vk_struct<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR));
  if (result != VK_SUCCESS) return;
  for (const auto& r : rows) {
    MatrixShape shape{r.MSize,
                      r.NSize,
                      r.KSize,
                      component_name(r.AType),
                      component_name(r.BType),
                      component_name(r.CType),
                      component_name(r.ResultType),
                      scope_name(r.scope)};
    // Those that differ only in saturation are one to us.
    if (!contains(info.matrix_shapes, shape)) info.matrix_shapes.push_back(std::move(shape));
  }
}

std::vector<std::string> feature_names(const FeatureChain& f, const VkPhysicalDeviceVulkan11Properties& p11,
                                       const VkPhysicalDeviceVulkan12Properties& p12,
                                       const VkPhysicalDeviceVulkan13Properties& p13) {
  std::vector<std::string> names;
  const auto subgroup = [&](VkSubgroupFeatureFlags wanted) {
    return (p11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (p11.subgroupSupportedOperations & wanted) == wanted;
  };
#define ATTNSCOPE_IF(name, condition) \
  if (condition) names.emplace_back(#name);
#define ATTNSCOPE_SWITCH(name, structure, member) ATTNSCOPE_IF(name, f.structure.member)
#define ATTNSCOPE_BOTH_OF(name, structure, a, b) ATTNSCOPE_IF(name, f.structure.a != 0 && f.structure.b != 0)
#define ATTNSCOPE_SUBGROUP(name, bits) ATTNSCOPE_IF(name, subgroup(bits))
  ATTNSCOPE_FEATURES(ATTNSCOPE_SWITCH, ATTNSCOPE_BOTH_OF, ATTNSCOPE_SUBGROUP, ATTNSCOPE_IF)
  // The size has to be one that a compute shader may ask for.
  if (!(p13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT)) std::erase(names, "subgroup_size_control");
  return names;
}

void query_limits(VkPhysicalDevice physical, const std::vector<std::string>& extensions, DeviceInfo& info) {
  auto p = vk_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  auto p11 = vk_struct<VkPhysicalDeviceVulkan11Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
  auto p12 = vk_struct<VkPhysicalDeviceVulkan12Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  auto p13 = vk_struct<VkPhysicalDeviceVulkan13Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
  auto sm = vk_struct<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
  auto amd =
      vk_struct<VkPhysicalDeviceShaderCorePropertiesAMD>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
  auto amd2 = vk_struct<VkPhysicalDeviceShaderCoreProperties2AMD>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD);
  auto coopmat2 = vk_struct<VkPhysicalDeviceCooperativeMatrix2PropertiesNV>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV);
  p.pNext = &p11;
  p11.pNext = &p12;
  p12.pNext = &p13;
  void** tail = &p13.pNext;
  const auto link = [&](const char* name, auto& properties) {
    if (!contains(extensions, name)) return;
    *tail = &properties;
    tail = &properties.pNext;
  };
  link(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, sm);
  link(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME, amd);
  link(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME, amd2);
  link(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, coopmat2);
  vkGetPhysicalDeviceProperties2(physical, &p);
  for (const uint8_t byte : p11.deviceUUID) info.device_uuid += fmt::format("{:02x}", byte);

  const FeatureChain features(physical, extensions);
  info.features = feature_names(features, p11, p12, p13);
  info.driver_id = p12.driverID;
  info.driver = fmt::format("{} {}", p12.driverName, p12.driverInfo);
  const VkPhysicalDeviceLimits& l = p.properties.limits;
  DeviceLimits& out = info.limits;
  out.max_shared_bytes = l.maxComputeSharedMemorySize;
  out.max_workgroup_invocations = l.maxComputeWorkGroupInvocations;
  std::copy_n(l.maxComputeWorkGroupSize, 3, out.max_workgroup_size.begin());
  std::copy_n(l.maxComputeWorkGroupCount, 3, out.max_workgroup_count.begin());
  out.max_storage_buffer_bytes = l.maxStorageBufferRange;
  out.max_allocation_bytes = p11.maxMemoryAllocationSize;
  out.max_push_constant_bytes = l.maxPushConstantsSize;
  out.max_storage_buffers =
      std::min({l.maxPerStageDescriptorStorageBuffers, l.maxDescriptorSetStorageBuffers, l.maxPerStageResources});
  out.max_workgroup_subgroups = p13.maxComputeWorkgroupSubgroups;
  out.subgroup_size = p11.subgroupSize;
  out.min_subgroup_size = p13.minSubgroupSize ? p13.minSubgroupSize : p11.subgroupSize;
  out.max_subgroup_size = p13.maxSubgroupSize ? p13.maxSubgroupSize : p11.subgroupSize;
  out.timestamp_period_ns = double(l.timestampPeriod);
  out.core_count = count_cores(sm, amd, amd2);
  out.warps_per_core = sm.shaderWarpsPerSM ? sm.shaderWarpsPerSM : amd.simdPerComputeUnit * amd.wavefrontsPerSimd;
  out.coopmat2_reserved_shared_bytes = coopmat2.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
}

/// Turns off all but these. Keeps the structure's type and place in the chain.
template <class Features>
void keep(Features& features, std::initializer_list<VkBool32 Features::*> used) {
  Features kept{};
  kept.sType = features.sType;
  kept.pNext = features.pNext;
  for (const auto feature : used) kept.*feature = features.*feature;
  features = kept;
}

}  // namespace

uint32_t count_cores(const VkPhysicalDeviceShaderSMBuiltinsPropertiesNV& sm,
                     const VkPhysicalDeviceShaderCorePropertiesAMD& amd,
                     const VkPhysicalDeviceShaderCoreProperties2AMD& amd2) {
  if (sm.shaderSMCount) return sm.shaderSMCount;
  // The product counts what the chip was designed with; units that were turned off are in it.
  if (amd2.activeComputeUnitCount) return amd2.activeComputeUnitCount;
  return amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
}

std::vector<std::string> device_extensions(VkPhysicalDevice physical) {
  const auto [result, all] = list_of<VkExtensionProperties>(
      [&](auto... list) { return vkEnumerateDeviceExtensionProperties(physical, nullptr, list...); });
  if (result != VK_SUCCESS) return {};
  return mapped(all, [](const auto& e) { return std::string(e.extensionName); });
}

std::optional<QueueFamily> find_compute_family(VkPhysicalDevice physical, bool timestamps) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) && (!timestamps || families[i].timestampValidBits > 0))
      return QueueFamily{i, families[i].timestampValidBits};
  return std::nullopt;
}

DeviceInfo query_device(VkPhysicalDevice physical, bool timed) {
  VkPhysicalDeviceProperties p{};
  vkGetPhysicalDeviceProperties(physical, &p);
  DeviceInfo info;
  info.name = p.deviceName;
  info.type = type_of(p.deviceType);
  info.vendor_id = p.vendorID;
  info.device_id = p.deviceID;
  info.api_version = fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(p.apiVersion), VK_API_VERSION_MINOR(p.apiVersion),
                                 VK_API_VERSION_PATCH(p.apiVersion));
  for (uint8_t byte : p.pipelineCacheUUID) info.pipeline_uuid += fmt::format("{:02x}", byte);

  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.limits.device_memory_bytes = std::max<uint64_t>(info.limits.device_memory_bytes, memory.memoryHeaps[i].size);

  if (p.apiVersion < VK_API_VERSION_1_3) {
    info.driver = fmt::format("version {:#x}", p.driverVersion);
    info.unsuitable = fmt::format("it has Vulkan {}, and 1.3 is needed; a newer driver may have it", info.api_version);
    return info;
  }
  query_limits(physical, device_extensions(physical), info);
  query_shapes(physical, info);
  if (!timed) return info;
  if (const auto family = find_compute_family(physical))
    info.limits.timestamp_valid_bits = family->timestamp_bits;
  else
    info.unsuitable = "it has no compute queue with timestamps, which timing needs";
  if (info.unsuitable.empty() && info.limits.timestamp_period_ns <= 0)
    info.unsuitable = "it reports a timestamp period of 0, so nothing can be timed";
  if (info.unsuitable.empty() && info.limits.device_memory_bytes == 0)
    info.unsuitable = "its driver has no hardware (0 B of memory): attnscope compile is for such GPUs";
  return info;
}

FeatureChain::FeatureChain(VkPhysicalDevice physical, const std::vector<std::string>& device_extensions) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  coopmat.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  coopmat2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;
  executable.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  bfloat16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR;
  shared_layout.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR;

  core.pNext = &v11;
  v11.pNext = &v12;
  v12.pNext = &v13;
  void** tail = &v13.pNext;
  const auto link = [&](const char* name, auto& features) {
    if (!contains(device_extensions, name)) return;
    extensions.push_back(name);
    *tail = &features;
    tail = &features.pNext;
  };
  link(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, coopmat);
  link(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, coopmat2);
  link(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, executable);
  link(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, bfloat16);
  link(VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME, shared_layout);
  // A driver that has it demands it (MoltenVK). What it may lack (events, samplers, vertices) is not used here.
  constexpr const char* kPortabilitySubset = "VK_KHR_portability_subset";
  if (contains(device_extensions, kPortabilitySubset)) extensions.push_back(kPortabilitySubset);
  vkGetPhysicalDeviceFeatures2(physical, &core);
}

void FeatureChain::keep_used() {
  const VkPhysicalDeviceFeatures all = core.features;
  core.features = {};
  core.features.shaderInt16 = all.shaderInt16;
  core.features.shaderInt64 = all.shaderInt64;
  core.features.shaderFloat64 = all.shaderFloat64;
  using V11 = VkPhysicalDeviceVulkan11Features;
  keep(v11, {&V11::storageBuffer16BitAccess, &V11::uniformAndStorageBuffer16BitAccess});
  using V12 = VkPhysicalDeviceVulkan12Features;
  keep(v12, {&V12::storageBuffer8BitAccess, &V12::uniformAndStorageBuffer8BitAccess, &V12::shaderFloat16,
             &V12::shaderInt8, &V12::scalarBlockLayout, &V12::shaderSubgroupExtendedTypes, &V12::bufferDeviceAddress,
             &V12::vulkanMemoryModel, &V12::vulkanMemoryModelDeviceScope});
  using V13 = VkPhysicalDeviceVulkan13Features;
  keep(v13, {&V13::subgroupSizeControl, &V13::computeFullSubgroups, &V13::synchronization2, &V13::maintenance4,
             &V13::shaderIntegerDotProduct, &V13::shaderZeroInitializeWorkgroupMemory});
  coopmat.cooperativeMatrixRobustBufferAccess = VK_FALSE;
}

}  // namespace attnscope::vulkan
