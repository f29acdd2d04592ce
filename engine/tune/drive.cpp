#include "engine/tune/drive.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

#include <fmt/format.h>

#include "engine/measure/paired.hpp"

namespace attnscope::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(100);
/// Of the finalists all may turn out wrong; then the next ones race.
constexpr int kRaces = 3;

/// Does something now and again, on a thread of its own, as long as it lives.
class Repeated {
 public:
  Repeated(std::chrono::milliseconds every, std::function<void()> what)
      : every_(every), what_(std::move(what)), thread_([this] { run(); }) {}
  ~Repeated() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      lock.unlock();
      what_();
      lock.lock();
      changed_.wait_for(lock, every_, [this] { return done_; });
    }
  }
  const std::chrono::milliseconds every_;
  const std::function<void()> what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

/// Sets `stop` when the caller cancels or the time is up, and lets the caller show how far it is. Neither waits for the
/// other: whatever keeps a tick, the time is up when it is up.
class Watch {
 public:
  Watch(const std::atomic<bool>& cancel, double budget_s, std::function<void()> tick) : cancel_(cancel) {
    if (budget_s > 0)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget_s));
    stopper_.emplace(kTick / 5, [this] {
      if (cancel_ || (end_ && Clock::now() >= *end_)) stop_ = true;
    });
    if (tick) ticker_.emplace(kTick, std::move(tick));
  }
  std::atomic<bool>& stop() { return stop_; }

 private:
  const std::atomic<bool>& cancel_;
  std::optional<Clock::time_point> end_;
  std::atomic<bool> stop_{false};
  std::optional<Repeated> stopper_, ticker_;
};

/// All devices until there is nothing more to do; the first error, if any.
Result<void> search(Tuner& tuner, std::span<Measurer* const> devices, const DriveOptions& options,
                    std::atomic<bool>& stop) {
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&](Measurer& device) {
    while (!stop) {
      Result<std::optional<TrialsRequest>> request = tuner.next(device, stop);
      Result<TrialsReport> report = TrialsReport{};
      if (request) {
        if (!*request) return;
        const std::string variant = (*request)->variant;
        const auto done = [&](const Trial& trial) {
          const std::lock_guard lock(mutex);
          if (trial.outcome == Outcome::cancelled) return;
          tuner.tell(variant, trial);
          if (options.trial) options.trial(variant, trial);
        };
        report = device.trials(**request, done, stop);
        if (report) {
          tuner.add(*report);
          continue;
        }
      }
      const std::lock_guard lock(mutex);
      const Error& what = request ? report.error() : request.error();
      if (!error && !(stop && what.kind == ErrorKind::cancelled)) error = what;
      return;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < devices.size(); ++i) threads.emplace_back([&, i] { work(*devices[i]); });
  work(*devices.front());
  for (std::thread& thread : threads) thread.join();
  return error ? Result<void>(*error) : Result<void>();
}

bool is_entry(const Record& record, const RaceEntry& entry) {
  return record.variant == entry.variant && record.config == entry.config;
}

/// Each that raced against the baseline: by their turns, which are neighbours, where the device told of them.
void compare_raced(const RaceResult& result, TuneResult& out) {
  if (!out.baseline) return;
  const auto turns_of = [&](const Record& record) -> std::span<const uint32_t> {
    for (size_t i = 0; i < result.records.size() && i < result.turns.size(); ++i)
      if (result.records[i].variant == record.variant && result.records[i].config == record.config)
        return result.turns[i].samples;
    return {};
  };
  const Taken taken{true, out.baseline->environment.device.type == DeviceType::software};
  const auto of_baseline = turns_of(*out.baseline);
  for (const Record& record : out.raced) {
    const auto turns = turns_of(record);
    if (record.variant == out.baseline->variant && record.config == out.baseline->config)
      out.words.push_back({Relation::same, 1, 1, 1, {}});
    else if (turns.empty() || of_baseline.empty())
      out.words.push_back(compare_samples(out.baseline->samples_ns, record.samples_ns, taken));
    else
      out.words.push_back(compare_turns({out.baseline->samples_ns, of_baseline}, {record.samples_ns, turns}));
  }
}

Result<void> race(Tuner& tuner, Measurer& device, const DriveOptions& options, const std::atomic<bool>& stop,
                  TuneResult& out) {
  for (int round = 0; round < kRaces && !stop; ++round) {
    RaceRequest request;
    request.problem = tuner.request().problem;
    request.protocol = tuner.request().protocol;
    request.seed = tuner.request().seed;
    request.entries = tuner.finalists(options.finalists, options.final_within);
    if (request.entries.empty()) return {};
    const auto baseline = tuner.baseline();
    if (baseline && std::find(request.entries.begin(), request.entries.end(), *baseline) == request.entries.end())
      request.entries.push_back(*baseline);
    Result<RaceResult> result = device.race(request, stop);
    if (!result) return result.error();
    for (const Record& record : result->records) {
      const bool competes = tuner.competes(record.variant);
      if (record.outcome == Outcome::measured && record.statistics) {
        if (baseline && is_entry(record, *baseline)) out.baseline = record;
        if (competes) out.raced.push_back(record);
        continue;
      }
      if (record.outcome == Outcome::cancelled || !competes) continue;
      // Its trial was mistaken, and is told of anew.
      Trial trial;
      trial.config = record.config;
      trial.outcome = record.outcome;
      trial.message = record.verdict && !record.verdict->pass ? record.verdict->reason : record.message;
      tuner.tell(record.variant, trial);
      if (options.trial) options.trial(record.variant, trial);
    }
    std::stable_sort(out.raced.begin(), out.raced.end(),
                     [](const Record& a, const Record& b) { return a.statistics->median < b.statistics->median; });
    if (out.raced.empty()) continue;
    out.winner = out.raced.front();
    compare_raced(*result, out);
    return {};
  }
  return {};
}

}  // namespace

Result<TuneResult> drive(Tuner& tuner, std::span<Measurer* const> devices, const DriveOptions& options,
                         const std::atomic<bool>& cancel) {
  TuneResult out;
  if (devices.empty()) return internal_error("there is no device to tune on");
  {
    Watch watch(cancel, tuner.request().budget_s, [&] {
      if (options.tick) options.tick("search");
    });
    if (Result<void> searched = search(tuner, devices, options, watch.stop()); !searched) return searched.error();
  }
  out.interrupted = cancel;
  if (options.finalists == 0) return out;
  if (cancel) {
    out.no_race = "It was interrupted before the fastest ones were measured side by side.";
  } else {
    Watch watch(cancel, 0, [&] {
      if (options.tick) options.tick("race");
    });
    if (Result<void> raced = race(tuner, *devices.front(), options, watch.stop(), out); !raced)
      out.no_race = raced.error().message;
  }
  out.interrupted = cancel;
  if (!out.winner && out.no_race.empty())
    out.no_race = out.interrupted ? "The race was interrupted." : "No config was measured.";
  return out;
}

}  // namespace attnscope::tune
