// The optional features of a device: one table for DeviceInfo::features, a manifest's `features` and what is exported.
#pragma once

#include "engine/standard.hpp"

/// In the order of DeviceInfo::features. SWITCH(name, structure, member): a member of one of FeatureChain's structures
/// (engine/vulkan/state.hpp), which an exported example has too and turns on; BOTH_OF: two members. SUBGROUP:
/// operations of subgroups in compute shaders. OTHER(name, condition): what no variant switches on.
#define ATTNSCOPE_FEATURES(SWITCH, BOTH_OF, SUBGROUP, OTHER)                                             \
  SWITCH(storage_16bit, v11, storageBuffer16BitAccess)                                                   \
  SWITCH(storage_8bit, v12, storageBuffer8BitAccess)                                                     \
  SWITCH(shader_f16, v12, shaderFloat16)                                                                 \
  SWITCH(int8, v12, shaderInt8)                                                                          \
  SWITCH(int16, core.features, shaderInt16)                                                              \
  SWITCH(int64, core.features, shaderInt64)                                                              \
  SWITCH(float64, core.features, shaderFloat64)                                                          \
  SWITCH(bfloat16, bfloat16, shaderBFloat16Type)                                                         \
  SUBGROUP(subgroup_vote, VK_SUBGROUP_FEATURE_VOTE_BIT)                                                  \
  SUBGROUP(subgroup_ballot, VK_SUBGROUP_FEATURE_BALLOT_BIT)                                              \
  SUBGROUP(subgroup_arithmetic, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)                                      \
  SUBGROUP(subgroup_shuffle, VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT) \
  SUBGROUP(subgroup_clustered, VK_SUBGROUP_FEATURE_CLUSTERED_BIT)                                        \
  SUBGROUP(subgroup_quad, VK_SUBGROUP_FEATURE_QUAD_BIT)                                                  \
  BOTH_OF(subgroup_size_control, v13, subgroupSizeControl, computeFullSubgroups)                         \
  SWITCH(integer_dot_product, v13, shaderIntegerDotProduct)                                              \
  BOTH_OF(vulkan_memory_model, v12, vulkanMemoryModel, vulkanMemoryModelDeviceScope)                     \
  SWITCH(buffer_device_address, v12, bufferDeviceAddress)                                                \
  OTHER(shared_explicit_layout, f.shared_layout.workgroupMemoryExplicitLayout != 0 &&                    \
                                    f.shared_layout.workgroupMemoryExplicitLayout16BitAccess != 0)       \
  OTHER(denorm_preserve_f16, p12.shaderDenormPreserveFloat16)                                            \
  OTHER(denorm_preserve_f32, p12.shaderDenormPreserveFloat32)                                            \
  OTHER(denorm_preserve_f64, p12.shaderDenormPreserveFloat64)                                            \
  OTHER(denorm_flush_f16, p12.shaderDenormFlushToZeroFloat16)                                            \
  OTHER(denorm_flush_f32, p12.shaderDenormFlushToZeroFloat32)                                            \
  OTHER(denorm_flush_f64, p12.shaderDenormFlushToZeroFloat64)                                            \
  OTHER(nan_preserve_f16, p12.shaderSignedZeroInfNanPreserveFloat16)                                     \
  OTHER(nan_preserve_f32, p12.shaderSignedZeroInfNanPreserveFloat32)                                     \
  OTHER(nan_preserve_f64, p12.shaderSignedZeroInfNanPreserveFloat64)                                     \
  OTHER(round_to_even_f16, p12.shaderRoundingModeRTEFloat16)                                             \
  OTHER(round_to_even_f32, p12.shaderRoundingModeRTEFloat32)                                             \
  OTHER(round_to_even_f64, p12.shaderRoundingModeRTEFloat64)                                             \
  OTHER(round_to_zero_f16, p12.shaderRoundingModeRTZFloat16)                                             \
  OTHER(round_to_zero_f32, p12.shaderRoundingModeRTZFloat32)                                             \
  OTHER(round_to_zero_f64, p12.shaderRoundingModeRTZFloat64)                                             \
  OTHER(pipeline_statistics, f.executable.pipelineExecutableInfo)                                        \
  SWITCH(coopmat, coopmat, cooperativeMatrix)                                                            \
  SWITCH(coopmat_bfloat16, bfloat16, shaderBFloat16CooperativeMatrix)                                    \
  SWITCH(coopmat2_workgroup, coopmat2, cooperativeMatrixWorkgroupScope)                                  \
  SWITCH(coopmat2_flexible, coopmat2, cooperativeMatrixFlexibleDimensions)                               \
  SWITCH(coopmat2_reductions, coopmat2, cooperativeMatrixReductions)                                     \
  SWITCH(coopmat2_conversions, coopmat2, cooperativeMatrixConversions)                                   \
  SWITCH(coopmat2_per_element, coopmat2, cooperativeMatrixPerElementOperations)                          \
  SWITCH(coopmat2_tensor, coopmat2, cooperativeMatrixTensorAddressing)                                   \
  SWITCH(coopmat2_block_loads, coopmat2, cooperativeMatrixBlockLoads)

namespace attnscope {

/// Sorted.
inline constexpr auto kFeatureNames = [] {
#define ATTNSCOPE_NAME(name, ...) std::string_view(#name),
  std::array names{ATTNSCOPE_FEATURES(ATTNSCOPE_NAME, ATTNSCOPE_NAME, ATTNSCOPE_NAME, ATTNSCOPE_NAME)};
#undef ATTNSCOPE_NAME
  std::ranges::sort(names);
  return names;
}();

}  // namespace attnscope
