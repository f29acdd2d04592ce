// The config space of a variant on a problem, walked in batches: which are legal, and what takes the others away.
#pragma once

#include "engine/variant/plan.hpp"

namespace attnscope {

struct SpaceRequest {
  uint64_t first = 0;                      ///< index to begin at (ConfigProduct's); the last batch's `next`
  uint64_t budget_candidates = 1'000'000;  ///< configs looked at; many that fall to one constraint together count once
  double budget_ms = 500;
  uint64_t max_legal = 256;   ///< the batch ends with this many
  uint64_t keep_refused = 0;  ///< refused configs to list one by one; the others are only counted
  /// Where not empty: these configs, by index, in this order, and no stretch, for who samples evenly; next == first.
  std::vector<uint64_t> points = {};
  bool operator==(const SpaceRequest&) const = default;
};

/// Configs that cannot be, counted by one reason without numbers, with the whole sentence of one of them.
struct PrunedReason {
  std::string reason;  ///< a constraint's `require`, "shared memory of pass 'main'"
  uint64_t count = 0;
  std::string example;  ///< the sentence of `config`
  Config config;
  bool operator==(const PrunedReason&) const = default;
};
struct RefusedConfig {
  Config config;
  std::string why_not;
  bool operator==(const RefusedConfig&) const = default;
};
struct SpaceBatch {
  uint64_t size = 0;             ///< of the whole space
  uint64_t first = 0, next = 0;  ///< this batch decided on [first, next): legal ones and counts add up to that many
  bool done = false;             ///< nothing is left after it
  std::vector<Config> legal;
  std::vector<PrunedReason> pruned;    ///< most first
  std::vector<RefusedConfig> refused;  ///< the first keep_refused of them
};

/// The next batch; unless cancelled it decides on one config at least. `first` past the end: empty and done.
SpaceBatch plan_space(const Variant&, const Problem&, const DeviceInfo&, Compiler&, const SpaceRequest&,
                      const Cancel* cancel = nullptr);

void add_reasons(std::vector<PrunedReason>& total, const std::vector<PrunedReason>& more);

}  // namespace attnscope
