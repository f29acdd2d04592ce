#include "engine/measure/screening.hpp"

#include <algorithm>

#include "engine/measure/statistics.hpp"

namespace attnscope {
namespace {

/// By how much the shortest of so many samples must exceed the best.
struct Step {
  size_t samples;
  double factor;
};
constexpr Step kSteps[] = {{3, 1.5}, {6, 1.2}, {12, 1.08}, {24, 1.04}};
constexpr size_t kLeast = 16;
constexpr double kNoise = 0.003;  ///< of the median, at which fewer samples than the most are enough

}  // namespace

Screening screen(std::span<const double> samples_ns, double best_ns) {
  if (samples_ns.empty()) return Screening::more;
  const double least = *std::min_element(samples_ns.begin(), samples_ns.end());
  if (best_ns > 0)
    for (const Step& step : kSteps)
      if (samples_ns.size() >= step.samples && least > step.factor * best_ns) return Screening::drop;
  if (samples_ns.size() >= kScreeningMost) return Screening::enough;
  if (samples_ns.size() < kLeast) return Screening::more;
  const auto statistics = summarize({samples_ns.begin(), samples_ns.end()});
  return statistics && statistics->noise <= kNoise ? Screening::enough : Screening::more;
}

}  // namespace attnscope
