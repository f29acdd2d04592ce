#include "engine/variant/neighbour_plans.hpp"

#include "engine/clock.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

Tiles tiles_of(const Planner& planner, const TilesDecl& decl, const Config& config) {
  // load_variant() has checked the names; a number that is none is no tile.
  const auto number = [&](const std::string& expression) {
    if (expression.empty()) return 0.0;
    const Result<double> value = planner.value(expression, config);
    return value && *value > 0 ? *value : 0.0;
  };
  return {number(decl.query), number(decl.key), number(decl.value), number(decl.lane_stride), number(decl.lane_bytes)};
}

PlanShape shape_of(const Planner& planner, const TilesDecl& tiles, const Plan& plan) {
  PlanShape shape;
  shape.passes = static_cast<uint32_t>(plan.passes.size());
  for (const PlanPass& pass : plan.passes) {
    const uint64_t workgroups = uint64_t{pass.grid[0]} * pass.grid[1] * pass.grid[2];
    if (workgroups < shape.workgroups) continue;
    shape.workgroups = workgroups;
    const auto& size = pass.facts.local_size;
    shape.invocations = uint64_t{size[0]} * size[1] * size[2];
  }
  shape.shared_bytes = plan.shared_bytes;
  shape.private_bytes = plan.private_bytes;
  shape.extra_bytes = plan.extra_bytes;
  shape.tiles = tiles_of(planner, tiles, plan.config);
  return shape;
}

}  // namespace

Result<NeighbourPlans> plan_neighbours(const Variant& variant, const Problem& problem, const Config& config,
                                       const DeviceInfo& device, Compiler& compiler, const SearchBudget& budget) {
  const Planner planner(variant, problem, device, compiler);
  Plan plan;
  if (auto refused = planner.plan_with_advice(config, plan)) return std::move(refused->error);
  NeighbourPlans out;
  out.shape = shape_of(planner, variant.manifest.tiles, plan);
  out.features = variant.manifest.features;
  const auto start = Clock::now();
  const auto late = [&] {
    const double spent = ms_since(start);
    return spent - planner.compiling_ms() > budget.ms;
  };
  uint64_t tried = 0;
  for (const Parameter& p : variant.parameters) {
    const int64_t now = plan.config.at(p.name);
    const auto try_values = [&](auto first, auto last) {
      for (; first != last && !late() && tried < budget.candidates; ++first, ++tried) {
        Config other = plan.config;
        other[p.name] = *first;
        Plan neighbour;
        if (planner.plan(other, neighbour)) continue;
        out.neighbours.push_back({p.name, *first, shape_of(planner, variant.manifest.tiles, neighbour)});
        return;
      }
    };
    const auto at = std::ranges::find(p.values, now);
    if (at == p.values.end()) continue;
    try_values(std::make_reverse_iterator(at), p.values.rend());
    try_values(at + 1, p.values.end());
  }
  return out;
}

}  // namespace attnscope
