#include "engine/session/trial_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "engine/attention/verdict.hpp"
#include "engine/measure/screening.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/record/run.hpp"
#include "engine/session/rates.hpp"
#include "engine/session/sampling.hpp"
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }

constexpr unsigned kMostThreads = 24;
/// A wait for pipelines that is longer lets the clock fall: the device is kept busy from then on.
constexpr double kShortWaitMs = 3;
/// A candidate whose first execution, cold as it is, takes this many times the best is not timed.
constexpr double kHopeless = 4;
/// All samples of one candidate, at most.
constexpr double kMostMs = 400;
/// Longer references are left to the CPU's rows.
constexpr double kMostReferenceS = 10;

/// Compilers of real devices run beside it; a software device is the CPU.
unsigned threads_for(const DeviceInfo& device, const TrialsRequest& request) {
  if (!request.ahead || device.type == DeviceType::software) return 0;
  const unsigned cores = std::max(2u, std::thread::hardware_concurrency());
  return std::min(kMostThreads, cores - 1);
}

}  // namespace

Result<std::string> TrialRunner::wrong(const Plan& plan, Workload& work, const FullCheck::Yardstick& y,
                                       const vulkan::Wait& wait) {
  if (auto ok = bring_home(plan, work, wait); !ok) return ok.error();
  const GuardedBuffer& output = work.buffer(binding_o);
  auto intact = tensor_for(plan, work, binding_o).guards_intact(wait);
  if (!intact) return intact.error();
  if (y.elements) {
    auto why = full_check_.wrong(work, y, wait);
    if (!why || !why->empty() || *intact) return why;
    return std::string("Memory beyond the end of the output was written.");
  }
  auto bytes = output.download(wait);
  if (!bytes) return bytes.error();
  return judge(work.problem, *y.rows, Tensor{work.problem.dtype, std::move(*bytes)}, *intact).reason;
}

Result<void> TrialRunner::try_one(const Candidate& candidate, const TrialsRequest& request, Workload& work,
                                  EventStream& events, const vulkan::Wait& wait, double best_ns, Ahead& ahead,
                                  Trial& trial, TrialsReport& report) {
  const Plan& plan = *candidate.plan;
  auto since = Clock::now();
  const auto spent = [&](double& where) {
    where += ms_since(since);
    since = Clock::now();
  };
  auto known = std::find_if(yardsticks_.begin(), yardsticks_.end(),
                            [&](const FullCheck::Yardstick& y) { return y.precision == plan.precision; });
  if (known == yardsticks_.end()) {
    events.stage("reference");
    const References references = references_of(work, device_, plan.precision, *wait.cancel);
    if (!references.usual) return Error{ErrorKind::cancelled, "Cancelled while the CPU reference was computed."};
    auto made = full_check_.yardstick(work, references.usual, kMostReferenceS, wait);
    if (!made) return made.error();
    yardsticks_.push_back(std::move(*made));
    known = std::prev(yardsticks_.end());
    spent(report.reference_ms);
  }
  events.stage("verify");
  auto prepared = prepare(device_, plan, candidate.pipelines, work, wait);
  if (!prepared) return prepared.error();
  const vulkan::Execution& execution = prepared->execution;
  if (auto ok = judge_.take_fingerprints(work, wait); !ok) return ok;
  const GuardedBuffer& output = tensor_for(plan, work, binding_o);
  if (auto ok = output.poison(wait); !ok) return ok.error();
  auto first = execution.run(wait);
  if (!first) return first.error();
  const auto fail = [&](std::string reason) {
    trial.outcome = Outcome::failed_verdict;
    trial.message = std::move(reason);
    trial.samples_ns.clear();
    trial.median_ns = 0;
  };
  auto why = wrong(plan, work, *known, wait);
  if (!why) return why.error();
  if (!why->empty()) {
    fail(*why);
    spent(report.verifying_ms);
    return {};
  }
  spent(report.verifying_ms);

  events.stage("sample");
  // A look that fails says nothing of this config.
  auto slow = clock_.rise(wait);
  if (!slow && slow.error().kind == ErrorKind::cancelled) return slow.error();
  trial.settled = !slow || *slow < kClockDown;
  // Nobody loses to a best that had a faster clock.
  if (slow) best_ns *= std::max(1.0, *slow);
  trial.outcome = Outcome::measured;
  auto sampling = Sampling::create(device_, execution, request.protocol, *first,
                                   candidate.pipelines.front().sliceable() ? slices_for(*first) : 1);
  if (!sampling) return sampling.error();
  if (best_ns > 0 && *first > kHopeless * best_ns) {
    // One sample of its own says so, not the first execution, which found everything cold.
    auto ns = sampling->take(1, wait);
    if (!ns) return ns.error();
    trial.samples_ns = *ns;
  }
  if (trial.samples_ns.empty() || trial.samples_ns.front() <= kHopeless * best_ns) {
    trial.samples_ns.clear();
    auto warm = sampling->take(2, wait);
    if (!warm) return warm.error();
    sampling->settle();
    const auto began = Clock::now();
    // While nothing else could be measured, more samples of this one cost nothing.
    const auto idle = [&] { return trial.samples_ns.size() < kScreeningMost && !ahead.ready(); };
    for (Screening next = Screening::more; (next == Screening::more || idle()) && ms_since(began) < kMostMs;) {
      auto ns = sampling->take(3, wait);
      if (!ns) return ns.error();
      trial.samples_ns.insert(trial.samples_ns.end(), ns->begin(), ns->end());
      if (next == Screening::more) next = screen(trial.samples_ns, best_ns);
      trial.dropped = next == Screening::drop;
    }
  } else {
    trial.dropped = true;
  }
  trial.dispatches_per_sample = sampling->repetitions();
  if (const auto s = summarize(trial.samples_ns)) trial.median_ns = s->median;
  spent(report.measuring_ms);

  // What is dropped is nobody's choice. Of the others, what the last timed execution left is looked at, and what one
  // more makes of an output in which nothing is left.
  events.stage("verify");
  if (!trial.dropped) {
    auto again = wrong(plan, work, *known, wait);
    if (!again) return again.error();
    if (!again->empty()) fail("The last of its timed executions: " + *again);
  }
  if (trial.outcome == Outcome::measured && !trial.dropped) {
    if (auto ok = output.poison(wait); !ok) return ok.error();
    if (auto ran = execution.run(wait); !ran) return ran.error();
    auto again = wrong(plan, work, *known, wait);
    if (!again) return again.error();
    if (!again->empty()) fail("An execution after those that were timed: " + *again);
  }
  for (const GuardedBuffer& s : prepared->scratch) {
    auto intact = s.guards_intact(wait);
    if (!intact) return intact.error();
    if (!*intact) fail("Memory beyond the end of a scratch buffer was written.");
    auto zero = s.left_as_declared(wait);
    if (!zero) return zero.error();
    if (!*zero) fail("Scratch memory that is declared zeroed is left with other than zeros.");
  }
  auto changed = judge_.changed_inputs(work, wait);
  if (!changed) return changed.error();
  if (!changed->empty()) fail(fmt::format("It changed an input: {}.", *changed));
  spent(report.verifying_ms);
  return {};
}

