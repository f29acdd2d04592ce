#include "engine/measure/paired.hpp"

#include "engine/measure/statistics.hpp"

namespace attnscope {
namespace {

/// Two pairs, there and back: A B, B A. What being the second of a pair does cancels within one.
constexpr size_t kPairsInARound = 2;
/// With fewer no interval of Wilcoxon's test covers 99 %: the chance that eight all lie on one side is 1 in 128.
constexpr size_t kFewestRounds = kFewestTurns / kPairsInARound;
/// More are taken together, since the averages of two grow with the square.
constexpr size_t kMostRounds = 256;
/// How many rounds are taken together: what disturbs several in a row leaves fewer independent ones.
constexpr size_t kScales[] = {1, 2, 4};
constexpr double kNormal99 = 2.576;
/// Up to this many the distribution of the test is counted out; beyond, it is normal to three digits.
constexpr size_t kCounted = 40;

/// How many of the averages of two, from either end, lie outside of the 99 % interval.
size_t outside(size_t n) {
  const double sums = double(n) * double(n + 1) / 2;
  if (n > kCounted) {
    const double sd = std::sqrt(double(n) * double(n + 1) * double(2 * n + 1) / 24);
    return size_t(std::max(0.0, std::floor(sums / 2 - 0.5 - kNormal99 * sd)));
  }
  // The share of the 2^n signs of the ranks 1…n that gives each sum of the positive ones.
  std::vector<double> ways(size_t(sums) + 1);
  ways[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank)
    for (size_t sum = ways.size(); sum-- > 0;) ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
  double tail = 0;
  size_t k = 0;
  while (tail + ways[k] <= 0.005) tail += ways[k++];
  return k == 0 ? 0 : k - 1;
}

/// `x` in groups of `size`, each its median; what is left over joins none.
std::vector<double> grouped(const std::vector<double>& x, size_t size) {
  std::vector<double> out;
  for (size_t i = 0; i + size <= x.size(); i += size) out.push_back(median_of(std::span(x).subspan(i, size)));
  return out;
}

std::vector<double> medians_of_turns(const InTurn& side, size_t turns) {
  std::vector<double> medians;
  size_t at = 0;
  for (size_t i = 0; i < turns; ++i) {
    const size_t n = std::min<size_t>(side.turns[i], side.samples_ns.size() - at);
    if (n == 0) break;
    medians.push_back(median_of(side.samples_ns.subspan(at, n)));
    at += n;
  }
  return medians;
}

/// The smallest difference that its timer shows, relative; a timer tells no two times apart that lie within it.
double step_of(const InTurn& side, double median) { return least_step(sorted(side.samples_ns)) / median / 2; }

bool times(std::span<const double> samples) {
  return std::all_of(samples.begin(), samples.end(), [](double x) { return x > 0 && std::isfinite(x); });
}

}  // namespace

Centre signed_rank_centre(std::span<const double> x) {
  std::vector<double> averages;
  averages.reserve(x.size() * (x.size() + 1) / 2);
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = i; j < x.size(); ++j) averages.push_back((x[i] + x[j]) / 2);
  std::sort(averages.begin(), averages.end());
  const size_t k = outside(x.size());
  return {quantile(averages, 0.5), averages[k], averages[averages.size() - 1 - k]};
}

Comparison compare_turns(const InTurn& a, const InTurn& b, double tolerance) {
  Comparison c;
  if (a.samples_ns.empty() || b.samples_ns.empty()) {
    c.reason = "no samples";
    return c;
  }
  if (!times(a.samples_ns) || !times(b.samples_ns)) {
    c.reason = "samples that are not times";
    return c;
  }
  const double median_a = median_of(a.samples_ns);
  const double median_b = median_of(b.samples_ns);
  c.ratio = c.low = c.high = median_b / median_a;
  const size_t turns = std::min(a.turns.size(), b.turns.size());
  const std::vector<double> x = medians_of_turns(a, turns), y = medians_of_turns(b, turns);
  std::vector<double> rounds;
  for (size_t i = 0; i + kPairsInARound <= std::min(x.size(), y.size()); i += kPairsInARound)
    rounds.push_back((std::log(y[i] / x[i]) + std::log(y[i + 1] / x[i + 1])) / 2);
  if (rounds.size() < kFewestRounds) {
    c.reason =
        fmt::format("too few turns: {} of each, where {} are the least", std::min(x.size(), y.size()), kFewestTurns);
    return c;
  }
  rounds = grouped(rounds, (rounds.size() + kMostRounds - 1) / kMostRounds);
  Centre all = signed_rank_centre(rounds);
  for (const size_t scale : kScales) {
    if (rounds.size() / scale < kFewestRounds) break;
    const Centre part = signed_rank_centre(grouped(rounds, scale));
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
  }
  const double step = std::max(step_of(a, median_a), step_of(b, median_b));
  c.ratio = std::exp(all.estimate);
  c.low = std::exp(all.low - step);
  c.high = std::exp(all.high + step);
  c.relation = relation_within(c.low, c.high, tolerance);
  if (c.relation != Relation::unsure) return c;
  c.reason = c.high / c.low > 1 + 2 * tolerance ? "the samples scatter too widely"
                                                : fmt::format("the difference is too near {:.3g} %", 100 * tolerance);
  return c;
}

Comparison compare_raced(const InTurn& a, const InTurn& b, bool shared_cpu, double tolerance) {
  if (std::min(a.turns.size(), b.turns.size()) >= kFewestTurns) return compare_turns(a, b, tolerance);
  // Samples of one turn are not independent, so they are one observation.
  const size_t turns = std::min(a.turns.size(), b.turns.size());
  const auto summary = [turns](const InTurn& side) {
    SampleSummary s = make_sample_summary(medians_of_turns(side, turns));
    if (s.step == 0) s.step = least_step(sorted(side.samples_ns));  // of the timer, if medians are all alike
    return s;
  };
  return compare(summary(a), summary(b), {true, shared_cpu}, tolerance);
}

}  // namespace attnscope
