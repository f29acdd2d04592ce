#include "engine/vulkan/features.hpp"

#include <algorithm>

namespace attnscope::vulkan {

FeatureChain::FeatureChain(const std::vector<std::string>& device_extensions) {
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
    if (std::ranges::find(device_extensions, name) == device_extensions.end()) return;
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
  if (std::ranges::find(device_extensions, kPortabilitySubset) != device_extensions.end())
    extensions.push_back(kPortabilitySubset);
}

void FeatureChain::query(VkPhysicalDevice physical) { vkGetPhysicalDeviceFeatures2(physical, &core); }

void FeatureChain::keep_used() {
  const VkPhysicalDeviceFeatures all = core.features;
  core.features = {};
  core.features.shaderInt16 = all.shaderInt16;
  core.features.shaderInt64 = all.shaderInt64;
  core.features.shaderFloat64 = all.shaderFloat64;

  void* next = v11.pNext;
  const auto all11 = v11;
  v11 = {};
  v11.sType = all11.sType;
  v11.pNext = next;
  v11.storageBuffer16BitAccess = all11.storageBuffer16BitAccess;
  v11.uniformAndStorageBuffer16BitAccess = all11.uniformAndStorageBuffer16BitAccess;

  next = v12.pNext;
  const auto all12 = v12;
  v12 = {};
  v12.sType = all12.sType;
  v12.pNext = next;
  v12.storageBuffer8BitAccess = all12.storageBuffer8BitAccess;
  v12.uniformAndStorageBuffer8BitAccess = all12.uniformAndStorageBuffer8BitAccess;
  v12.shaderFloat16 = all12.shaderFloat16;
  v12.shaderInt8 = all12.shaderInt8;
  v12.scalarBlockLayout = all12.scalarBlockLayout;
  v12.shaderSubgroupExtendedTypes = all12.shaderSubgroupExtendedTypes;
  v12.bufferDeviceAddress = all12.bufferDeviceAddress;
  v12.vulkanMemoryModel = all12.vulkanMemoryModel;
  v12.vulkanMemoryModelDeviceScope = all12.vulkanMemoryModelDeviceScope;

  next = v13.pNext;
  const auto all13 = v13;
  v13 = {};
  v13.sType = all13.sType;
  v13.pNext = next;
  v13.subgroupSizeControl = all13.subgroupSizeControl;
  v13.computeFullSubgroups = all13.computeFullSubgroups;
  v13.synchronization2 = all13.synchronization2;
  v13.maintenance4 = all13.maintenance4;
  v13.shaderIntegerDotProduct = all13.shaderIntegerDotProduct;
  v13.shaderZeroInitializeWorkgroupMemory = all13.shaderZeroInitializeWorkgroupMemory;

  coopmat.cooperativeMatrixRobustBufferAccess = VK_FALSE;
}

}  // namespace attnscope::vulkan
