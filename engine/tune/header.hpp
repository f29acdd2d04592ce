// Tuned configs, and a pick for any shape, as C headers for an inference engine to include.
#pragma once

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

/// A C99 header: the fastest entry of each problem, and a search for the nearest. The error: several devices, or none.
Result<std::string> tuned_header(std::span<const TunedEntry>);

/// tuned.h.in and pick.h.in, whole.
extern const char *const kTunedHeader, *const kPickHeader;
/// In a template: the text `by` at each place of `what`.
void put(std::string& text, std::string_view what, const std::string& by);
/// In a template: how a distance counts doublings for {q}, {kv}, {heads} and {group}, and {farthest}.
void put_weights(std::string& text);

/// A string literal, quotes included; what a literal cannot hold is replaced by '?'.
std::string c_string(std::string_view text);
/// "{1u, 2u}", never empty.
std::string c_array(std::span<const uint32_t>);
/// For a comment: no end of one, nothing but printable characters; anything else is '_'.
std::string c_comment(std::string_view text);

// A pick of (variant, config) for any shape, as C: a decision tree fitted to what `auto` chooses on many problems.

/// Logarithm of the predicted time over auto's choice's, by index into PickTree::choices; absent: may not run.
struct PickSample {
  Problem problem;
  std::map<size_t, double> losses = {};
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
