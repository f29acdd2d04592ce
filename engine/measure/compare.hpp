// Comparison of two sample sets, which may be UNSURE with a reason. Plain numbers, no GPU.
//
// The ratio is that of the medians of exactly the samples given, all of them, and the word follows from an interval
// around that ratio: so a word never contradicts the two medians. Equal inputs give equal answers.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

enum class Relation { faster, slower, same, unsure };

struct Comparison {
  Relation relation = Relation::unsure;  ///< of B against A
  double ratio = 1;                      ///< median B / median A
  double low = 1, high = 1;  ///< about 99 % of the ratio, and what runs that were not interleaved may differ by
  std::string reason;        ///< why it is unsure, for a sentence such as "UNSURE: too few samples"; else ""
  bool operator==(const Comparison&) const = default;
};

/// How two sets were taken: what may set them apart beside the two things compared.
struct SamplingContext {
  bool interleaved = false;  ///< A B A B in one run: what disturbs one disturbs the other
  bool shared_cpu = false;   ///< by a software device, whose time is whatever other programs leave it
  bool operator==(const SamplingContext&) const = default;
};

/// What one sample set says of its median, in a size that does not depend on the number of samples: made once for each
/// set, so that comparing one with a thousand others costs no more than a thousand times some 100 numbers.
struct SampleSummary {
  /// Blocks of equal length that the set is cut into, by scale; a set of fewer than 4 samples a block lacks a
  /// scale, and one of fewer than 32 in all has the first alone, with fewer blocks.
  static constexpr std::array<size_t, 4> kScales{8, 16, 32, 64};

  uint64_t count = 0;
  bool positive = false;           ///< every sample is a finite time above 0; without that, what follows is all 0
  double median = 0;               ///< ns, as summarize() has it
  double low = 0, high = 0;        ///< ns: about 99 % of the median, had this one run gone on
  double p5 = 0, p95 = 0;          ///< ns
  double step = 0;                 ///< ns: the smallest difference of two samples (a timer's step); 0 = all are equal
  double low_frequency_drift = 0;  ///< of the blocks' medians, relative, beyond chance: drift, loads that come and go
  std::array<std::vector<double>, 4> blocks;  ///< logarithms of the blocks' medians, in the order taken
  bool operator==(const SampleSummary&) const = default;
};

/// From all samples, in the order taken, in ns.
SampleSummary make_sample_summary(std::span<const double> samples_ns);

/// The same where the whole interval lies within 1 ± `tolerance`; faster or slower where the ratio lies beyond that
/// and the whole interval beyond half of it; else unsure. Fewer than five samples on a side are always unsure: no order
/// that so few can fall into is rarer than 1 in 100.
Comparison compare(const SampleSummary& a, const SampleSummary& b, const SamplingContext&, double tolerance = 0.02);
Comparison compare_samples(std::span<const double> a_ns, std::span<const double> b_ns, const SamplingContext&,
                           double tolerance = 0.02);
/// The word for an interval around a ratio: all of it on one side of a boundary at 1 ± `tolerance`, or unsure.
Relation relation_within(double low, double high, double tolerance);
std::string_view to_text(Relation);

}  // namespace attnscope
