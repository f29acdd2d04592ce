// Comparison of two records: whether they can be compared at all, how their samples were taken, and the verdict.
#pragma once

#include <string>

#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"

namespace attnscope {

/// Why times of these two say nothing of one another: another device or driver, another problem, other modes, or no
/// samples. Empty when they can be compared.
std::string why_not_comparable(const Record& a, const Record& b);

/// Two records are two runs, so their samples were not interleaved.
Taken taken_of(const Record& a, const Record& b);

/// `b` against `a`, by all samples that each holds; unsure, with the reason, when they cannot be compared.
Comparison compare_records(const Record& a, const Record& b, double tolerance = 0.02);
/// The same with make_sample_summary(samples_ns) of each at hand: for one record against many.
Comparison compare_records(const Record& a, const SampleSummary& of_a, const Record& b, const SampleSummary& of_b,
                           double tolerance = 0.02);

}  // namespace attnscope
