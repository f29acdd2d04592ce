// TrialRunner: a variant's configs on one problem, each verified over all of its output and timed until it is surely
// slower than the best or known well enough.
#pragma once

#include "engine/session/clock_gate.hpp"
#include "engine/session/events.hpp"
#include "engine/session/judge.hpp"
#include "engine/session/workload.hpp"

namespace attnscope {

struct Candidate;
class Ahead;

class TrialRunner {
 public:
  TrialRunner(const vulkan::Device& device, WorkloadCache& workloads, Judge& judge, ClockGate& clock)
      : device_(device), workloads_(workloads), judge_(judge), clock_(clock) {}

  Result<TrialsReport> run(const Variant&, const TrialsRequest&, Compiler&, EventStream&,
                           const std::atomic<bool>& cancel);

 private:
  Result<void> try_one(const Candidate&, const TrialsRequest&, Workload&, EventStream&, const vulkan::Wait&,
                       double best_ns, Ahead&, Trial&, TrialsReport&);

  vulkan::Device device_;
  WorkloadCache& workloads_;
  Judge& judge_;
  ClockGate& clock_;
};

}  // namespace attnscope
