// A pick of (variant, config) for any shape, as C: a decision tree fitted to what `auto` chooses on many problems.
#pragma once

#include "engine/tune/cost_model.hpp"

namespace attnscope::tune {

/// Logarithm of the predicted time over auto's choice's, by index into PickTree::choices; absent: may not run.
struct PickSample {
  Problem problem;
  std::map<size_t, double> losses;
};
struct PickTree {
  /// By features_of(): at most `most` goes to `low`, more to `high`. A leaf has feature -1 and its choice in `low`.
  struct Node {
    int feature = -1;
    uint64_t most = 0;
    size_t low = 0, high = 0;
  };
  std::vector<CostConfig> choices;
  std::vector<Node> nodes;  ///< the first is the root
  /// Index into `choices`.
  size_t pick(const Problem&) const;
};
inline constexpr std::array<const char*, 8> kPickFeatures{"dtype",  "causal",      "head_dim", "seq_q",
                                                          "seq_kv", "batch_heads", "group",    "rows"};
std::array<uint64_t, kPickFeatures.size()> features_of(const Problem&);

/// Splits where the sum of losses falls most (CART: Breiman et al. 1984, with costs). At least one sample.
PickTree fit_pick(std::vector<CostConfig>, std::span<const PickSample>, size_t most_leaves);

struct PickRegret {
  size_t problems = 0, unknown = 0;  ///< unknown: the pick is not known to run there; counted in neither number below
  double mean = 1, worst = 1;        ///< predicted time of the pick over that of auto's choice
  Problem worst_problem = {};
};
PickRegret regret_of(const PickTree&, std::span<const PickSample>);

/// C11 and C++20, without a library. `heading`: lines of a comment.
std::string pick_source(const PickTree&, std::span<const std::string> heading);

}  // namespace attnscope::tune
