// Runner::trials: many configs, each tried as cheaply as the best so far allows.

#include "engine/session/ahead.hpp"
#include "engine/session/runner.hpp"
#include "engine/variant/planner.hpp"
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {

/// Makes candidates; for one thread. The planner of the last variant and problem is kept.
class Maker {
 public:
  Maker(const vulkan::Device& device, Compiler& compiler) : device_(device), compiler_(compiler) {}
  Candidate make(const Wanted& wanted) {
    const auto start = Clock::now();
    Candidate made;
    if (const Result<void> ok = fill(wanted, made); !ok) made.why = ok.error();
    made.compile_ms = ms_since(start);
    return made;
  }

 private:
  Result<void> fill(const Wanted& wanted, Candidate& candidate) {
    Config config = default_config(*wanted.variant);
    for (const auto& [name, value] : wanted.config) {
      const auto known = config.find(name);
      if (known == config.end()) return bad_input("There is no parameter '" + name + "'.");
      known->second = value;
    }
    if (!planner_ || of_.variant != wanted.variant || of_.problem != wanted.problem) {
      planner_.reset();
      of_ = wanted;
      planner_.emplace(*of_.variant, of_.problem, device_.info(), compiler_);
      hopeless_ = planner_->refuse_problem();
    }
    if (hopeless_) return hopeless_->error;
    Plan plan;
    if (const auto refused = planner_->plan(config, plan)) return refused->error;
    candidate.pipelines = TRY(pipelines_of(device_, plan, may_be_long(device_.info(), problem_flops(of_.problem))));
    candidate.plan = std::move(plan);
    return {};
  }

  const vulkan::Device& device_;
  Compiler& compiler_;
  Wanted of_;
  std::optional<Planner> planner_;
  std::optional<Refusal> hopeless_;
};

Runner::~Runner() = default;

void Runner::stop_compiling() {
  if (ahead_) ahead_->begin({}, {});
}

namespace {

constexpr unsigned kMostThreads = 24;
/// A wait for pipelines that is longer lets the clock fall: the device is kept busy from then on.
constexpr double kShortWaitMs = 3;
/// A request of which nothing was measured yet is not left for the next ones before so long.
constexpr double kLeastVisitMs = 50;
/// A candidate whose first execution, cold as it is, takes this many times the best is not timed.
constexpr double kHopeless = 4;
/// All samples of one candidate, at most.
constexpr double kMostMs = 400;

/// Compilers of real devices run beside it; a software device is the CPU.
unsigned threads_for(const DeviceInfo& device, const TrialsRequest& request) {
  if (!request.ahead || device.type == DeviceType::software) return 0;
  const unsigned cores = std::max(2u, std::thread::hardware_concurrency());
  return std::min(kMostThreads, cores - 1);
}

}  // namespace

Result<void> Runner::try_one(const Candidate& candidate, const TrialsRequest& request, Workload& work,
                             EventStream& events, const vulkan::Wait& wait, double best_ns, Trial& trial,
                             TrialsReport& report) {
  const Plan& plan = *candidate.plan;
  auto since = Clock::now();
  const auto spent = [&](double& where) {
    where += ms_since(since);
    since = Clock::now();
  };
  events.stage("reference");
  const References references = TRY(references_of(work, plan.precision, *wait.cancel, request.judged_once));
  spent(report.reference_ms);
  events.stage("verify");
  auto prepared = TRY(prepare(plan, candidate.pipelines, work, wait));
  prepared.references = references;
  const vulkan::Execution& execution = prepared.execution;
  Record judged;
  const Judge judge{plan, prepared, work, wait, judged, Compare::elements};
  auto first = TRY(judge.first(events));
  const auto fail = [&](std::string reason) {
    trial.outcome = Outcome::failed_verdict;
    trial.message = std::move(reason);
    trial.samples_ns.clear();
    trial.median_ns = 0;
  };
  spent(report.verifying_ms);
  if (!judged.verdict->pass) {
    fail(judged.verdict->reason);
    return {};
  }

  events.stage("sample");
  // A look that fails says nothing of this config.
  auto slow = clock_.rise(wait);
  if (!slow && slow.error().kind == ErrorKind::cancelled) return slow.error();
  trial.settled = !slow || *slow < kClockDown;
  // A config is never dropped for a best that had a faster clock.
  if (slow) best_ns *= std::max(1.0, *slow);
  trial.outcome = Outcome::measured;
  auto sampling = TRY(Sampling::create(device_, execution, request.protocol, first,
                                       candidate.pipelines.front().sliceable() ? slices_for(first) : 1, wait));
  if (best_ns > 0 && first > kHopeless * best_ns) {
    // One sample of its own says so, not the first execution, which found everything cold.
    trial.samples_ns = TRY(sampling.take(1, wait));
  }
  if (trial.samples_ns.empty() || trial.samples_ns.front() <= kHopeless * best_ns) {
    trial.samples_ns.clear();
    TRY(sampling.take(2, wait));
    sampling.settle();
    TRY(judge.watch(sampling));
    const auto began = Clock::now();
    // While nothing else could be measured, more samples of this one cost nothing.
    const auto idle = [&] {
      return trial.samples_ns.size() < kScreeningMost && request.ahead && ahead_ && !ahead_->ready() &&
             !ahead_->all_made() && !(request.postpone && ahead_->later_ready());
    };
    for (Screening next = Screening::more; (next == Screening::more || idle()) && ms_since(began) < kMostMs;) {
      auto ns = TRY(sampling.take(3, wait, true));
      trial.samples_ns.insert(trial.samples_ns.end(), ns.begin(), ns.end());
      if (next == Screening::more) next = screen(trial.samples_ns, best_ns);
      trial.dropped = next == Screening::drop;
    }
  } else {
    trial.dropped = true;
  }
  trial.dispatches_per_sample = sampling.repetitions();
  if (const auto s = summarize(trial.samples_ns)) trial.median_ns = s->median;
  spent(report.measuring_ms);

  // What would be kept, or lead and drop others, is judged as a run of its own is. What is dropped is nobody's choice.
  events.stage("verify");
  TimedRuns timed{.executions = trial.samples_ns.size() * trial.dispatches_per_sample,
                  .typical_ns = trial.median_ns,
                  .sampling = &sampling};
  TRY(trial.dropped || request.judged_once ? judge.check_memory() : judge.again(timed));
  if (!judged.verdict->pass) {
    fail(judged.verdict->reason);
  } else if (timed.busy) {
    // Nothing is known of it, and a later search tries it again.
    fail(too_busy(timed).message);
    trial.outcome = Outcome::cancelled;
  }
  spent(report.verifying_ms);
  return {};
}

Result<TrialsReport> Runner::trials(const std::vector<std::shared_ptr<const Variant>>& variants,
                                    const TrialsRequest& request, Compiler& compiler, EventStream& events,
                                    const Cancel& cancel) {
  TrialsReport report;
  const auto start = Clock::now();
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  std::vector<Wanted> asked, later;
  for (const Config& config : request.configs) asked.push_back({variants.front(), request.problem, config});
  for (size_t i = 0; i < request.next.size(); ++i)
    for (const Config& config : request.next[i].configs)
      later.push_back({variants[i + 1], request.next[i].problem, config});
  const unsigned threads = threads_for(device_.info(), request);
  if (!ahead_ && threads > 0)
    ahead_ = std::make_shared<Ahead>(threads, [this, &compiler] {
      return [maker = std::make_shared<Maker>(device_, compiler)](const Wanted& wanted) { return maker->make(wanted); };
    });
  Ahead* const ahead = threads > 0 ? ahead_.get() : nullptr;
  Maker own(device_, compiler);
  // Nobody asks for the later ones after an error or a cancel.
  struct Stop {
    Runner& runner;
    bool unless = false;
    ~Stop() {
      if (!unless) runner.stop_compiling();
    }
  } stop{*this};
  if (ahead != nullptr) ahead->begin(asked, std::move(later));
  auto work = TRY(untouched(workloads_, request.problem, request.seed, wait));
  double best_ns = request.best_ns;
  for (size_t left = asked.size(); left > 0 && !cancel; --left) {
    events.stage("compile");
    const auto waited = Clock::now();
    std::optional<Candidate> candidate;
    if (ahead == nullptr) {
      const size_t index = asked.size() - left;
      events.emit(TrialBegan{index});
      candidate = own.make(asked[index]);
      candidate->index = index;
    } else if (!(candidate = ahead->next(kShortWaitMs))) {
      const vulkan::KeepWarm warm(device_);
      const auto postponed = [&] {
        return request.postpone && ahead->later_ready() && (report.done > 0 || ms_since(waited) > kLeastVisitMs);
      };
      while (!candidate && !cancel && !postponed()) {
        candidate = ahead->next(kLeastVisitMs);
        events.alive();
      }
    }
    report.waiting_ms += ms_since(waited);
    if (!candidate) break;
    Trial trial{
        .index = candidate->index, .config = request.configs[candidate->index], .compile_ms = candidate->compile_ms};
    if (!candidate->plan) {
      trial.outcome = outcome_of(candidate->why.kind);
      trial.message = candidate->why.message;
    } else {
      trial.config = candidate->plan->config;
      events.emit(TrialBegan{candidate->index});
      const Result<void> tried =
          try_one(*candidate, request, *work, events, wait, request.drop ? best_ns : 0, trial, report);
      if (!tried && tried.error().kind == ErrorKind::cancelled) break;
      if (!tried && tried.error().kind == ErrorKind::device_lost) return tried.error();
      if (!tried) {
        trial.samples_ns.clear();
        trial.median_ns = 0;
        trial.outcome = outcome_of(tried.error().kind);
        trial.message = tried.error().message;
      }
      const bool wrong = trial.outcome == Outcome::failed_verdict;
      // It may have written where it must not.
      if (wrong) workloads_.forget(work);
      // What broke off may have left changed inputs.
      if (wrong || !tried) work = TRY(untouched(workloads_, request.problem, request.seed, wait));
      if (trial.outcome == Outcome::measured && (best_ns == 0 || trial.median_ns < best_ns)) best_ns = trial.median_ns;
    }
    ++report.done;
    events.emit(TrialDone{std::move(trial)});
  }
  stop.unless = ahead != nullptr && !cancel;
  report.wall_ms = ms_since(start);
  return report;
}

}  // namespace attnscope
