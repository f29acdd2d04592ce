// Tensors in the form that a kernel written for another engine wants: made on the device from those of the problem, and
// its output brought back, so that all that is judged is of the problem's own form.
#pragma once

#include <optional>

#include "engine/session/guarded_buffer.hpp"
#include "engine/variant/tensor_slots.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope {

/// Another copy of a tensor, or of some in one buffer.
struct FormedTensor {
  uint32_t binding = 0;  ///< a Binding: whose buffer it is
  TensorForms forms;     ///< of all that lie in it
  GuardedBuffer buffer;
  std::optional<uint64_t> fingerprint{};  ///< of an input, as it was made
};

/// A tensor from one form into another, exactly where the other can hold it, else rounded to nearest even. The NaN that
/// marks what nothing has written stays that NaN.
Result<void> convert(vulkan::Kernels&, const Problem&, uint32_t binding, const GuardedBuffer& from,
                     const TensorForm& from_form, const GuardedBuffer& to, const TensorForm& to_form,
                     const vulkan::Wait&);

struct Workload;
struct Plan;

/// The forms that a plan wants, made where they are not there yet.
Result<void> need_forms(const Plan&, Workload&, const vulkan::Wait&);
/// The forms of the inputs made again, of inputs that have changed.
Result<void> refresh_forms(Workload&, const vulkan::Wait&);
/// The tensor as the plan's passes have it.
const GuardedBuffer& tensor_for(const Plan&, const Workload&, uint32_t binding);
/// After an execution: O in the problem's own form, for whoever reads it.
Result<void> bring_home(const Plan&, Workload&, const vulkan::Wait&);

}  // namespace attnscope
