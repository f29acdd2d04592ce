// Runner: a planned request carried out on a device: compile, verify, warm up, sample, ask for resources.
#pragma once

#include "engine/session/judge.hpp"

namespace attnscope {

struct Candidate;
class Ahead;

class Runner {
 public:
  /// `clock` and `sensors` as of SessionOptions.
  explicit Runner(const vulkan::Device& device, std::function<double()> clock = {},
                  std::shared_ptr<telemetry::Source> sensors = {});
  ~Runner();
  const vulkan::Device& device() const { return device_; }
  /// Completes `record`, made by make_record(). Refusals, failures and cancellation become its outcome.
  void run(const Plan&, const RunRequest&, EventStream&, const Cancel& cancel, Record& record);

  /// Parallel to the result's records, made by make_record(); one without a plan is concluded already.
  Result<void> race(const std::vector<std::optional<Plan>>&, const RaceRequest&, EventStream&, const Cancel& cancel,
                    RaceResult&);
  /// The answer's map, and its record but for the conclusion, which is returned.
  Result<Outcome> error_map(const Plan&, const ErrorMapRequest&, EventStream&, const Cancel& cancel, ErrorMapAnswer&);
  /// A variant's configs on one problem, each verified over all of its output and timed until it is surely slower than
  /// the best or known well enough. `variants`: the request's, then those of its `next`.
  Result<TrialsReport> trials(const std::vector<std::shared_ptr<const Variant>>& variants, const TrialsRequest&,
                              Compiler&, EventStream&, const Cancel& cancel);

 private:
  /// The outcome, with everything but the conclusion in `record`.
  Result<Outcome> carry_out(const Plan&, const RunRequest&, EventStream&, const Cancel& cancel, Record& record);
  /// Verified in the form in which it can be timed.
  struct Ready {
    PreparedPlan prepared;
    double first_ns = 0;  ///< of the execution that was judged
    uint32_t slices = 1;
  };
  Result<Ready> make_ready(const Plan&, const RunRequest&, Workload&, EventStream&, const vulkan::Wait&, Record&);
  struct Lane;
  /// Samples of all lanes in turn, until each has what its protocol asks for.
  Result<void> sample_in_turn(std::vector<Lane>&, const RaceRequest&, Workload&, EventStream&, const vulkan::Wait&);
  /// What was begun goes on, for nobody.
  void stop_compiling();
  Result<void> try_one(const Candidate&, const TrialsRequest&, Workload&, EventStream&, const vulkan::Wait&,
                       double best_ns, Trial&, TrialsReport&);
  /// With the references that are asked for. The execution's time in ns.
  Result<double> first_run(const Plan&, const RunRequest&, PreparedPlan&, Workload&, EventStream&, const vulkan::Wait&,
                           Record& record);
  Result<Resources> resources_of(const Plan&, EventStream&);

  /// Found at the first call; nullptr where the device has none.
  telemetry::Source* sensors();

  vulkan::Device device_;
  std::shared_ptr<telemetry::Source> sensors_;
  bool sensors_known_;
  WorkloadCache workloads_;
  ClockGate clock_;
  std::map<std::string, Resources> known_resources_;  ///< by pipelines_key()
  std::shared_ptr<Ahead> ahead_;                      ///< once a request compiles ahead
};

}  // namespace attnscope
