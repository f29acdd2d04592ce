// The optional Vulkan features that this program knows: asked for, named, and enabled where they exist. Internal.
#pragma once

#include <volk.h>

#include "engine/standard.hpp"

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

/// A chain of feature structures for one device. Not copyable, since it points into itself.
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

  explicit FeatureChain(const std::vector<std::string>& device_extensions);
  FeatureChain& operator=(FeatureChain&&) = delete;

  void query(VkPhysicalDevice);
  /// Turns off what this program does not use (robust buffer access above all: it costs time and is optional).
  void keep_used();
};

}  // namespace attnscope::vulkan
