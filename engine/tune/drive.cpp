#include "engine/tune/tuner.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>

#include "engine/attention/parallel.hpp"
#include "engine/clock.hpp"
#include "engine/measure/compare.hpp"
#include "engine/repeater.hpp"

namespace attnscope::tune {
namespace {

constexpr double kTickMs = 100;
/// Configs that are made while others are measured: several requests' where each has few (the first of each variant).
constexpr size_t kAhead = 64;
/// All finalists may turn out wrong; then the next ones race.
constexpr int kRaces = 3;
constexpr double kFinalWithin = 0.15;  // of the best: what races
/// Until the first config is measured, so many budgets more, or so many seconds.
constexpr double kLateBudgets = 3, kLateSeconds = 60;

/// Sets `stop` when the caller cancels or the time is up and a config measured, whatever keeps a tick.
class Watch {
 public:
  Watch(const Cancel& cancel, const Tuner& tuner, double budget_s, std::function<void()> tick) : cancel_(cancel) {
    if (budget_s > 0) {
      end_ = after(Clock::now(), budget_s);
      late_ = after(*end_, std::max(kLateSeconds, kLateBudgets * budget_s));
    }
    stopper_.emplace([this, &tuner] {
      const auto now = Clock::now();
      if (cancel_ || (end_ && now >= *end_ && (now >= *late_ || tuner.progress().measured > 0))) stop_ = true;
      return kTickMs / 5;
    });
    if (tick)
      ticker_.emplace([tick = std::move(tick)] {
        tick();
        return kTickMs;
      });
  }
  std::atomic<bool>& stop() { return stop_; }

