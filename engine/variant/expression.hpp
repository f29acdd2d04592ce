// Arithmetic of manifests: muParser over named numbers.
#pragma once

#include <map>
#include <string>

#include "engine/attention/problem.hpp"
#include "engine/device_info.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// Names: batch heads_q heads_kv group seq_q seq_kv head_dim v_dim causal scale dtype_bytes dtype (0 f32, 1 f16, 2 bf16)
/// total_q total_kv varlen page_size, strides q_batch q_head q_row k_… v_… o_… (elements), device: subgroup_size
/// min_subgroup_size max_subgroup_size max_shared max_invocations core_count (1 when unknown); then every parameter and
/// spec constant of the pass by name. Functions: ceil_div(a,b) mod(a,b) min max floor ceil log2 pow2ceil(a) and
/// muParser's operators (&& || == != <= ?:).
using Names = std::map<std::string, double>;
Names problem_names(const Problem&, const DeviceInfo&);

/// The error quotes the expression, and lists the unknown name.
Result<double> evaluate(const std::string& expression, const Names&);
/// Replaces each {expression} in `text` by its value.
std::string fill_in(const std::string& text, const Names&);

}  // namespace attnscope
