// The mean of ratios.
#pragma once

#include <cmath>
#include <optional>
#include <span>

namespace attnscope {

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
