// TrialRunner: a variant's configs on one problem, each verified over all of its output and timed until it is surely
// slower than the best or known well enough.
#pragma once

#include <optional>

#include "engine/session/ahead.hpp"
#include "engine/session/device_reference.hpp"
#include "engine/session/events.hpp"
#include "engine/session/fingerprint.hpp"
#include "engine/session/judge.hpp"
#include "engine/session/workload.hpp"

namespace attnscope {

class TrialRunner {
 public:
  TrialRunner(const vulkan::Device& device, WorkloadCache& workloads, Judge& judge)
      : device_(device), workloads_(workloads), judge_(judge) {}

  Result<TrialsReport> run(const Variant&, const TrialsRequest&, Compiler&, EventStream&,
                           const std::atomic<bool>& cancel);

 private:
  /// What candidates of one precision are held against.
  struct Yardstick {
    Precision precision;
    std::shared_ptr<const Reference> rows{};   ///< by the CPU
    std::optional<vulkan::Buffer> elements{};  ///< every element, by the device; absent where that takes too long
    double allowed = 0;                        ///< of an element's error against `elements`
  };
  Result<void> need_tools(const vulkan::Wait&);
  Result<Yardstick> yardstick(Workload&, const Precision&, EventStream&, const vulkan::Wait&);
  Result<void> try_one(const Candidate&, const TrialsRequest&, Workload&, EventStream&, const vulkan::Wait&,
                       double best_ns, Trial&, TrialsReport&);
  /// "" when every element is near enough to the reference, else which is not.
  Result<std::string> wrong(const Workload&, const Yardstick&, const vulkan::Wait&) const;

  vulkan::Device device_;
  WorkloadCache& workloads_;
  Judge& judge_;
  std::optional<Fingerprint> fingerprint_;
  std::optional<DeviceReference> reference_;
  std::vector<Yardstick> yardsticks_;  ///< of the problem at hand, by precision
};

}  // namespace attnscope
