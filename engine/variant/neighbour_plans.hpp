// A plan as numbers, and those of the configs one step away: what moving a parameter would change.
#pragma once

#include "engine/variant/plan.hpp"

namespace attnscope {

/// What the manifest's [tiles] come to; 0 = it declares none.
struct Tiles {
  double query = 0, key = 0, value = 0;    ///< query rows, keys, output dims
  double lane_stride = 0, lane_bytes = 0;  ///< of shared memory, in bytes
  bool operator==(const Tiles&) const = default;
};
/// What a plan comes to.
struct PlanShape {
  uint32_t passes = 0;
  uint64_t workgroups = 0, invocations = 0;  ///< of the pass with most workgroups; a workgroup's
  uint64_t shared_bytes = 0, private_bytes = 0;
  double extra_bytes = 0;
  Tiles tiles;
  bool operator==(const PlanShape&) const = default;
};
/// The nearest legal value of one parameter in one direction, the others as they are.
struct Neighbour {
  std::string parameter;
  int64_t value = 0;
  PlanShape shape;
  bool operator==(const Neighbour&) const = default;
};
struct NeighbourPlans {
  PlanShape shape;
  std::vector<Neighbour> neighbours;  ///< at most two for each parameter
  std::vector<std::string> features;  ///< that the variant needs of a device
  bool operator==(const NeighbourPlans&) const = default;
};
/// The error is make_plan's where the config is not legal. What the budget leaves no time for is left out.
Result<NeighbourPlans> plan_neighbours(const Variant&, const Problem&, const Config&, const DeviceInfo&, Compiler&,
                                       const SearchBudget& = {.ms = 2000});

}  // namespace attnscope
