// The whole config space of a variant on a problem, walked in batches: which configs are legal, and how many of the
// others each reason takes away. Nothing grows with the space.
#pragma once

#include <atomic>

#include "engine/variant/plan.hpp"

namespace attnscope {

struct SpaceRequest {
  uint64_t first = 0;                      ///< index to begin at (ConfigProduct's); the last batch's `next`
  uint64_t budget_candidates = 1'000'000;  ///< configs looked at; many that fall to one constraint together count once
  double budget_ms = 500;
  uint64_t max_legal = 256;   ///< the batch ends with this many
  uint64_t keep_refused = 0;  ///< refused configs to list one by one; the others are only counted
  /// Where not empty: these configs, by index, in this order, and no stretch: the batch has next == first. Whoever
  /// samples a space asks so, for a stretch finds what lies behind many illegal configs more often than the rest.
  std::vector<uint64_t> points = {};
  bool operator==(const SpaceRequest&) const = default;
};

/// Configs that cannot be, counted by a reason without numbers, with the whole sentence of one of them. A config with
/// several reasons counts under one.
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

/// The next batch. It ends early when cancelled; whatever the budget, it decides on one config at least, unless
/// cancelled before it began. `first` past the end gives a batch that is empty and done.
SpaceBatch plan_space(const Variant&, const Problem&, const DeviceInfo&, Compiler&, const SpaceRequest&,
                      const std::atomic<bool>* cancel = nullptr);

/// Adds a batch's reasons to those of earlier ones.
void add_reasons(std::vector<PrunedReason>& total, const std::vector<PrunedReason>& more);

}  // namespace attnscope
