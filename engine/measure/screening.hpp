// Screening: how long a candidate is measured when only the best matters. Plain numbers, no GPU.
#pragma once

#include <span>

namespace attnscope {

enum class Screening {
  more,   ///< nothing can be said yet
  drop,   ///< surely slower than the best: not another sample
  enough  ///< as good as the best or near it, and its median is known well enough for a race to decide later
};

/// After these samples (ns, in the order taken). Whatever disturbs a sample makes it longer, so the shortest one bounds
/// a candidate from below; the more samples there are, the nearer it lies to what the candidate can do, and the less it
/// has to exceed `best_ns` (the median of the best so far; 0 = none) for the candidate to be dropped.
Screening screen(std::span<const double> samples_ns, double best_ns);

/// The most samples after which screen() still asks for more.
inline constexpr size_t kScreeningMost = 60;

}  // namespace attnscope
