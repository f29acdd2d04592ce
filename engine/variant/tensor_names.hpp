// What the forms of tensors mean to a manifest's expressions.
#pragma once

#include "engine/variant/expression.hpp"
#include "engine/variant/tensor_slots.hpp"

namespace attnscope {

/// Forms of a problem's tensors as the manifest wants them; the error names the tensor that cannot be had so.
Result<TensorForms> tensor_forms(const Manifest&, const Problem&, const Names& of_problem);

/// problem_names(), with strides as the forms have them, and where the manifest speaks of tensors also in bytes:
/// q_bytes (of an element) q_batch_bytes q_head_bytes q_row_bytes and so on.
Names variant_names(const Manifest&, const Problem&, const DeviceInfo&);

}  // namespace attnscope
