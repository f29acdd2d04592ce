#include "engine/measure/statistics.hpp"

namespace attnscope {
namespace {

// For a normal distribution, in standard deviations: the 20-80 % range, and a median's standard error times sqrt(n).
constexpr double kRange20To80 = 1.6832424671458286;
constexpr double kMedianError = 1.2533141373155003;

}  // namespace

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> out(samples.begin(), samples.end());
  std::ranges::sort(out);
  return out;
}

double median_of(std::span<const double> samples) { return quantile(sorted(samples), 0.5); }

double mean_of(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size()); }

double variance_of(std::span<const double> x) {
  const double mean = mean_of(x);
  double squares = 0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares / double(x.size() - 1);
}

double least_step(std::span<const double> sorted) {
  double least = 0;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (const double step = sorted[i] - sorted[i - 1]; step > 0 && (least == 0 || step < least)) least = step;
  return least;
}

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = std::clamp(q, 0.0, 1.0) * double(sorted.size() - 1);
  const size_t below = std::min(size_t(place), sorted.size() - 1);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
}

std::optional<Statistics> summarize(std::span<const double> samples_ns) {
  if (samples_ns.empty()) return std::nullopt;
  const std::vector<double> all = sorted(samples_ns);
  Statistics s{.count = all.size(),
               .median = quantile(all, 0.5),
               .min = all.front(),
               .max = all.back(),
               .mean = mean_of(all),
               .p20 = quantile(all, 0.2),
               .p80 = quantile(all, 0.8)};
  s.stddev = s.count > 1 ? std::sqrt(variance_of(all)) : 0;
  if (s.median > 0) {
    s.noise = kMedianError * (s.p80 - s.p20) / kRange20To80 / std::sqrt(double(s.count)) / s.median;
    if (const size_t third = s.count / 3; third > 0)
      if (const double began = median_of(samples_ns.first(third)); began > 0)
        s.drift = median_of(samples_ns.last(third)) / began - 1;
  }
  return s;
}

}  // namespace attnscope
