// This program's names of device features, and Vulkan's.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// How Vulkan calls one of DeviceInfo::features.
struct VulkanFeature {
  std::string name;                  ///< as DeviceInfo has it
  std::string structure;             ///< field of the exported example's chain: "v11"; "" = a property of subgroups
  std::vector<std::string> members;  ///< of the structure that have to be true; or VkSubgroupFeatureFlagBits
  std::string extension;             ///< "" = core
};
/// nullptr for what no variant switches on.
const VulkanFeature* vulkan_feature(const std::string& name);

}  // namespace attnscope
