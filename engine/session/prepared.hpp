// A plan ready to run: its pipelines, scratch memory and references.
#pragma once

#include <vector>

#include "engine/session/workload.hpp"
#include "engine/variant/plan.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

struct PreparedPlan {
  vulkan::Execution execution;
  std::vector<GuardedBuffer> scratch;
  /// Fingerprints of what was judged first, and of what the changed inputs gave first.
  std::optional<uint64_t> output{}, changed_output{};
  References references{};  ///< that it was judged by
};

/// The pipelines of the plan's passes, in order; this part takes a compiler.
Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device&, const Plan&, bool sliceable);
/// Bound to the inputs, in the forms that the plan wants, with scratch memory of its own.
Result<PreparedPlan> prepare(const Plan&, const std::vector<vulkan::Pipeline>&, Workload&, const vulkan::Wait&);

}  // namespace attnscope
