// Median and spread of samples in short stretches, and the quantiles of all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/gui/series.hpp"

namespace attnscope::gui {

/// Median and p20-p80 of consecutive stretches of samples, in a metric; parallel vectors.
struct Rolling {
  std::vector<double> x, median, low, high;
};

inline constexpr size_t kShown = 600;  ///< samples in view while the newest are followed
inline constexpr size_t kStretches = 48;

/// Of samples_ns[from..to), in about kStretches stretches; x is a sample's index, its middle at one half. Stretches
/// begin at multiples of their length, counted from sample number `number` for index 0, so that they stay when samples
/// are added. A stretch of very many is judged by some of them.
Rolling roll(std::span<const double> samples_ns, size_t from, size_t to, Metric, const Work&, uint64_t number = 0);

inline constexpr size_t kQuantiles = 65;
/// At 0, 1/64, … 1 of the samples, in their unit: enough for a curve, whatever the count. Empty for none.
std::vector<double> quantiles(std::span<const double> samples);

}  // namespace attnscope::gui
