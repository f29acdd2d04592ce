#include "engine/shader/vulkan_feature.hpp"

namespace attnscope {

const VulkanFeature* vulkan_feature(const std::string& name) {
  constexpr const char *matrix = "VK_KHR_cooperative_matrix", *matrix2 = "VK_NV_cooperative_matrix2";
  static const std::array<VulkanFeature, 27> all{{
      {"storage_16bit", "v11", {"storageBuffer16BitAccess"}, ""},
      {"storage_8bit", "v12", {"storageBuffer8BitAccess"}, ""},
      {"shader_f16", "v12", {"shaderFloat16"}, ""},
      {"int8", "v12", {"shaderInt8"}, ""},
      {"int16", "core.features", {"shaderInt16"}, ""},
      {"int64", "core.features", {"shaderInt64"}, ""},
      {"float64", "core.features", {"shaderFloat64"}, ""},
      {"bfloat16", "bfloat16", {"shaderBFloat16Type"}, "VK_KHR_shader_bfloat16"},
      {"subgroup_vote", "", {"VK_SUBGROUP_FEATURE_VOTE_BIT"}, ""},
      {"subgroup_ballot", "", {"VK_SUBGROUP_FEATURE_BALLOT_BIT"}, ""},
      {"subgroup_arithmetic", "", {"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"}, ""},
      {"subgroup_shuffle", "", {"VK_SUBGROUP_FEATURE_SHUFFLE_BIT", "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT"}, ""},
      {"subgroup_clustered", "", {"VK_SUBGROUP_FEATURE_CLUSTERED_BIT"}, ""},
      {"subgroup_quad", "", {"VK_SUBGROUP_FEATURE_QUAD_BIT"}, ""},
      {"subgroup_size_control", "v13", {"subgroupSizeControl", "computeFullSubgroups"}, ""},
      {"integer_dot_product", "v13", {"shaderIntegerDotProduct"}, ""},
      {"vulkan_memory_model", "v12", {"vulkanMemoryModel", "vulkanMemoryModelDeviceScope"}, ""},
      {"buffer_device_address", "v12", {"bufferDeviceAddress"}, ""},
      {"coopmat", "coopmat", {"cooperativeMatrix"}, matrix},
      {"coopmat_bfloat16", "bfloat16", {"shaderBFloat16CooperativeMatrix"}, "VK_KHR_shader_bfloat16"},
      {"coopmat2_workgroup", "coopmat2", {"cooperativeMatrixWorkgroupScope"}, matrix2},
      {"coopmat2_flexible", "coopmat2", {"cooperativeMatrixFlexibleDimensions"}, matrix2},
      {"coopmat2_reductions", "coopmat2", {"cooperativeMatrixReductions"}, matrix2},
      {"coopmat2_conversions", "coopmat2", {"cooperativeMatrixConversions"}, matrix2},
      {"coopmat2_per_element", "coopmat2", {"cooperativeMatrixPerElementOperations"}, matrix2},
      {"coopmat2_tensor", "coopmat2", {"cooperativeMatrixTensorAddressing"}, matrix2},
      {"coopmat2_block_loads", "coopmat2", {"cooperativeMatrixBlockLoads"}, matrix2},
  }};
  const auto it = std::ranges::find_if(all, [&](const VulkanFeature& f) { return f.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace attnscope