Result<TrialsReport> TrialRunner::run(const Variant& variant, const TrialsRequest& request, Compiler& compiler,
                                      EventStream& events, const std::atomic<bool>& cancel) {
  TrialsReport report;
  const auto start = Clock::now();
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  const bool sliceable = may_be_long(device_.info(), problem_flops(request.problem));
  Ahead ahead(device_, variant, request, compiler, sliceable, threads_for(device_.info(), request));
  auto work = judge_.untouched(workloads_, request.problem, request.seed, wait);
  if (!work) return work.error();
  yardsticks_.clear();
  double best_ns = request.best_ns;
  while (ahead.left() > 0 && !cancel) {
    events.stage("compile");
    if (const auto index = ahead.upcoming()) events.emit(TrialBegan{*index});
    const auto waited = Clock::now();
    auto candidate = ahead.next(kShortWaitMs);
    if (!candidate && ahead.left() > 0) {
      const vulkan::KeepWarm warm(device_);
      while (!candidate && !cancel) {
        candidate = ahead.next(100);
        events.alive();
      }
    }
    report.waiting_ms += ms_since(waited);
    if (!candidate) break;
    Trial trial;
    trial.index = candidate->index;
    trial.config = request.configs[candidate->index];
    trial.compile_ms = candidate->compile_ms;
    if (!candidate->plan) {
      trial.outcome = outcome_of(candidate->why.kind);
      trial.message = candidate->why.message;
    } else {
      trial.config = candidate->plan->config;
      events.emit(TrialBegan{candidate->index});
      const Result<void> tried =
          try_one(*candidate, request, **work, events, wait, request.drop ? best_ns : 0, ahead, trial, report);
      if (!tried && tried.error().kind == ErrorKind::cancelled) break;
      if (!tried && tried.error().kind == ErrorKind::device_lost) return tried.error();
      if (!tried) {
        trial.samples_ns.clear();
        trial.median_ns = 0;
        trial.outcome = outcome_of(tried.error().kind);
        trial.message = tried.error().message;
      }
      if (trial.outcome == Outcome::failed_verdict) {
        // It may have written where it must not.
        workloads_.forget(*work);
        yardsticks_.clear();
        work = judge_.untouched(workloads_, request.problem, request.seed, wait);
        if (!work) return work.error();
      }
      if (trial.outcome == Outcome::measured && (best_ns == 0 || trial.median_ns < best_ns)) best_ns = trial.median_ns;
    }
    ++report.done;
    events.emit(TrialDone{std::move(trial)});
  }
  report.wall_ms = ms_since(start);
  return report;
}

}  // namespace attnscope
