// Workload: a problem's tensors on the device, and the references to judge results by; kept while memory allows.
#pragma once

#include <list>

#include "engine/session/guarded_buffer.hpp"

namespace attnscope {

struct Plan;

// Tensors in the form of another engine's kernel, made on the device; its output brought back to the own form.

/// Another copy of a tensor, or of some in one buffer.
struct FormedTensor {
  uint32_t binding = 0;  ///< a Binding: whose buffer it is
  TensorForms forms;     ///< of all that lie in it
  GuardedBuffer buffer;
  std::optional<uint64_t> fingerprint{};  ///< of an input, as it was made
};

/// A tensor from one form into another, rounded to nearest even; the NaN that marks the unwritten stays that NaN.
Result<void> convert(vulkan::Kernels&, const Problem&, uint32_t binding, const GuardedBuffer& from,
                     const TensorForm& from_form, const GuardedBuffer& to, const TensorForm& to_form,
                     const vulkan::Wait&);

/// The problem's own inputs; all of them changed; the first of parts_of_tensors() alone. The others follow.
enum class InputSet : uint8_t { own, changed, part };
inline constexpr size_t kInputSets = 15;

struct References {
  std::array<std::shared_ptr<const Reference>, kInputSets> of{};  ///< by InputSet; of the changed ones fewer rows
  std::vector<std::shared_ptr<const Reference>> extreme{};        ///< of each draw of extremes(); likewise
  const std::shared_ptr<const Reference>& operator[](InputSet set) const { return of[size_t(set)]; }
};

struct Workload {
  Problem problem;
  uint64_t seed = 0;
  std::vector<std::pair<uint32_t, GuardedBuffer>> buffers;  ///< by Binding; each fixed one, sinks and mask if any
  std::optional<Inputs> inputs;                             ///< on the host, unless they are large
  std::vector<References> references;                       ///< one for each precision asked so far
  std::vector<std::pair<uint32_t, uint64_t>> fingerprints;  ///< of what kernels must not change, by Binding

  std::vector<std::shared_ptr<const Extremes>> extremes{};  ///< by draw; where `inputs` are

  /// What change_inputs() makes of the inputs: drawn anew for each workload, so that no kernel can know them.
  uint32_t change_seed = 1;

  /// O in f32 by the device's own reference, and its error on the rows that the CPU has.
  struct DeviceResult {
    vulkan::Buffer o;
    double error = 0;
  };
  std::array<std::optional<DeviceResult>, kInputSets> computed;

  std::vector<FormedTensor> formed;          ///< copies in the forms that kernels asked for so far
  std::shared_ptr<vulkan::Kernels> kernels;  ///< of the engine's own, for what is done with these tensors

  const GuardedBuffer& buffer(uint32_t binding) const;
  /// Everything it holds, device and host.
  uint64_t bytes() const;
};

/// Least recently used go first when more than `budget` bytes are held; the one in use always stays.
class WorkloadCache {
 public:
  WorkloadCache(vulkan::Device device, uint64_t budget)
      : kernels_(std::make_shared<vulkan::Kernels>(std::move(device))), budget_(budget) {}
  /// Makes inputs and uploads them, while the GPU is kept warm.
  Result<std::shared_ptr<Workload>> get(const Problem&, uint64_t seed, const vulkan::Wait&);
  /// A kernel that writes where it must not may have changed the inputs: forget them.
  void forget(const std::shared_ptr<Workload>&);

 private:
  std::shared_ptr<vulkan::Kernels> kernels_;
  uint64_t budget_;
  std::list<std::shared_ptr<Workload>> entries_;  ///< most recent first
};

std::shared_ptr<const Extremes> extremes_of(const Workload&, uint32_t draw);
/// Computed at the first call; `own_only`: of the workload's own inputs at the least. Error: cancelled.
Result<References> references_of(Workload&, const Precision&, const Cancel& cancel, bool own_only = false);

/// The forms that a plan wants, made where they are not there yet.
Result<void> need_forms(const Plan&, Workload&, const vulkan::Wait&);
/// The forms of the inputs made again, of inputs that have changed.
Result<void> refresh_forms(Workload&, const vulkan::Wait&);
/// The tensor as the plan's passes have it.
const GuardedBuffer& tensor_for(const Plan&, const Workload&, uint32_t binding);
/// After an execution: O in the problem's own form, for whoever reads it.
Result<void> bring_home(const Plan&, Workload&, const vulkan::Wait&);

}  // namespace attnscope
