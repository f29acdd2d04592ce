#include "engine/session/without_spills.hpp"
#include "engine/clock.hpp"

#include <iterator>
#include <tuple>

namespace attnscope {

bool spills(const Resources& r) { return r.spills.value_or(r.spill_bytes.value_or(0)) > 0; }

Config changed_values(const Config& from, const Config& to) {
  Config changed;
  std::set_difference(to.begin(), to.end(), from.begin(), from.end(), std::inserter(changed, changed.end()));
  return changed;
}

std::optional<Record> nearest_without_spills(Session& session, const Record& spilled, const std::atomic<bool>& cancel,
                                             size_t most_compiles) {
  using Place = std::tuple<size_t, uint64_t, Config>;  // steps, bytes of private arrays
  std::set<Place> open{{0, UINT64_MAX, spilled.config}};
  std::set<Config> seen{spilled.config};
  RunRequest request;
  request.problem = spilled.problem;
  request.variant = spilled.variant;
  request.verify = request.measure = false;
  constexpr double kLongestS = 30;  // some compilers take a minute for one
  const auto begun = Clock::now();
  for (size_t compiled = 0; !open.empty() && !cancel && seconds_since(begun) < kLongestS;) {
    const auto [steps, bytes, config] = *open.begin();
    open.erase(open.begin());
    if (steps > 0) {
      if (++compiled > most_compiles) break;
      request.config = config;
      Result<Record> record = session.run(
          request, [](const Event&) {}, cancel);
      if (!record || record->outcome != Outcome::compiled) continue;
      if (!record->resources.spills && !record->resources.spill_bytes) break;
      if (!spills(record->resources)) return std::move(*record);
    }
    const Result<NeighbourPlans> around = session.plan_neighbours(request.problem, request.variant, config);
    if (!around) continue;
    for (const Neighbour& n : around->neighbours) {
      Config next = config;
      next[n.parameter] = n.value;
      if (n.shape.private_bytes < around->shape.private_bytes && seen.insert(next).second)
        open.emplace(steps + 1, n.shape.private_bytes, std::move(next));
    }
  }
  return std::nullopt;
}

}  // namespace attnscope
