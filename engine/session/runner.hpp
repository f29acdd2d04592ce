// Runner: a planned request carried out on a device: compile, verify, warm up, sample, ask for resources.
#pragma once

#include <list>
#include <string>

#include "engine/session/events.hpp"
#include "engine/session/judge.hpp"
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
  /// What came of it, with everything but the conclusion in `record`.
  Result<Outcome> carry_out(const Plan&, const RunRequest&, EventStream&, const std::atomic<bool>& cancel,
                            Record& record);
  Result<Prepared> prepare(const Plan&, const Workload&, bool sliceable, const vulkan::Wait&);
  /// With the references that are asked for. The execution's time in ns.
  Result<double> first_run(const Plan&, const RunRequest&, Prepared&, Workload&, EventStream&, const vulkan::Wait&,
                           Record& record);
  Result<Resources> resources_of(const Plan&, const std::string& shader_hash, EventStream&);

  vulkan::Device device_;
  Judge judge_;
  WorkloadCache workloads_;
  TrialRunner trials_;
  std::list<std::pair<std::string, Resources>> known_resources_;  ///< by plan, most recent first
};

}  // namespace attnscope
