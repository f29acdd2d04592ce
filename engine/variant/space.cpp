#include "engine/variant/space.hpp"

#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

/// Configs are leaves of a tree, a parameter a level; a constraint on inner levels takes all leaves below away at once.
class Walk {
 public:
  Walk(const Variant& variant, const Planner& planner, const SpaceRequest& request, SpaceBatch& batch)
      : variant_(variant), planner_(planner), request_(request), batch_(batch), product_(variant.parameters) {}

  void run(Countdown& left) {
    size_t changed = 0;  // the first parameter that has a new value
    while (batch_.next < batch_.size && batch_.legal.size() < std::max<uint64_t>(request_.max_legal, 1) &&
           left.next()) {
      const uint64_t count = decide(batch_.next, changed, batch_.size, left);
      const uint64_t before = batch_.next;
      batch_.next += count;
      changed = 0;
      while (changed < variant_.parameters.size() &&
             before / product_.stride(changed) == batch_.next / product_.stride(changed))
        ++changed;
    }
    batch_.done = batch_.next >= batch_.size;
  }

  void run_points(Countdown& left) {
    for (const uint64_t point : request_.points) {
      if (batch_.legal.size() >= std::max<uint64_t>(request_.max_legal, 1) || !left.next()) return;
      if (point < batch_.size) decide(point, 0, 1, left);
    }
  }

  void prune(const Refusal& refusal, uint64_t count, const Config& config) {
    if (batch_.refused.size() < request_.keep_refused) batch_.refused.push_back({config, refusal.error.message});
    add_reasons(batch_.pruned, {{refusal.reason, count, refusal.error.message, config}});
  }

 private:
  /// How many configs from `at` on are decided now, at most `most`; `changed`: the first parameter with a new value.
  uint64_t decide(uint64_t at, size_t changed, uint64_t most, Countdown& left) {
    for (size_t p = changed; p < variant_.parameters.size(); ++p)
      planner_.rules().set(p, variant_.parameters[p].values[product_.digit(at, p)]);
    for (size_t p = changed; p < variant_.parameters.size(); ++p)
      if (const auto constraint = planner_.rules().unmet_at(p + 1)) {
        const uint64_t below = product_.stride(p);
        const uint64_t count = std::min(below - at % below, most);
        count_unmet(*constraint, at, count);
        return count;
      }
    Config config = product_.at(at);
    Plan plan;
    const auto refused = planner_.plan(config, plan);
    left.look_at_clock();
    if (refused)
      prune(*refused, 1, config);
    else
      batch_.legal.push_back(std::move(config));
    return 1;
  }

  /// The sentence costs more than the decision, so it is made for the first of a kind alone.
  void count_unmet(size_t constraint, uint64_t at, uint64_t count) {
    const std::string& reason = variant_.manifest.constraints[constraint].require;
    PrunedReason* known = find_by(batch_.pruned, reason, &PrunedReason::reason);
    if (known != nullptr && batch_.refused.size() >= request_.keep_refused) {
      known->count += count;
      return;
    }
    Config config = product_.at(at);
    const Refusal unmet = planner_.unmet(constraint, config);
    for (uint64_t i = 0; i < count && batch_.refused.size() < request_.keep_refused; ++i)
      batch_.refused.push_back({product_.at(at + i), unmet.error.message});
    add_reasons(batch_.pruned, {{unmet.reason, count, unmet.error.message, std::move(config)}});
  }

  const Variant& variant_;
  const Planner& planner_;
  const SpaceRequest& request_;
  SpaceBatch& batch_;
  ConfigProduct product_;
};

}  // namespace

SpaceBatch plan_space(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler,
                      const SpaceRequest& request, const Cancel* cancel) {
  SpaceBatch batch;
  batch.size = ConfigProduct(variant.parameters).size();
  batch.first = batch.next = std::min(request.first, batch.size);
  batch.done = batch.next >= batch.size;
  if (batch.done || (cancel != nullptr && *cancel)) return batch;
  const Planner planner(variant, problem, device, compiler);
  Walk walk(variant, planner, request, batch);
  if (const auto hopeless = planner.refuse_problem()) {
    walk.prune(*hopeless, batch.size - batch.first, default_config(variant));
    batch.next = batch.size;
    batch.done = true;
    return batch;
  }
  Countdown left({request.budget_candidates, request.budget_ms}, cancel);
  request.points.empty() ? walk.run(left) : walk.run_points(left);
  std::ranges::stable_sort(batch.pruned, [](const auto& a, const auto& b) { return a.count > b.count; });
  return batch;
}

void add_reasons(std::vector<PrunedReason>& total, const std::vector<PrunedReason>& more) {
  for (const PrunedReason& reason : more) {
    PrunedReason* known = find_by(total, reason.reason, &PrunedReason::reason);
    if (known == nullptr)
      total.push_back(reason);
    else
      known->count += reason.count;
  }
}

}  // namespace attnscope
