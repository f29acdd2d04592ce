#include "engine/tune/drive.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

#include <fmt/format.h>

namespace attnscope::tune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(100);
/// Of the finalists all may turn out wrong; then the next ones race.
constexpr int kRaces = 3;

/// Sets `stop` when the caller cancels or the time is up, and lets the caller show how far it is.
class Watch {
 public:
  Watch(const std::atomic<bool>& cancel, double budget_s, std::function<void()> tick)
      : cancel_(cancel), tick_(std::move(tick)) {
    if (budget_s > 0)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget_s));
    thread_ = std::thread([this] { run(); });
  }
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  std::atomic<bool>& stop() { return stop_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    auto next_tick = Clock::now();
    while (!done_) {
      if (cancel_ || (end_ && Clock::now() >= *end_)) stop_ = true;
      if (tick_ && Clock::now() >= next_tick) {
        next_tick = Clock::now() + kTick;
        tick_();
      }
      changed_.wait_for(lock, kTick / 5);
    }
  }
  const std::atomic<bool>& cancel_;
  std::function<void()> tick_;
  std::optional<Clock::time_point> end_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
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
    for (Record& record : result->records) {
      if (record.outcome == Outcome::measured && record.statistics) {
        if (baseline && is_entry(record, *baseline)) out.baseline = record;
        out.raced.push_back(std::move(record));
        continue;
      }
      if (record.outcome == Outcome::cancelled) continue;
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
