// Problem classes: problems that one tuned config serves, and how far problems are from each other.
#pragma once

#include <optional>
#include <string>

#include "engine/attention/problem.hpp"

namespace attnscope::tune {

/// What has to be the same for a config to be carried over at all: dtype, head_dim, v_dim, causal or not, and the
/// layout (dense, packed, pages of a size). "f16 d128 causal", "f16 d128 dv64 page16".
std::string exact_class(const Problem&);
/// The whole class: with seq_q, seq_kv, batch x query heads and the group ratio, each rounded to a power of two.
/// "f16 d128 q4096 kv4096 bh16 g1".
std::string problem_class(const Problem&);

/// How a distance counts a doubling of each length.
inline constexpr double kSeqQWeight = 1, kSeqKvWeight = 1, kHeadsWeight = 0.5, kGroupWeight = 1;
/// Problems farther apart than this are no neighbours: lengths that differ by a factor of 16, say.
inline constexpr double kFarthest = 4;

/// The weighted sum of the doublings between them; nullopt where the exact parts differ.
std::optional<double> distance(const Problem&, const Problem&);

}  // namespace attnscope::tune