 private:
  const Cancel& cancel_;
  std::optional<Clock::time_point> end_, late_;
  std::atomic<bool> stop_{false};
  std::optional<Repeater> stopper_, ticker_;
};

void tell(Tuner& tuner, const DriveOptions& options, const std::string& variant, const Trial& trial) {
  const uint64_t reopened = tuner.tell(variant, trial);
  if (options.trial) options.trial(variant, trial);
  if (reopened > 0 && options.note)
    options.note(fmt::format(
        "The fastest so far, {} {}, is wrong after all; {} that were stopped early (clearly slower) are tried again.",
        variant, to_text(trial.config), reopened));
}

using Next = Result<std::optional<TrialsRequest>>;

/// All devices until there is nothing more to do, or nothing to be tried again; the first error, if any, ends all.
Result<void> search(Tuner& tuner, std::span<Session* const> devices, const DriveOptions& options,
                    std::atomic<bool>& stop, bool again_alone) {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t changes = 0;  ///< of what is on its way
  std::optional<Error> error;
  const auto fail = [&](const Error& what) {
    const std::lock_guard lock(mutex);
    // A device may hear of a cancel before the watch does.
    if (!error && what.kind != ErrorKind::cancelled) error = what;
    stop = true;
  };
  const auto work = [&](Session& device) {
    // The next requests, whose pipelines are made while one is measured; and the one after them, while it is chosen.
    std::deque<TrialsRequest> ready;
    std::future<Next> ahead;
    const auto choose = [&] {
      const auto start = Clock::now();
      Next chosen = ahead.valid() ? ahead.get() : tuner.next(device, stop);
      tuner.add_wait(ms_since(start));
      return chosen;
    };
    while (!stop) {
      std::unique_lock lock(mutex);
      const uint64_t seen = changes;
      lock.unlock();
      const bool idle = tuner.idle();
      const bool was_ahead = !ready.empty() || ahead.valid();
      Next request = tuner.again();
      if (!*request && !again_alone && ready.empty()) request = choose();
      if (!request) return fail(request.error());
      if (!*request && !ready.empty()) {
        *request = std::move(ready.front());
        ready.pop_front();
      }
      if (!*request) {
        if (was_ahead) continue;  // from before this device reported its last trials
        if (idle) return;
        lock.lock();
        changed.wait_for(lock, std::chrono::duration<double, std::milli>(kTickMs),
                         [&] { return changes != seen || stop; });
        continue;
      }
      size_t configs = 0;
      for (const TrialsRequest& r : ready) configs += r.configs.size();
      while (options.compile_ahead && !again_alone && configs < kAhead) {
        Next after = choose();
        if (!after) return fail(after.error());
        if (!*after) break;
        configs += (*after)->configs.size();
        ready.push_back(std::move(**after));
      }
      for (const TrialsRequest& r : ready) (*request)->next.push_back({r.problem, r.variant, r.configs});
      (*request)->postpone = !ready.empty();
      if (!again_alone && !ahead.valid())
        ahead = std::async(std::launch::async, [&] { return tuner.next(device, stop); });
      tuner.begin(**request);
      TrialsRequest late = **request;  // what the device leaves until its pipelines are there
      const auto done = [&](const Trial& trial) {
        const std::lock_guard one(mutex);
        std::erase(late.configs, (*request)->configs[trial.index]);
        if (trial.outcome == Outcome::cancelled) return;
        tell(tuner, options, (*request)->variant, trial);
        ++changes;
        changed.notify_all();
      };
      const EventSink sink = [&](const Event& event) {
        if (options.stages && std::holds_alternative<Progress>(event)) options.stages(event);
        if (const auto* told = std::get_if<TrialDone>(&event)) done(told->trial);
      };
      const Result<TrialsReport> report = device.trials(**request, sink, stop);
      if (report && (*request)->postpone && !late.configs.empty()) {
        std::erase_if((*request)->configs, [&](const Config& c) { return contains(late.configs, c); });
        late.next.clear();
        // One that gave nothing goes behind all that may be ready.
        ready.insert(report->done > 0 ? ready.begin() + 1 : ready.end(), std::move(late));
      }
      tuner.end(**request);
      lock.lock();
      ++changes;
      changed.notify_all();
      lock.unlock();
      if (!report) fail(report.error());
      if (report) tuner.add(*report);
    }
    for (const TrialsRequest& unused : ready) tuner.end(unused);
    if (!ahead.valid()) return;
    if (const Next unused = ahead.get(); unused && *unused) tuner.end(**unused);
  };
  parallel_for(
      devices.size(), 1, [&](size_t i, size_t) { work(*devices[i]); }, unsigned(devices.size()));
  return error ? Result<void>(*error) : Result<void>();
}

bool is_entry(const Record& record, const RaceEntry& entry) {
  return record.variant == entry.variant && record.config == entry.config;
}

/// Each that raced against the baseline, and the winner against what runs now.
void compare(const RaceResult& result, const std::optional<RaceEntry>& current, TuneResult& out) {
  const auto side_of = [&](const Record& record) -> InTurn {
    for (size_t i = 0; i < result.records.size() && i < result.turns.size(); ++i)
      if (is_entry(result.records[i], {record.variant, record.config}))
        return {record.samples_ns, result.turns[i].samples};
    return {record.samples_ns, {}};
  };
  const bool software = out.winner->environment.device.type == DeviceType::software;
  for (const Record& record : out.raced)
    if (current && is_entry(record, *current) && !is_entry(*out.winner, *current))
      out.over_current = compare_raced(side_of(record), side_of(*out.winner), software);
  if (!out.baseline) return;
  for (const Record& record : out.raced) {
    if (is_entry(record, {out.baseline->variant, out.baseline->config}))
      out.words.push_back({Relation::same, 1, 1, 1, {}});
    else
      out.words.push_back(compare_raced(side_of(*out.baseline), side_of(record), software));
  }
}

Result<void> race(Tuner& tuner, std::span<Session* const> devices, const DriveOptions& options, std::atomic<bool>& stop,
                  TuneResult& out) {
  for (int round = 0; round < kRaces && !stop; ++round) {
    const TuneRequest& of = tuner.request();
    RaceRequest request{.problem = of.problem,
                        .entries = tuner.finalists(options.finalists, kFinalWithin),
                        .protocol = of.protocol,
                        .seed = of.seed};
    if (request.entries.empty()) return {};
    const auto baseline = tuner.baseline(), current = tuner.current();
    for (const auto& also : {baseline, current})
      if (also && !contains(request.entries, *also)) request.entries.push_back(*also);
    tuner.race_of(request.entries.size());
    request.paced = options.race_batch_ms > 0;
    if (request.paced) request.batch_ms = options.race_batch_ms;
    RaceResult result = TRY(devices.front()->race(request, options.stages, stop));
    out.raced.clear();
    out.baseline.reset();
    const uint64_t reopened = tuner.progress().reopened;
    for (const Record& record : result.records) {
      const bool competes = tuner.competes(record.variant);
      if (record.outcome == Outcome::measured && record.statistics) {
        if (baseline && is_entry(record, *baseline)) out.baseline = record;
        if (competes) out.raced.push_back(record);
        continue;
      }
      if (record.outcome == Outcome::cancelled || !competes) continue;
      // Its trial was mistaken and is reported again.
      const Trial trial{.config = record.config, .outcome = record.outcome, .message = record.why()};
      tell(tuner, options, record.variant, trial);
    }
    // A config dropped for it may be faster than all that raced.
    if (round + 1 < kRaces && tuner.progress().reopened > reopened && !stop) {
      Watch limited(stop, tuner, tuner.request().budget.seconds, {});
      TRY(search(tuner, devices, options, limited.stop(), true));
      continue;
    }
    std::ranges::stable_sort(out.raced, {}, [](const Record& r) { return r.statistics->median; });
    if (out.raced.empty()) continue;
    out.winner = out.raced.front();
    compare(result, current, out);
    out.race = std::move(result);
    return {};
  }
  return {};
}

}  // namespace

Result<TuneResult> drive(Tuner& tuner, std::span<Session* const> devices, const DriveOptions& options,
                         const Cancel& cancel) {
  TuneResult out;
  if (devices.empty()) return internal_error("there is no device to tune on");
  const auto tick = [&](const char* stage) {
    return options.tick ? [&options, stage] { options.tick(stage); } : std::function<void()>();
  };
  {
    Watch watch(cancel, tuner, tuner.request().budget.seconds, tick("search"));
    TRY(search(tuner, devices, options, watch.stop(), false));
  }
  out.interrupted = cancel;
  if (options.finalists == 0) return out;
  if (cancel) {
    out.no_race = "It was interrupted before the fastest ones were measured side by side.";
  } else {
    Watch watch(cancel, tuner, 0, tick("race"));
    if (Result<void> raced = race(tuner, devices, options, watch.stop(), out); !raced)
      out.no_race = raced.error().message;
  }
  out.interrupted = cancel;
  if (!out.winner && out.no_race.empty()) {
    const TuneProgress progress = tuner.progress();
    const auto most = std::ranges::max_element(progress.reasons, {}, [](const auto& r) { return r.second.count; });
    out.no_race = out.interrupted       ? "The race was interrupted."
                  : progress.tried == 0 ? "No config was measured before the time was up. Give it a larger budget."
                  : most == progress.reasons.end() ? "No config was measured."
                                                   : "No config was measured: " + most->second.example;
  }
  return out;
}

}  // namespace attnscope::tune
