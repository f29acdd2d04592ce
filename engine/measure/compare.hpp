// Comparison of two sample sets, which may be UNSURE with a reason. Plain numbers, no GPU. The ratio is that of the
// medians of all samples given, and the word follows from an interval around it: they never contradict.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

enum class Relation { faster, slower, same, unsure };

struct Comparison {
  Relation relation = Relation::unsure;  ///< of B against A
  double ratio = 1;                      ///< median B / median A
  double low = 1, high = 1;  ///< about 99 % of the ratio, and what runs that were not interleaved may differ by
  std::string reason = {};   ///< why it is unsure, for a sentence such as "UNSURE: too few samples"; else ""
  bool operator==(const Comparison&) const = default;
};

/// What one sample set says of its median: made once for each set, so that comparing one with many others costs little.
struct SampleSummary {
  /// Blocks by scale: below 4 samples a block the scale is absent, below 32 samples all but the first are.
  static constexpr std::array<size_t, 4> kScales{8, 16, 32, 64};

  uint64_t count = 0;
  bool positive = false;           ///< every sample is a finite time above 0; without that, what follows is all 0
  double median = 0;               ///< ns, as summarize() has it
  double low = 0, high = 0;        ///< ns: about 99 % of the median, had this one run gone on
  double p5 = 0, p95 = 0;          ///< ns
  double step = 0;                 ///< ns: the smallest difference of two samples (a timer's step); 0 = all are equal
  double low_frequency_drift = 0;  ///< of the blocks' medians, relative, beyond chance: drift, loads that come and go
  std::array<std::vector<double>, 4> blocks = {};  ///< logarithms of the blocks' medians, in the order taken
  bool operator==(const SampleSummary&) const = default;
};

/// From all samples, in the order taken, in ns.
SampleSummary make_sample_summary(std::span<const double> samples_ns);

/// Of two runs: the same where the whole interval lies within 1 ± `tolerance`; faster or slower where the ratio lies
/// beyond that and the whole interval beyond half of it; else unsure. Fewer than five samples on a side are always
/// unsure: no order that so few can fall into is rarer than 1 in 100. `shared_cpu`: of a software device, whose time is
/// whatever other programs leave it.
Comparison compare(const SampleSummary& a, const SampleSummary& b, bool shared_cpu, double tolerance = 0.02);
std::string_view to_text(Relation);

// Comparison of two sets that were taken in turn, A B B A A B …: turn by turn, so that what moves more slowly than a
// turn (clocks, heat, other work on the machine) falls on both alike and cancels. Plain numbers, no GPU.
//
// Each turn of B is held against the neighbouring one of A: the logarithm of the ratio of their medians. Had both sides
// been the same thing, either order of a pair would have been as likely, so these are distributed symmetrically about
// the ratio sought, whatever the distribution of the times (two clocks, outliers): what Wilcoxon's signed-rank test
// needs. The ratio is its estimate (Hodges and Lehmann), the median of all averages of two; the interval is the one
// that goes with the test (Tukey): Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.1 to 3.3.

/// Samples taken in turn differ only by where pipelines and buffers lie in memory: within this, configs are the same.
inline constexpr double kInterleavedTolerance = 0.005;

/// One side: its samples in ns in the order taken, and how many of them each of its turns has.
struct InTurn {
  std::span<const double> samples_ns;
  std::span<const uint32_t> turns;
};

/// Turns of each side that make the chance below 1 % that all lie on one side by accident.
inline constexpr size_t kFewestTurns = 16;

/// The ratio is the estimate from the pairs of turns, not that of the two medians. Unsure below kFewestTurns a side.
Comparison compare_turns(const InTurn& a, const InTurn& b, double tolerance = kInterleavedTolerance);

/// What two sides of one race say: by their turns, or where those are too few by the turns' medians as samples.
Comparison compare_raced(const InTurn& a, const InTurn& b, bool shared_cpu, double tolerance = kInterleavedTolerance);

/// Estimate and 99 % interval of the centre of a symmetric distribution, from at least 8 and at most 512 of it.
struct Centre {
  double estimate = 0, low = 0, high = 0;
};
Centre signed_rank_centre(std::span<const double> x);

}  // namespace attnscope
