// Runner::race: a few plans verified one by one, then sampled in turn.
#include <random>

#include "engine/session/runner.hpp"

namespace attnscope {
namespace {

/// A lane's spot check comes after one of its first turns.
constexpr uint32_t kLastSpotTurn = 8;
/// Of its turns one in so many has a single check.
constexpr uint32_t kSingleTurns = 5;
constexpr double kMostChecking = 0.5;  ///< of the time, at the most

}  // namespace

struct Runner::Lane {
  const Plan* plan = nullptr;
  Record* record = nullptr;
  Turns* turns = nullptr;
  Ready ready;
  std::optional<Sampling> sampling;
  std::optional<SamplingRule> rule;
  uint32_t spot_turn = 0;  ///< the turn after which it is spot-checked
  TimedRuns timed{};
};

Result<void> Runner::sample_in_turn(std::vector<Lane>& lanes, const RaceRequest& request, Workload& work,
                                    EventStream& events, const vulkan::Wait& wait) {
  std::mt19937 random{std::random_device{}()};
  const Protocol& protocol = request.protocol;
  events.stage("warm-up");
  TRY(clock_.rise(wait));
  for (Lane& lane : lanes) {
    lane.sampling = TRY(Sampling::create(device_, lane.ready.prepared.execution, protocol, lane.ready.first_ns,
                                         lane.ready.slices, wait));
    lane.record->settled = TRY(lane.sampling->warm_up(events, wait));
    lane.sampling->settle();
    lane.timed.sampling = &*lane.sampling;
    TRY(Judge{*lane.plan, lane.ready.prepared, work, wait, *lane.record}.watch(*lane.sampling));
    lane.record->dispatches_per_sample = lane.sampling->repetitions();
    lane.rule.emplace(protocol);
    lane.spot_turn = std::uniform_int_distribution<uint32_t>(1, kLastSpotTurn)(random);
  }
  const double slow = TRY(clock_.rise(wait));
  if (slow >= kClockDown)
    for (Lane& lane : lanes) lane.record->settled = false;
  events.stage("sample");
  const double start_ms = events.own_ms();
  // Without the checks.
  double checking_ms = 0, paused_ms = 0;
  const auto elapsed_ms = [&] { return events.own_ms() - start_ms - checking_ms; };
  std::vector<size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  while (!std::ranges::all_of(lanes, [&](const Lane& l) { return l.rule->finished() || l.record->wrong(); })) {
    for (const size_t i : order) {
      Lane& lane = lanes[i];
      const size_t have = lane.record->samples_ns.size();
      if (have >= protocol.max_samples || lane.record->wrong()) continue;
      // The caches are still the last lane's.
      if (protocol.cache == CacheMode::hot) TRY(lane.sampling->take(1, wait));
      const auto most = uint32_t(protocol.max_samples - have);
      auto samples = TRY(lane.sampling->take(std::min(lane.sampling->samples_in(request.turn_ms), most), wait, true));
      lane.turns->samples.push_back(uint32_t(samples.size()));
      for (const double ns : samples) {
        lane.record->samples_ns.push_back(ns);
        lane.rule->add(ns * lane.sampling->repetitions(), elapsed_ms() / double(lanes.size()));
      }
      const bool spot = lane.turns->samples.size() == lane.spot_turn;
      // Where a check takes long there are fewer.
      if (spot || (random() % kSingleTurns == 0 && kMostChecking * elapsed_ms() >= checking_ms)) {
        const auto check_began = Clock::now();
        // Another lane's doing would be taken for this one's; finish() says so of all.
        const std::string changed = TRY(changed_inputs(work, wait));
        if (!changed.empty()) return {};
        const Judge judge{*lane.plan, lane.ready.prepared, work, wait, *lane.record};
        if (spot)
          lane.timed.spots.push_back(TRY(judge.spot_check(&*lane.sampling, InputSet::changed)));
        else
          TRY(judge.single_check(lane.timed));
        TRY(clock_.rise(wait));
        checking_ms += ms_since(check_began);
      }
      events.alive();
    }
    // There and back: what drifts steadily falls on all alike.
    std::ranges::reverse(order);
    if (!request.paced || elapsed_ms() - paused_ms < request.batch_ms) continue;
    events.emit(SampleBatch{});
    paused_ms = elapsed_ms();
    // What comes first after a pause is another each time.
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  return {};
}

Result<void> Runner::race(const std::vector<std::optional<Plan>>& plans, const RaceRequest& request,
                          EventStream& events, const Cancel& cancel, RaceResult& result) {
  stop_compiling();
  std::vector<Record>& records = result.records;
  result.turns.assign(records.size(), {});
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  auto work = TRY(untouched(workloads_, request.problem, request.seed, wait));
  const RunRequest run{.problem = request.problem, .protocol = request.protocol, .seed = request.seed};
  std::vector<Lane> lanes;
  // One that is wrong may have written where it must not: the others are made ready again, on inputs of their own.
  std::vector<bool> out(plans.size());
  for (bool again = true; again;) {
    again = false;
    lanes.clear();
    for (size_t i = 0; i < plans.size() && !again; ++i) {
      if (!plans[i] || out[i]) continue;
      Record& record = records[i];
      events.stage("compile");
      Result<Ready> ready = make_ready(*plans[i], run, *work, events, wait, record);
      if (!ready && ready.error().kind == ErrorKind::device_lost) return ready.error();
      if (ready && !record.wrong()) {
        lanes.push_back({&*plans[i], &record, &result.turns[i], std::move(*ready), {}, {}, 0, {}});
        continue;
      }
      out[i] = true;
      if (!ready) {
        conclude(record, ready.error());
        continue;
      }
      conclude(record, Outcome::failed_verdict);
      workloads_.forget(work);
      work = TRY(untouched(workloads_, request.problem, request.seed, wait));
      again = true;
    }
  }
  Result<void> sampled = sample_in_turn(lanes, request, *work, events, wait);
  if (!sampled && sampled.error().kind != ErrorKind::cancelled) return sampled;
  const auto finish = [&](Lane& lane) -> Result<Outcome> {
    Record& record = *lane.record;
    if (!sampled) {
      // Nobody has judged them.
      record.samples_ns.clear();
      lane.turns->samples.clear();
      return Outcome::cancelled;
    }
    events.stage("verify");
    if (record.wrong()) workloads_.forget(work);
    if (record.wrong()) return Outcome::failed_verdict;
    // Inputs that changed since all were verified may be the doing of any lane: nobody is judged, or timed, on those.
    auto changed = changed_inputs(*work, wait);
    if (!changed || !changed->empty()) workloads_.forget(work);
    if (!changed) return changed.error();
    if (!changed->empty())
      return internal_error("One of this race changed an input ({}) while all were timed; run each alone to see which.",
                            *changed);
    if (record.samples_ns.empty()) return Outcome::cancelled;
    TimedRuns& timed = lane.timed;
    timed.executions = record.samples_ns.size() * record.dispatches_per_sample;
    timed.typical_ns = summarize(record.samples_ns)->median;
    timed.least_ns = least_of(record.samples_ns);
    // The output is the last lane's by now.
    TRY(lane.ready.prepared.execution.run(wait));
    TRY(Judge{*lane.plan, lane.ready.prepared, *work, wait, record}.again(timed));
    if (record.wrong()) workloads_.forget(work);
    if (record.wrong()) return Outcome::failed_verdict;
    if (timed.busy) {
      record.samples_ns.clear();
      return too_busy(timed);
    }
    if (request.resources) {
      events.stage("resources");
      record.resources = TRY(resources_of(*lane.plan, events));
    }
    return Outcome::measured;
  };
  for (Lane& lane : lanes) conclude(*lane.record, finish(lane));
  return {};
}

}  // namespace attnscope
