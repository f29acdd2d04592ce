// Runner::trials: many configs, each tried as cheaply as the best so far allows.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/measure/stopping.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/run.hpp"
#include "engine/session/runner.hpp"
#include "engine/variant/planner.hpp"
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {

/// A config ready to run, or why it never will be.
struct Candidate {
  uint64_t index = 0;
  std::optional<Plan> plan;  ///< absent: see `why`
  std::vector<vulkan::Pipeline> pipelines;
  Error why;
  double compile_ms = 0;
};

/// A config that somebody wants to run.
struct Wanted {
  std::shared_ptr<const Variant> variant;
  Problem problem;
  Config config;
  bool operator==(const Wanted&) const = default;
};

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

/// Makes, on threads of its own, the candidates of one request, and after them those of later ones. What was begun is
/// made to its end, whoever asks for it then.
class Ahead {
 public:
  Ahead(const vulkan::Device& device, Compiler& compiler, unsigned threads)
      : device_(device), compiler_(compiler), most_waiting_(2 * size_t{threads}) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  /// In place of the request before, and of what was wanted later. `later` bounds the memory that this takes.
  void begin(std::vector<Wanted> asked, std::vector<Wanted> later) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Slot> before = std::exchange(later_, {});
      std::erase_if(before, [](const Slot& s) { return s.state != State::made; });
      for (const Wanted& w : running_) before.push_back({w, State::running, {}});
      asked_.clear();
      ready_.clear();
      const auto add = [&](std::vector<Slot>& slots, Wanted& wanted) {
        const auto known = std::ranges::find(before, wanted, &Slot::wanted);
        slots.push_back(known == before.end() ? Slot{std::move(wanted), State::open, {}} : std::move(*known));
        if (known != before.end()) before.erase(known);
      };
      for (Wanted& w : asked) add(asked_, w);
      for (Wanted& w : later) add(later_, w);
      for (size_t i = 0; i < asked_.size(); ++i)
        if (asked_[i].state == State::made) get_ready(i);
    }
    changed_.notify_all();
  }
  /// The request's next one, in the order in which they get ready, after `ms` at most.
  std::optional<Candidate> next(double ms) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double, std::milli> most(ms);
    if (!changed_.wait_for(lock, most, [this] { return !ready_.empty(); })) return std::nullopt;
    Candidate first = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return first;
  }
  bool ready() {
    const std::lock_guard lock(mutex_);
    return !ready_.empty();
  }
  /// One of those that are wanted later is.
  bool later_ready() {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(later_, State::made, &Slot::state) != later_.end();
  }

 private:
  enum class State { open, running, made };
  struct Slot {
    Wanted wanted;
    State state = State::open;
    Candidate candidate;
  };
  void get_ready(size_t index) {
    asked_[index].state = State::made;
    asked_[index].candidate.index = index;
    ready_.push_back(std::move(asked_[index].candidate));
  }
  /// What is begun next; at most a few a thread wait for the device. nullptr: nothing.
  Slot* choose() {
    if (ready_.size() < most_waiting_)
      if (const auto s = std::ranges::find(asked_, State::open, &Slot::state); s != asked_.end()) return &*s;
    const auto s = std::ranges::find(later_, State::open, &Slot::state);
    return s == later_.end() ? nullptr : &*s;
  }
  void keep(const Wanted& wanted, Candidate candidate) {
    const auto waits = [&](const Slot& s) { return s.state == State::running && s.wanted == wanted; };
    if (const auto s = std::ranges::find_if(asked_, waits); s != asked_.end()) {
      s->candidate = std::move(candidate);
      get_ready(size_t(s - asked_.begin()));
    } else if (const auto l = std::ranges::find_if(later_, waits); l != later_.end()) {
      l->candidate = std::move(candidate);
      l->state = State::made;
    }
  }
  void work() {
    lower_thread_priority();  // the device waits for the thread that judges and measures
    Maker maker(device_, compiler_);
    std::unique_lock lock(mutex_);
    for (;;) {
      Slot* slot = nullptr;
      changed_.wait(lock, [&] { return quit_ || (slot = choose()) != nullptr; });
      if (quit_) return;
      slot->state = State::running;
      const Wanted wanted = slot->wanted;
      running_.push_back(wanted);
      lock.unlock();
      Candidate made = maker.make(wanted);
      lock.lock();
      running_.erase(std::ranges::find(running_, wanted));
      keep(wanted, std::move(made));
      changed_.notify_all();
    }
  }

  const vulkan::Device& device_;
  Compiler& compiler_;
  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> asked_, later_;
  std::vector<Wanted> running_;
  std::deque<Candidate> ready_;  ///< of asked_
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

Runner::~Runner() = default;

namespace {

constexpr unsigned kMostThreads = 24;
/// A wait for pipelines that is longer lets the clock fall: the device is kept busy from then on.
constexpr double kShortWaitMs = 3;
/// A request that has none ready is not left for the next ones before so long.
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
  auto prepared = TRY(attnscope::prepare(plan, candidate.pipelines, work, wait));
  prepared.references = references;
  const vulkan::Execution& execution = prepared.execution;
  Record judged;
  const Judge::Case c{plan, prepared, work, wait, judged, Judge::Compare::elements};
  auto first = TRY(judge_.first(c, events));
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
    const auto began = Clock::now();
    // While nothing else could be measured, more samples of this one cost nothing.
    const auto idle = [&] {
      return trial.samples_ns.size() < kScreeningMost && request.ahead && ahead_ && !ahead_->ready();
    };
    for (Screening next = Screening::more; (next == Screening::more || idle()) && ms_since(began) < kMostMs;) {
      auto ns = TRY(sampling.take(3, wait));
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
  TRY(trial.dropped || request.judged_once ? judge_.check_memory(c) : judge_.again(c, timed));
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
                                    const std::atomic<bool>& cancel) {
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
  if (!ahead_ && threads > 0) ahead_ = std::make_shared<Ahead>(device_, compiler, threads);
  Ahead* const ahead = threads > 0 ? ahead_.get() : nullptr;
  Maker own(device_, compiler);
  if (ahead != nullptr)
    ahead->begin(asked, std::move(later));
  else if (ahead_)
    ahead_->begin({}, {});
  auto work = TRY(judge_.untouched(workloads_, request.problem, request.seed, wait));
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
          try_one(*candidate, request, *work, events, wait, request.drop ? best_ns : 0, trial, report);
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
        workloads_.forget(work);
        work = TRY(judge_.untouched(workloads_, request.problem, request.seed, wait));
      }
      if (trial.outcome == Outcome::measured && (best_ns == 0 || trial.median_ns < best_ns)) best_ns = trial.median_ns;
    }
    ++report.done;
    events.emit(TrialDone{std::move(trial)});
  }
  if (cancel && ahead != nullptr) ahead->begin({}, {});  // nobody asks for the later ones
  report.wall_ms = ms_since(start);
  return report;
}

}  // namespace attnscope
