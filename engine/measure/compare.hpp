// Comparison of two sample sets that can say "cannot tell".
#pragma once

#include <span>
#include <string_view>

namespace attnscope {

enum class Relation { faster, slower, same, unsure };

struct Comparison {
  Relation relation = Relation::unsure;  ///< of B against A
  double ratio = 1;                      ///< median B / median A
  double low = 1, high = 1;              ///< 95 % interval of the ratio (bootstrap over blocks, fixed seed)
  bool operator==(const Comparison&) const = default;
};

/// With fewer than five samples on a side the interval is that of the extremes; with none the relation is unsure.
/// `tolerance`: ratios within 1 ± tolerance count as the same. unsure when the interval straddles a boundary.
Comparison compare_samples(std::span<const double> a_ns, std::span<const double> b_ns, double tolerance = 0.02);
std::string_view to_text(Relation);

}  // namespace attnscope
