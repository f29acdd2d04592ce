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

/// Candidates come in the order in which they get ready. At most a few a thread wait for the device, so that memory
/// does not grow with the space.
class Ahead {
 public:
  /// `threads` 0: each is made by the thread that asks for it. What it is made of outlives it.
  Ahead(const vulkan::Device& device, const Variant& variant, const TrialsRequest& request, Compiler& compiler,
        bool sliceable, unsigned threads, std::function<void()> all_begun)
      : device_(device),
        variant_(variant),
        request_(request),
        compiler_(compiler),
        sliceable_(sliceable),
        most_waiting_(2 * size_t{threads}),
        all_begun_(std::move(all_begun)),
        left_(request.configs.size()) {
    if (threads == 0) own_.emplace(variant_, request_.problem, device_.info(), compiler_);
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  /// What is being compiled is finished first.
  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  /// The next one, waiting `ms` for it at most; nullopt when that was not enough, or nothing is left (see left()).
  std::optional<Candidate> next(double ms) {
    if (left_ == 0) return std::nullopt;
    if (own_) {
      --left_;
      return make(*own_, begun_++);
    }
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double, std::milli> most(ms);
    if (!changed_.wait_for(lock, most, [this] { return !ready_.empty(); })) return std::nullopt;
    Candidate first = std::move(ready_.front());
    ready_.pop_front();
    --left_;
    changed_.notify_all();
    return first;
  }
  uint64_t left() const { return left_; }
  /// next() would not wait: for what is compiled, or because it compiles itself, or because nothing is left.
  bool ready() {
    const std::lock_guard lock(mutex_);
    return own_ || left_ == 0 || !ready_.empty();
  }
  /// The one that next() would make itself; only without threads.
  std::optional<uint64_t> upcoming() const {
    if (!own_ || left_ == 0) return std::nullopt;
    return begun_;
  }

 private:
  /// `planner` is the calling thread's own.
  Candidate make(Planner& planner, uint64_t index) {
    const auto start = Clock::now();
    Candidate made;
    made.index = index;
    if (const Result<void> ok = fill(planner, made); !ok) made.why = ok.error();
    made.compile_ms = ms_since(start);
    return made;
  }
  Result<void> fill(Planner& planner, Candidate& candidate) {
    Config config = default_config(variant_);
    for (const auto& [name, value] : request_.configs[candidate.index]) {
      const auto known = config.find(name);
      if (known == config.end()) return bad_input("There is no parameter '" + name + "'.");
      known->second = value;
    }
    std::call_once(asked_, [&] { hopeless_ = planner.refuse_problem(); });
    if (hopeless_) return hopeless_->error;
    Plan plan;
    if (const auto refused = planner.plan(config, plan)) return refused->error;
    candidate.pipelines = TRY(pipelines_of(device_, plan, sliceable_));
    candidate.plan = std::move(plan);
    return {};
  }
  void work() {
    lower_thread_priority();  // the device waits for the thread that judges and measures
    Planner mine(variant_, request_.problem, device_.info(), compiler_);
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return quit_ || ready_.size() < most_waiting_; });
      if (quit_ || begun_ >= request_.configs.size()) return;
      const uint64_t index = begun_++;
      if (begun_ == request_.configs.size()) all_begun_();
      lock.unlock();
      Candidate made = make(mine, index);
      lock.lock();
      ready_.push_back(std::move(made));
      changed_.notify_all();
    }
  }

  const vulkan::Device& device_;
  const Variant& variant_;
  const TrialsRequest& request_;
  Compiler& compiler_;
  const bool sliceable_;
  const size_t most_waiting_;
  const std::function<void()> all_begun_;
  std::optional<Planner> own_;  ///< without threads
  uint64_t left_;
  std::once_flag asked_;
  std::optional<Refusal> hopeless_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t begun_ = 0;
  std::deque<Candidate> ready_;
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

/// Compiles on threads of its own what later requests are going to ask for; its pipelines stay in the device's cache
/// alone.
class LaterCompiles {
 public:
  LaterCompiles(const vulkan::Device& device, Compiler& compiler, unsigned threads)
      : device_(device), compiler_(compiler) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~LaterCompiles() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  /// In place of what is left of earlier ones, but for those that were begun. `variants` is parallel to `next`.
  void begin(const std::vector<ConfigsOfVariant>& next, const std::vector<std::shared_ptr<const Variant>>& variants) {
    {
      const std::lock_guard lock(mutex_);
      items_.clear();
      std::vector<Item> begun;
      for (size_t i = 0; i < next.size(); ++i)
        for (const Config& config : next[i].configs) {
          Item item{variants[i], next[i].problem, config};
          if (std::ranges::find(begun_, item) != begun_.end())
            begun.push_back(std::move(item));
          else
            items_.push_back(std::move(item));
        }
      begun_ = std::move(begun);
    }
    changed_.notify_all();
  }
  void pause() {
    const std::lock_guard lock(mutex_);
    items_.clear();
  }

 private:
  struct Item {
    std::shared_ptr<const Variant> variant;
    Problem problem;
    Config config;
    bool operator==(const Item&) const = default;
  };
  void work() {
    lower_thread_priority();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return quit_ || !items_.empty(); });
      if (quit_) return;
      const Item item = std::move(items_.front());
      items_.pop_front();
      begun_.push_back(item);
      lock.unlock();
      // Whoever asks for it meets its error.
      const Planner planner(*item.variant, item.problem, device_.info(), compiler_);
      if (Plan plan;
          !planner.refuse_problem() && !planner.plan(full_config(*item.variant, {"", "", item.config}), plan))
        std::ignore = pipelines_of(device_, plan, may_be_long(device_.info(), problem_flops(item.problem)));
      lock.lock();
    }
  }

  const vulkan::Device& device_;
  Compiler& compiler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::vector<Item> begun_;  ///< of the last `next`; a second thread would only wait for the first
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

Runner::~Runner() = default;

namespace {

constexpr unsigned kMostThreads = 24;
/// A wait for pipelines that is longer lets the clock fall: the device is kept busy from then on.
constexpr double kShortWaitMs = 3;
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
                             EventStream& events, const vulkan::Wait& wait, double best_ns, Ahead& ahead, Trial& trial,
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
    const auto idle = [&] { return trial.samples_ns.size() < kScreeningMost && !ahead.ready(); };
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

Result<TrialsReport> Runner::trials(const Variant& variant, const TrialsRequest& request,
                                    const std::vector<std::shared_ptr<const Variant>>& next, Compiler& compiler,
                                    EventStream& events, const std::atomic<bool>& cancel) {
  TrialsReport report;
  const auto start = Clock::now();
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  const bool sliceable = may_be_long(device_.info(), problem_flops(request.problem));
  const unsigned threads = threads_for(device_.info(), request);
  if (later_) later_->pause();
  if (!later_ && threads > 0 && !next.empty()) later_ = std::make_shared<LaterCompiles>(device_, compiler, threads);
  Ahead ahead(device_, variant, request, compiler, sliceable, threads, [&] {
    if (later_) later_->begin(request.next, next);
  });
  auto work = TRY(judge_.untouched(workloads_, request.problem, request.seed, wait));
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
          try_one(*candidate, request, *work, events, wait, request.drop ? best_ns : 0, ahead, trial, report);
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
  report.wall_ms = ms_since(start);
  return report;
}

}  // namespace attnscope
