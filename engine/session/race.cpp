// Runner::race: a few plans verified one by one, then sampled in turn.
#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "engine/measure/stopping.hpp"
#include "engine/record/run.hpp"
#include "engine/session/resources.hpp"
#include "engine/session/runner.hpp"
#include "engine/session/sampling.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }

constexpr double kWarmupBatchMs = 10;

}  // namespace

/// One of those that race.
struct Runner::Lane {
  const Plan* plan = nullptr;
  Record* record = nullptr;
  Turns* turns = nullptr;
  Ready ready;
  std::optional<Sampling> sampling;
  std::unique_ptr<StoppingRule> rule;
};

Result<void> Runner::sample_in_turn(std::vector<Lane>& lanes, const RaceRequest& request, EventStream& events,
                                    const vulkan::Wait& wait) {
  const Protocol& protocol = request.protocol;
  events.stage("warm-up");
  auto slow = clock_.rise(wait);
  if (!slow) return slow.error();
  for (Lane& lane : lanes) {
    auto sampling =
        Sampling::create(device_, lane.ready.prepared.execution, protocol, lane.ready.first_ns, lane.ready.slices);
    if (!sampling) return sampling.error();
    lane.sampling = std::move(*sampling);
    const auto rule = make_warmup_rule(protocol);
    rule->initialize();
    const auto began = Clock::now();
    while (!rule->finished()) {
      auto samples = lane.sampling->take(lane.sampling->samples_in(kWarmupBatchMs), wait);
      if (!samples) return samples.error();
      for (const double ns : *samples) rule->add(ns, ms_since(began));
      events.alive();
    }
    lane.record->settled = !rule->capped();
    lane.sampling->settle();
    lane.record->dispatches_per_sample = lane.sampling->repetitions();
    lane.rule = make_sampling_rule(protocol);
    lane.rule->initialize();
  }
  slow = clock_.rise(wait);
  if (!slow) return slow.error();
  if (*slow >= kClockDown)
    for (Lane& lane : lanes) lane.record->settled = false;
  events.stage("sample");
  const auto began = Clock::now();
  std::vector<size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  while (!std::all_of(lanes.begin(), lanes.end(), [](const Lane& l) { return l.rule->finished(); })) {
    for (const size_t i : order) {
      Lane& lane = lanes[i];
      const size_t have = lane.record->samples_ns.size();
      if (have >= protocol.max_samples) continue;
      // The caches are still the last lane's.
      if (protocol.cache == CacheMode::hot)
        if (auto first = lane.sampling->take(1, wait); !first) return first.error();
      const auto most = static_cast<uint32_t>(protocol.max_samples - have);
      auto samples = lane.sampling->take(std::min(lane.sampling->samples_in(request.turn_ms), most), wait);
      if (!samples) return samples.error();
      lane.turns->samples.push_back(static_cast<uint32_t>(samples->size()));
      for (const double ns : *samples) {
        lane.record->samples_ns.push_back(ns);
        lane.rule->add(ns * lane.sampling->repetitions(), ms_since(began) / double(lanes.size()));
      }
      events.alive();
    }
    // There and back: what drifts steadily falls on all alike.
    std::reverse(order.begin(), order.end());
  }
  return {};
}

Result<void> Runner::race(const std::vector<std::optional<Plan>>& plans, const RaceRequest& request,
                          EventStream& events, const std::atomic<bool>& cancel, RaceResult& result) {
  std::vector<Record>& records = result.records;
  result.turns.assign(records.size(), {});
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  auto work = judge_.untouched(workloads_, request.problem, request.seed, wait);
  if (!work) return work.error();
  RunRequest run;
  run.problem = request.problem;
  run.protocol = request.protocol;
  run.seed = request.seed;
  std::vector<Lane> lanes;
  const auto failed = [](const Record& r) { return r.verdict && !r.verdict->pass; };
  const auto end_with = [](Record& r, const Error& e) { conclude(r, outcome_of(e.kind), e.message); };
  // One that is wrong may have written where it must not: the others are made ready again, on inputs of their own.
  std::vector<bool> out(plans.size());
  for (bool again = true; again;) {
    again = false;
    lanes.clear();
    for (size_t i = 0; i < plans.size() && !again; ++i) {
      if (!plans[i] || out[i]) continue;
      Record& record = records[i];
      record.precision = plans[i]->precision;
      record.extra_bytes = plans[i]->extra_bytes;
      record.scratch_bytes = plans[i]->scratch_bytes;
      record.resources = planned_resources(*plans[i]);
      events.stage("compile");
      Result<Ready> ready = make_ready(*plans[i], run, **work, events, wait, record);
      if (!ready && ready.error().kind == ErrorKind::device_lost) return ready.error();
      if (ready && !failed(record)) {
        lanes.push_back({&*plans[i], &record, &result.turns[i], std::move(*ready), std::nullopt, nullptr});
        continue;
      }
      out[i] = true;
      if (!ready) {
        end_with(record, ready.error());
        continue;
      }
      conclude(record, Outcome::failed_verdict);
      workloads_.forget(*work);
      work = judge_.untouched(workloads_, request.problem, request.seed, wait);
      if (!work) return work.error();
      again = true;
    }
  }
  Result<void> sampled = sample_in_turn(lanes, request, events, wait);
  if (!sampled && sampled.error().kind != ErrorKind::cancelled) return sampled;
  for (Lane& lane : lanes) {
    Record& record = *lane.record;
    if (!sampled || record.samples_ns.empty()) {
      conclude(record, Outcome::cancelled);
      continue;
    }
    events.stage("verify");
    // Inputs that changed since all were verified may be the doing of any lane: nobody is judged, or timed, on those.
    auto changed = judge_.changed_inputs(**work, wait);
    if (!changed || !changed->empty()) {
      workloads_.forget(*work);
      end_with(record, changed ? internal_error(fmt::format("One of this race changed an input ({}) while all were "
                                                            "timed; run each alone to see which.",
                                                            *changed))
                               : changed.error());
      continue;
    }
    const Timed timed{record.samples_ns.size() * record.dispatches_per_sample, summarize(record.samples_ns)->median,
                      lane.ready.slices};
    // The output is the last lane's by now.
    auto ran = lane.ready.prepared.execution.run(wait);
    Result<void> ok =
        ran ? judge_.again(*lane.plan, lane.ready.prepared, **work, timed, wait, record) : Result<void>(ran.error());
    if (!ok) {
      end_with(record, ok.error());
      continue;
    }
    if (failed(record)) {
      workloads_.forget(*work);
      conclude(record, Outcome::failed_verdict);
      continue;
    }
    if (request.resources) {
      events.stage("resources");
      auto resources = resources_of(*lane.plan, record.environment.shader_hash, events);
      if (!resources) {
        end_with(record, resources.error());
        continue;
      }
      record.resources = *resources;
    }
    conclude(record, Outcome::measured);
  }
  return {};
}

}  // namespace attnscope
