#include "engine/measure/compare.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "engine/measure/statistics.hpp"

namespace attnscope {

namespace {

constexpr int kResamples = 1000;
constexpr size_t kFewSamples = 5;      ///< below this a bootstrap has too little to draw from
constexpr size_t kMostSamples = 2000;  ///< more tell no more about a median, and cost time

double median_of(std::vector<double>& samples) {
  const auto middle = samples.begin() + std::ptrdiff_t(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

double median_of(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  return median_of(copy);
}

/// Samples in a row share a clock and a temperature, so whole blocks are drawn: neighbours stay together, and slow
/// swings widen the interval as they should.
class BlockBootstrap {
 public:
  explicit BlockBootstrap(std::span<const double> samples)
      : samples_(samples), block_(size_t(std::max(1.0, std::cbrt(double(samples.size()))))) {}
  double draw(std::mt19937_64& random) {
    drawn_.clear();
    while (drawn_.size() < samples_.size()) {
      const size_t start = random() % (samples_.size() - block_ + 1);
      const size_t take = std::min(block_, samples_.size() - drawn_.size());
      drawn_.insert(drawn_.end(), samples_.begin() + std::ptrdiff_t(start),
                    samples_.begin() + std::ptrdiff_t(start + take));
    }
    return median_of(drawn_);
  }

 private:
  std::span<const double> samples_;
  size_t block_;
  std::vector<double> drawn_;
};

std::span<const double> latest(std::span<const double> samples) {
  return samples.last(std::min(samples.size(), kMostSamples));
}

}  // namespace

std::string_view to_text(Relation relation) {
  switch (relation) {
    case Relation::faster: return "FASTER";
    case Relation::slower: return "SLOWER";
    case Relation::same: return "SAME";
    case Relation::unsure: break;
  }
  return "UNSURE";
}

Comparison compare_samples(std::span<const double> a_ns, std::span<const double> b_ns, double tolerance) {
  Comparison c;
  if (a_ns.empty() || b_ns.empty()) return c;
  const double a_median = median_of(a_ns), b_median = median_of(b_ns);
  const auto [a_min, a_max] = std::minmax_element(a_ns.begin(), a_ns.end());
  const auto [b_min, b_max] = std::minmax_element(b_ns.begin(), b_ns.end());
  if (!(*a_min > 0) || !(*b_min > 0)) return c;
  c.ratio = b_median / a_median;
  if (std::min(a_ns.size(), b_ns.size()) < kFewSamples) {
    c.low = *b_min / *a_max;
    c.high = *b_max / *a_min;
  } else {
    BlockBootstrap a(latest(a_ns)), b(latest(b_ns));
    std::mt19937_64 random(20261121);
    std::vector<double> ratios(kResamples);
    for (double& ratio : ratios) {
      const double base = a.draw(random);
      ratio = b.draw(random) / base;
    }
    std::sort(ratios.begin(), ratios.end());
    // With few blocks the drawn medians can all miss the plain one; the interval always holds it.
    c.low = std::min(quantile(ratios, 0.025), c.ratio);
    c.high = std::max(quantile(ratios, 0.975), c.ratio);
  }
  if (c.high < 1 - tolerance)
    c.relation = Relation::faster;
  else if (c.low > 1 + tolerance)
    c.relation = Relation::slower;
  else if (c.low >= 1 - tolerance && c.high <= 1 + tolerance)
    c.relation = Relation::same;
  return c;
}

}  // namespace attnscope
