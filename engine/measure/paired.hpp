// Comparison of two sets that were taken in turn, A B B A A B …: turn by turn, so that what moves more slowly than a
// turn (clocks, heat, other work on the machine) falls on both alike and cancels. Plain numbers, no GPU.
//
// Each turn of B is held against the neighbouring one of A: the logarithm of the ratio of their medians. Had both sides
// been the same thing, either order of a pair would have been as likely, so these are distributed symmetrically about
// the ratio sought, whatever the distribution of the times (two clocks, outliers): what Wilcoxon's signed-rank test
// needs. The ratio is its estimate (Hodges and Lehmann), the median of all averages of two; the interval is the one
// that goes with the test (Tukey): Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.1 to 3.3.
#pragma once

#include "engine/measure/compare.hpp"

namespace attnscope {

/// Samples taken in turn differ by neither drift nor by what sets two processes apart. What is left is where the two
/// pipelines and their buffers lie in memory: within this, two configs are the same.
inline constexpr double kInterleavedTolerance = 0.005;

/// One side: its samples in ns in the order taken, and how many of them each of its turns has.
struct InTurn {
  std::span<const double> samples_ns;
  std::span<const uint32_t> turns;
};

/// Turns of each side that make the chance below 1 % that all lie on one side by accident.
inline constexpr size_t kFewestTurns = 16;

/// The ratio is the estimate from the pairs of turns, which need not be that of the two medians of all samples: where
/// the clock changes half way, that depends on chance. Unsure with fewer than kFewestTurns a side.
Comparison compare_turns(const InTurn& a, const InTurn& b, double tolerance = kInterleavedTolerance);

/// What two sides of one race say: by their turns, or where there are too few of them, as of kernels that take long, by
/// the turns' medians as samples. `shared_cpu`: of a software device.
Comparison compare_raced(const InTurn& a, const InTurn& b, bool shared_cpu, double tolerance = kInterleavedTolerance);

/// Estimate and 99 % interval of the centre of a symmetric distribution, from at least 8 and at most 512 of it.
struct Centre {
  double estimate = 0, low = 0, high = 0;
};
Centre signed_rank_centre(std::span<const double> x);

}  // namespace attnscope
