#include "engine/session/sampling.hpp"

#include <random>
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {
namespace {

constexpr double kSubmitMs = 300;     ///< of one submit at most; drivers' watchdogs bite at 2 s
constexpr uint32_t kOverlapping = 8;  ///< executions of a back-to-back sample at least, so that overlap can show
constexpr double kLeastEstimateNs = 100;
/// Of samples at a time in a warm-up: short, so that the estimate soon follows the clock upwards.
constexpr double kWarmupBatchMs = 10;

/// Twice the L2 of any GPU of today, except where a buffer may not be that large; software has the CPU's caches.
uint64_t flush_bytes(const DeviceInfo& device) {
  const uint64_t wanted = device.type == DeviceType::software ? uint64_t{64} << 20 : uint64_t{256} << 20;
  return std::min({wanted, device.limits.max_storage_buffer_bytes, device.limits.max_allocation_bytes}) / 4 * 4;
}

constexpr double kProbeNs = 300e3;    ///< of a piece at least, where the clock may be a sixth of what it will be
constexpr uint32_t kLooks = 3;        ///< the fastest of so many pieces is a probe: another's work falls between some
constexpr uint32_t kBusyPieces = 40;  ///< between two probes, so that the device has no rest in which to slow down

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
    TRY(r_.clock.rise(wait_));
    const bool settled = TRY(r_.sampling.warm_up(events_, wait_));
    // Whatever let the device rest meanwhile: samples begin with its clock up.
    const double slow = TRY(r_.clock.rise(wait_));
    record_.settled = settled && slow < kClockDown;
    return {};
  }

  Result<void> measure() {
    // Every sample of a record is made in the same way.
    r_.sampling.settle();
    record_.dispatches_per_sample = r_.sampling.repetitions();
    events_.stage("sample");
    events_.emit(SamplingBegan{record_.dispatches_per_sample, record_.settled});
    // A software device's times drift with other programs, which no patience averages away.
    SamplingRule rule(r_.run.protocol, r_.software ? 1 : kPatience);
    start_ms_ = events_.own_ms();
    watch();
    Result<void> sampled = take_all(rule);
    // The last stretch of a live run may be short: the one before it says more.
    if (!record_.environment.telemetry) end_watch();
    return sampled;
  }

 private:
  void watch() {
    if (r_.sensors == nullptr) return;
    watched_from_ = Clock::now();
    executions_ = busy_s_ = 0;
    watch_.emplace(*r_.sensors);
  }
  void end_watch() {
    if (!watch_) return;
    const double window_s = r_.run.live ? seconds_since(watched_from_) : elapsed_ms() / 1e3;
    record_.environment.telemetry = watch_->stop().of(r_.sensors->name(), executions_, busy_s_, window_s);
    watch_.reset();
  }

  Result<void> take_all(SamplingRule& rule) {
    uint64_t batches = 0;
    const bool checks = !r_.run.live;
    double next_spot_ms = somewhere(0.1, 0.9) * r_.run.protocol.min_ms;
    // Without a memory, so that each moment is as likely as any other.
    const auto pause_ms = [&](double took_ms) {
      return -std::log(somewhere(1e-9, 1)) * std::max(r_.run.protocol.min_ms / kSingles, took_ms / kSingleShare);
    };
    double next_single_ms = pause_ms(0);
    while (r_.run.live || !rule.finished()) {
      if (checks && elapsed_ms() >= next_single_ms) {
        const double took_ms = TRY(check(r_.single_check));
        if (took_ms < 0) return {};
        next_single_ms = elapsed_ms() + pause_ms(took_ms);
      }
      if (checks && elapsed_ms() >= next_spot_ms) {
        const double took_ms = TRY(check(r_.spot_check));
        if (took_ms < 0) return {};
        next_spot_ms = elapsed_ms() + somewhere(0.5, 1.5) * std::max(r_.run.protocol.min_ms, took_ms / kSpotShare);
        next_single_ms = elapsed_ms() + r_.sampling.sample_ms() * std::pow(kSoonSamples, somewhere(0, 1));
      }
      const uint32_t left = r_.run.live ? UINT32_MAX : remaining();
      const double until_ms = std::min(next_spot_ms, next_single_ms) - elapsed_ms();
      const double batch_ms = checks ? std::clamp(until_ms, 0.0, r_.run.batch_ms) : r_.run.batch_ms;
      const std::vector<double> samples =
          TRY(r_.sampling.take(std::min(r_.sampling.samples_in(batch_ms), left), wait_, true));
      for (const double ns : samples) {
        record_.samples_ns.push_back(ns);
        if (!r_.run.live) rule.add(ns * r_.sampling.repetitions(), elapsed_ms());
      }
      if (record_.samples_ns.size() > 2 * kLiveKept && r_.run.live)
        record_.samples_ns.erase(record_.samples_ns.begin(), record_.samples_ns.end() - kLiveKept);
      if (r_.run.live && std::has_single_bit(++batches)) {
        const bool right = TRY(r_.still_right());
        if (!right) return {};
      }
      const double each = record_.dispatches_per_sample;
      executions_ += double(samples.size()) * each;
      busy_s_ += std::accumulate(samples.begin(), samples.end(), 0.0) * each / 1e9;
      events_.emit(SampleBatch{samples});
      if (r_.run.live && watch_ && seconds_since(watched_from_) >= kTellSensorsS) {
        end_watch();
        events_.emit(*record_.environment.telemetry);
        watch();
      }
    }
    return {};
  }

  uint32_t remaining() const {
    const size_t have = record_.samples_ns.size();
    return uint32_t(r_.run.protocol.max_samples > have ? r_.run.protocol.max_samples - have : 1);
  }

  double somewhere(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  /// Its milliseconds, with the clock up again; they are not part of the measurement. Negative: it was wrong.
  Result<double> check(const std::function<Result<bool>()>& made) {
    const auto start = Clock::now();
    bool right = TRY(made());
    if (!right) return -1;
    TRY(r_.clock.rise(wait_));
    // It left other things in the caches than samples find there.
    if (r_.run.protocol.cache == CacheMode::hot) TRY(r_.sampling.take(1, wait_));
    const double took_ms = ms_since(start);
    checking_ms_ += took_ms;
    return took_ms;
  }

  double elapsed_ms() const { return events_.own_ms() - start_ms_ - checking_ms_; }

  const TimingRequest& r_;
  EventStream& events_;
  const vulkan::Wait& wait_;
  Record& record_;
  std::mt19937 random_{std::random_device{}()};
  double start_ms_ = 0, checking_ms_ = 0;
  std::optional<telemetry::Watch> watch_;
  Clock::time_point watched_from_;
  double executions_ = 0, busy_s_ = 0;  ///< since then
};

}  // namespace

