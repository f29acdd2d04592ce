#include "engine/search/pair.hpp"

namespace attnscope::search {
namespace {

/// Two clocks that take turns every 40 ms hide 1 % from turns of 5 ms, and not from these (paired_test.cpp).
constexpr double kTurnMs = 2;

}  // namespace

Protocol pair_protocol() {
  Protocol p;
  p.min_ms = 400;
  p.max_ms = 1500;
  p.min_samples = 32;
  p.target_noise = 0.001;
  return p;
}

RaceRequest pair_request(const Problem& problem) {
  RaceRequest request;
  request.problem = problem;
  request.protocol = pair_protocol();
  request.turn_ms = kTurnMs;
  return request;
}

Result<PairOutcome> race_pair(Session& session, const RaceRequest& request, double tolerance, const EventSink& sink,
                              const std::atomic<bool>& cancel) {
  RaceResult race = TRY(session.race(request, sink, cancel));
  if (race.records.size() != 2 || race.turns.size() != 2)
    return internal_error("The worker measured another number of configs than two; is it of another version?");
  PairOutcome out;
  out.row = compare_raced(race.records[0], race.turns[0].samples, race.records[1], race.turns[1].samples, tolerance);
  out.race = std::move(race);
  return out;
}

VariantSource renamed(VariantSource source, const std::string& name) {
  source.name = name;
  source.shadows.clear();
  return source;
}

}  // namespace attnscope::search
