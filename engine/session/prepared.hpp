// A plan made ready to run: its pipelines, its scratch memory, and what its results are judged by.
#pragma once

#include <vector>

#include "engine/session/workload.hpp"
#include "engine/variant/plan.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

struct Prepared {
  vulkan::Execution execution;
  std::vector<GuardedBuffer> scratch;
  /// Fingerprints of what was judged first, and of what the changed inputs gave first.
  std::optional<uint64_t> output{}, changed_output{};
  References references{};  ///< that it was judged by
};

/// Of the plan's passes, in order; all that takes a compiler.
Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device&, const Plan&, bool sliceable);
/// Bound to the inputs, in the forms that the plan wants, with scratch memory of its own.
Result<Prepared> prepare(const vulkan::Device&, const Plan&, const std::vector<vulkan::Pipeline>&, Workload&,
                         const vulkan::Wait&);

}  // namespace attnscope
