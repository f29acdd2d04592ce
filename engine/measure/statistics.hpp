// Statistics of one sample set. Plain numbers, no GPU.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// All in nanoseconds. Quantiles interpolate linearly between order statistics (Hyndman & Fan type 7).
struct Statistics {
  uint64_t count = 0;
  double median = 0, min = 0, max = 0, mean = 0, p20 = 0, p80 = 0, stddev = 0;
  double noise = 0;  ///< relative standard error of the median, from the 20-80 % spread
  double drift = 0;  ///< median of the last third over that of the first, less 1
  bool operator==(const Statistics&) const = default;
};

/// nullopt for an empty set: there is no statistic of nothing, and never a NaN.
std::optional<Statistics> summarize(std::span<const double> samples_ns);
std::vector<double> sorted(std::span<const double>);
double quantile(std::span<const double> sorted, double q);
double median_of(std::span<const double>);
double mean_of(std::span<const double>);
/// Of two samples or more, without bias.
double variance_of(std::span<const double>);
/// The smallest difference of two samples, such as a timer's step; 0 = all are equal.
double least_step(std::span<const double> sorted);

/// Drift beyond this (relative) is reported as throttling; samples are kept.
inline constexpr double kDriftWarning = 0.05;

/// nullopt for an empty set, or where one is not above 0.
inline std::optional<double> geometric_mean(std::span<const double> ratios) {
  double sum = 0;
  for (const double ratio : ratios) {
    if (!(ratio > 0)) return std::nullopt;
    sum += std::log(ratio);
  }
  return ratios.empty() ? std::nullopt : std::optional(std::exp(sum / double(ratios.size())));
}

}  // namespace attnscope
