#include "engine/session/sampling.hpp"

#include <bit>
#include <numeric>
#include <random>

#include "engine/clock.hpp"
#include "engine/measure/stopping.hpp"

namespace attnscope {
namespace {

constexpr size_t kLiveKept = 100000;  ///< samples of a live run kept for its record: the newest
constexpr double kPatience = 5;       ///< times min_ms, for samples with slow drift
constexpr double kSpotShare = 0.02;   ///< of the time, for spot checks after the first
constexpr double kSingleShare = 0.5;  ///< the same of single checks
constexpr double kSingles = 8;        ///< of them in min_ms, in the mean
constexpr double kSoonSamples = 16;   ///< after a spot check, at the most
constexpr double kTellSensorsS = 2;   ///< of a live run: long enough for its energy where there is no counter

class Sampler {
 public:
  Sampler(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record)
      : r_(request), events_(events), wait_(wait), record_(record) {}

  Result<void> warm_up() {
    events_.stage("warm-up");
    TRY(r_.clock->rise(wait_));
    WarmupRule rule(r_.protocol);
    begin();
    while (!rule.finished()) {
      std::vector<double> samples = TRY(batch(kWarmupBatchMs));
      for (const double ns : samples) rule.add(ns, elapsed_ms());
      events_.alive();
    }
    // Whatever let the device rest meanwhile: samples begin with its clock up.
    const double slow = TRY(r_.clock->rise(wait_));
    record_.settled = !rule.capped() && slow < kClockDown;
    return {};
  }

  Result<void> measure() {
    // Every sample of a record is made in the same way.
    r_.sampling->settle();
    record_.dispatches_per_sample = r_.sampling->repetitions();
    events_.stage("sample");
    events_.emit(SamplingBegan{record_.dispatches_per_sample, record_.settled});
    // A software device's times drift with other programs, which no patience averages away.
    SamplingRule rule(r_.protocol, r_.software ? 1 : kPatience);
    begin();
    watch();
    Result<void> sampled = take_all(rule);
    // The last stretch of a live run may be short: the one before it says more.
    if (!record_.environment.telemetry) end_watch();
    return sampled;
  }

 private:
  /// The sensors from now on.
  void watch() {
    if (r_.sensors == nullptr) return;
    watched_from_ = Clock::now();
    executions_ = busy_s_ = 0;
    watch_.emplace(*r_.sensors);
  }
  void end_watch() {
    if (!watch_) return;
    const double window_s = r_.live ? seconds_since(watched_from_) : elapsed_ms() / 1e3;
    record_.environment.telemetry = watch_->stop().of(r_.sensors->name(), executions_, busy_s_, window_s);
    watch_.reset();
  }

  Result<void> take_all(SamplingRule& rule) {
    uint64_t batches = 0;
    const bool checks = !r_.live && r_.spot_check && r_.single_check;
    double next_spot_ms = somewhere(0.1, 0.9) * r_.protocol.min_ms;
    // Without a memory, so that each moment is as likely as any other.
    const auto pause_ms = [&](double took_ms) {
      return -std::log(somewhere(1e-9, 1)) * std::max(r_.protocol.min_ms / kSingles, took_ms / kSingleShare);
    };
    double next_single_ms = pause_ms(0);
    while (r_.live || !rule.finished()) {
      if (checks && elapsed_ms() >= next_single_ms) {
        const double took_ms = TRY(check(r_.single_check));
        if (took_ms < 0) return {};
        next_single_ms = elapsed_ms() + pause_ms(took_ms);
      }
      if (checks && elapsed_ms() >= next_spot_ms) {
        const double took_ms = TRY(check(r_.spot_check));
        if (took_ms < 0) return {};
        next_spot_ms = elapsed_ms() + somewhere(0.5, 1.5) * std::max(r_.protocol.min_ms, took_ms / kSpotShare);
        next_single_ms = elapsed_ms() + r_.sampling->sample_ms() * std::pow(kSoonSamples, somewhere(0, 1));
      }
      const uint32_t left = r_.live ? UINT32_MAX : remaining();
      const double until_ms = std::min(next_spot_ms, next_single_ms) - elapsed_ms();
      Result<std::vector<double>> samples = batch(checks ? std::clamp(until_ms, 0.0, r_.batch_ms) : r_.batch_ms, left);
      if (!samples && samples.error().kind == ErrorKind::cancelled && r_.live) return {};
      if (!samples) return samples.error();
      for (const double ns : *samples) {
        record_.samples_ns.push_back(ns);
        if (!r_.live) rule.add(ns * r_.sampling->repetitions(), elapsed_ms());
      }
      if (record_.samples_ns.size() > 2 * kLiveKept && r_.live)
        record_.samples_ns.erase(record_.samples_ns.begin(), record_.samples_ns.end() - kLiveKept);
      if (r_.live && r_.still_right && std::has_single_bit(++batches)) {
        Result<bool> right = r_.still_right();
        if (!right && right.error().kind == ErrorKind::cancelled) return {};
        if (!right) return right.error();
        if (!*right) return {};
      }
      const double each = record_.dispatches_per_sample;
      executions_ += double(samples->size()) * each;
      busy_s_ += std::accumulate(samples->begin(), samples->end(), 0.0) * each / 1e9;
      events_.emit(SampleBatch{*samples});
      if (r_.live && watch_ && seconds_since(watched_from_) >= kTellSensorsS) {
        end_watch();
        events_.emit(*record_.environment.telemetry);
        watch();
      }
    }
    return {};
  }

  uint32_t remaining() const {
    const size_t have = record_.samples_ns.size();
    return static_cast<uint32_t>(r_.protocol.max_samples > have ? r_.protocol.max_samples - have : 1);
  }

  double somewhere(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  /// Its milliseconds, with the clock up again; they are not part of the measurement. Negative: it was wrong.
  Result<double> check(const std::function<Result<bool>()>& made) {
    const auto start = Clock::now();
    bool right = TRY(made());
    if (!right) return -1;
    TRY(r_.clock->rise(wait_));
    // It left other things in the caches than samples find there.
    if (r_.protocol.cache == CacheMode::hot) TRY(r_.sampling->take(1, wait_));
    const double took_ms = ms_since(start);
    checking_ms_ += took_ms;
    return took_ms;
  }

  Result<std::vector<double>> batch(double ms, uint32_t at_most = UINT32_MAX) {
    return r_.sampling->take(std::min(r_.sampling->samples_in(ms), at_most), wait_);
  }

  void begin() {
    start_ = Clock::now();
    held_at_start_ = events_.held_ms();
    checking_ms_ = 0;
  }
  double elapsed_ms() const {
    const double all = ms_since(start_);
    return all - (events_.held_ms() - held_at_start_) - checking_ms_;
  }

  const TimingRequest& r_;
  EventStream& events_;
  const vulkan::Wait& wait_;
  Record& record_;
  std::mt19937 random_{std::random_device{}()};
  Clock::time_point start_;
  double held_at_start_ = 0, checking_ms_ = 0;
  std::optional<telemetry::Watch> watch_;
  Clock::time_point watched_from_;
  double executions_ = 0, busy_s_ = 0;  ///< since then
};

}  // namespace

Result<void> take_samples(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record) {
  Sampler sampler(request, events, wait, record);
  Result<void> warm = sampler.warm_up();
  if (!warm) return request.live && warm.error().kind == ErrorKind::cancelled ? Result<void>() : warm;
  return sampler.measure();
}

}  // namespace attnscope