uint32_t slices_for(double estimate_ns) { return uint32_t(std::max(1.0, std::ceil(estimate_ns / (kSubmitMs * 1e6)))); }

Result<Sampling> Sampling::create(const vulkan::Device& device, const vulkan::Execution& execution,
                                  const Protocol& protocol, double estimate_ns, uint32_t slices,
                                  const vulkan::Wait& wait) {
  Sampling s(execution, protocol, std::max(estimate_ns, kLeastEstimateNs));
  s.sample_.back_to_back = protocol.launch == LaunchMode::back_to_back;
  s.sample_.slices = slices;
  if (protocol.cache == CacheMode::cold) {
    vulkan::Buffer flush = TRY(vulkan::Buffer::create(device, flush_bytes(device.info())));
    s.sample_.flush = flush;
    // The first fill finds the memory untouched. The wall clock bounds the second one from above.
    TRY(flush.fill(0, wait));
    const auto start = Clock::now();
    TRY(flush.fill(1, wait));
    s.flush_ns_ = 1e6 * ms_since(start);
  }
  s.sample_.repetitions = s.wanted_repetitions();
  return s;
}

uint32_t Sampling::wanted_repetitions() const {
  // After the first execution the cache is no longer cold.
  if (protocol_.cache == CacheMode::cold || sample_.slices > 1) return 1;
  double n = std::ceil(protocol_.min_sample_us * 1e3 / estimate_ns_);
  if (sample_.back_to_back) n = std::max<double>(n, kOverlapping);
  const double fit = std::max(std::floor(kSubmitMs * 1e6 / estimate_ns_), 1.0);
  return uint32_t(std::clamp(n, 1.0, fit));
}

