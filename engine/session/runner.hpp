// Runner: a planned request carried out on a device: compile, verify, warm up, sample, ask for resources.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "engine/session/events.hpp"
#include "engine/session/fingerprint.hpp"
#include "engine/session/trial_runner.hpp"
#include "engine/session/workload.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

class Runner {
 public:
  explicit Runner(vulkan::Device device);
  const vulkan::Device& device() const { return device_; }
  /// Completes `record`, made by make_record(). Refusals, failures and cancellation become its outcome.
  void run(const Plan&, const RunRequest&, EventStream&, const std::atomic<bool>& cancel, Record& record);

  Result<TrialsReport> trials(const Variant& variant, const TrialsRequest& request, Compiler& compiler,
                              EventStream& events, const std::atomic<bool>& cancel) {
    return trials_.run(variant, request, compiler, events, cancel);
  }

 private:
  struct Prepared;
  /// What came of it, with everything but the conclusion in `record`.
  Result<Outcome> carry_out(const Plan&, const RunRequest&, EventStream&, const std::atomic<bool>& cancel,
                            Record& record);
  Result<Prepared> prepare(const Plan&, const Workload&, bool sliceable, const vulkan::Wait&);
  /// Runs once and judges; nullopt without a verdict. The execution's time in ns.
  Result<double> verified_run(const Plan&, const RunRequest&, Prepared&, Workload&, EventStream&, const vulkan::Wait&,
                              Record& record);
  Result<Resources> resources_of(const Plan&, const std::string& shader_hash, EventStream&);

  /// What a kernel must leave alone, as it was uploaded; taken once, before anything ran on it.
  Result<void> take_fingerprints(Workload&, const vulkan::Wait&);
  /// "K" and so on: the inputs that are not any more what was uploaded; "" when all are.
  Result<std::string> changed_inputs(const Workload&, const vulkan::Wait&) const;
  /// Executes once more, on a poisoned output and with the scratch memory as it was left, and judges again unless the
  /// output is the same to the bit. `when` is for the reason: "Its second execution".
  Result<void> judge_again(const Plan&, const Prepared&, Workload&, const std::string& when, const vulkan::Wait&,
                           Record& record);
  /// Whether executions are as long on fresh scratch memory as on what an earlier one left there.
  Result<void> compare_with_fresh_scratch(const Prepared&, Workload&, const vulkan::Wait&, Record& record);

  vulkan::Device device_;
  std::optional<Fingerprint> fingerprint_;
  WorkloadCache workloads_;
  TrialRunner trials_;
  std::list<std::pair<std::string, Resources>> known_resources_;  ///< by plan, most recent first
};

}  // namespace attnscope
