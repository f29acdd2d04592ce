#include "engine/vulkan/features.hpp"

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

namespace {

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