Result<bool> Sampling::warm_up(EventStream& events, const vulkan::Wait& wait) {
  WarmupRule rule(protocol_);
  const double start_ms = events.own_ms();
  while (!rule.finished()) {
    const std::vector<double> samples = TRY(take(samples_in(kWarmupBatchMs), wait));
    for (const double ns : samples) rule.add(ns, events.own_ms() - start_ms);
    events.alive();
  }
  return !rule.capped();
}

void Sampling::settle() {
  sample_.repetitions = wanted_repetitions();
  settled_ = true;
}

uint32_t Sampling::samples_in(double ms) const { return uint32_t(std::clamp(ms / sample_ms(), 1.0, 1000.0)); }

Result<double> Sampling::once(const vulkan::Wait& wait) const {
  vulkan::SampleRequest one = sample_;
  one.samples = one.repetitions = 1;
  one.back_to_back = false;
  std::vector<double> ns = TRY(execution_->sample(one, wait));
  return ns.front();
}

Result<void> Sampling::watch(vulkan::Kernels& kernels, const vulkan::Buffer& output, const vulkan::Wait& wait) {
  const auto sums = TRY(vulkan::Buffer::create(kernels.device(), 8, true));
  outputs_ = TRY(fingerprint_sums(kernels, output, sums, wait));
  return {};
}

Result<bool> Sampling::all_gave(uint64_t fingerprint, const vulkan::Wait& wait) const {
  return outputs_ ? outputs_->all_are(fingerprint, judged_, wait) : Result<bool>(true);
}

Result<std::vector<double>> Sampling::take(uint32_t samples, const vulkan::Wait& wait, bool judged) {
  std::vector<double> all;
  while (all.size() < samples) {
    if (wait.cancel != nullptr && *wait.cancel) return cancelled_error("Cancelled.");
    sample_.samples = std::min(samples - uint32_t(all.size()), samples_in(kSubmitMs));
    vulkan::SampleRequest request = sample_;
    if (judged && outputs_ && sample_.slices == 1) request.after = &outputs_->add;
    Result<std::vector<double>> taken = execution_->sample(request, wait);
    if (request.after && !taken) outputs_.reset();
    const std::vector<double> some = TRY(std::move(taken));
    if (request.after) judged_ += some.size();
    all.insert(all.end(), some.begin(), some.end());
    if (settled_) continue;
    estimate_ns_ = std::max(all.back(), kLeastEstimateNs);
    sample_.repetitions = wanted_repetitions();
  }
  return all;
}

ClockGate::ClockGate(vulkan::Device device, bool even_software, std::function<double()> answer)
    : device_(std::move(device)), idle_(device_.is_software() && !even_software), answer_(std::move(answer)) {}

Result<double> ClockGate::rise(const vulkan::Wait& wait) {
  if (answer_) return answer_();
  if (idle_) return 1.0;
  const auto take = [&](const vulkan::Execution& piece, uint32_t samples) -> Result<double> {
    auto ns = TRY(piece.sample({.samples = samples, .repetitions = 1}, wait));
    return *std::ranges::min_element(ns);
  };
  if (!probe_) {
    auto loop = TRY(vulkan::FmaLoop::create(device_));
    uint32_t iterations = vulkan::FmaLoop::kLeastIterations;
    auto piece = loop.of(iterations);
    for (; piece && iterations < vulkan::FmaLoop::kMostIterations; iterations *= 2, piece = loop.of(iterations)) {
      auto ns = TRY(take(*piece, 2));
      if (ns >= kProbeNs) break;
    }
    if (!piece) return piece.error();
    probe_ = std::move(*piece);
  }
  const auto began = Clock::now();
  rule_.begin();
  for (uint32_t samples = kLooks;; samples = kBusyPieces) {
    auto ns = TRY(take(*probe_, samples));
    rule_.add(ns, ms_since(began));
    if (rule_.finished()) return rule_.slowdown();
    if (wait.cancel != nullptr && *wait.cancel) return cancelled_error("Cancelled.");
  }
}

Result<void> take_samples(const TimingRequest& request, EventStream& events, const vulkan::Wait& wait, Record& record) {
  Sampler sampler(request, events, wait, record);
  Result<void> taken = sampler.warm_up();
  if (taken) taken = sampler.measure();
  // A cancel is the only end of a live run.
  return !taken && request.run.live && taken.error().kind == ErrorKind::cancelled ? Result<void>() : taken;
}

}  // namespace attnscope
