// The optional features of a device by name, for DeviceInfo::features and a manifest's `features`.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

inline constexpr std::string_view kFeatureNames[] = {"bfloat16",
                                                     "buffer_device_address",
                                                     "coopmat",
                                                     "coopmat2_block_loads",
                                                     "coopmat2_conversions",
                                                     "coopmat2_flexible",
                                                     "coopmat2_per_element",
                                                     "coopmat2_reductions",
                                                     "coopmat2_tensor",
                                                     "coopmat2_workgroup",
                                                     "coopmat_bfloat16",
                                                     "denorm_flush_f16",
                                                     "denorm_flush_f32",
                                                     "denorm_flush_f64",
                                                     "denorm_preserve_f16",
                                                     "denorm_preserve_f32",
                                                     "denorm_preserve_f64",
                                                     "float64",
                                                     "int16",
                                                     "int64",
                                                     "int8",
                                                     "integer_dot_product",
                                                     "nan_preserve_f16",
                                                     "nan_preserve_f32",
                                                     "nan_preserve_f64",
                                                     "pipeline_statistics",
                                                     "round_to_even_f16",
                                                     "round_to_even_f32",
                                                     "round_to_even_f64",
                                                     "round_to_zero_f16",
                                                     "round_to_zero_f32",
                                                     "round_to_zero_f64",
                                                     "shader_f16",
                                                     "shared_explicit_layout",
                                                     "storage_16bit",
                                                     "storage_8bit",
                                                     "subgroup_arithmetic",
                                                     "subgroup_ballot",
                                                     "subgroup_clustered",
                                                     "subgroup_quad",
                                                     "subgroup_shuffle",
                                                     "subgroup_size_control",
                                                     "subgroup_vote",
                                                     "vulkan_memory_model"};
constexpr bool is_feature(std::string_view name) { return contains(kFeatureNames, name); }

}  // namespace attnscope
