#include "engine/measure/compare.hpp"

#include "engine/measure/statistics.hpp"
#include "engine/words.hpp"

namespace attnscope {
namespace {

constexpr uint64_t kFewest = 5;
constexpr double kMedianError99 = 2.576 / 2;  ///< of ranks, times 1 / sqrt(n), for independent samples
constexpr size_t kInAStretch = 4;             ///< samples, at least, but in sets too small for that
/// A level that was kept for one of the coarsest blocks: half of its samples lie beyond that level's median.
constexpr double kFarthestRank = 0.5 - 0.5 / double(SampleSummary::kScales[0]);

// Of two runs that were not interleaved, beyond what either shows of itself (docs/measuring.md). On a GPU another
// placement in memory, another clock, independent of what samples show; on a software device other programs.
constexpr double kBetweenRuns = 0.012;
constexpr double kBetweenRunsSharedCpu = 0.9162907318741551;  ///< log 2.5

/// Student's t: 99 % of the distribution with `blocks` - 1 degrees of freedom lie within plus or minus this.
double student(size_t blocks) {
  switch (blocks) {
    case 5: return 4.604;
    case 6: return 4.032;
    case 7: return 3.707;
    case 8: return 3.499;
    case 16: return 2.947;
    case 32: return 2.744;
    default: return 2.656;
  }
}

/// How many blocks of each scale a set of `count` samples has; 0 = it lacks the scale.
size_t blocks(size_t scale, uint64_t count) {
  const size_t full = SampleSummary::kScales[scale];
  if (scale > 0) return count >= full * kInAStretch ? full : 0;
  return std::clamp<size_t>(count / 2, kFewest, full);
}

/// Half of the 99 % interval of the mean of the set that these blocks are parts of.
double half_width(std::span<const double> x) {
  return student(x.size()) * std::sqrt(variance_of(x) / double(x.size()));
}

std::span<const double> block(std::span<const double> samples, size_t i, size_t of) {
  const size_t begin = samples.size() * i / of, end = samples.size() * (i + 1) / of;
  return samples.subspan(begin, end - begin);
}

/// How far, in ranks, chance may have moved the median: half of the 99 % interval of the share of samples below it, for
/// any distribution. Of slow and quick disturbances the scale that knows least decides.
double rank_error(std::span<const double> samples, double median) {
  double most = kMedianError99 / std::sqrt(double(samples.size()));
  std::vector<double> below;
  for (size_t s = 0; s < SampleSummary::kScales.size(); ++s) {
    const size_t n = blocks(s, samples.size());
    if (n == 0) continue;
    below.clear();
    for (size_t i = 0; i < n; ++i) {
      double ranks = 0;
      const std::span<const double> part = block(samples, i, n);
      for (const double x : part) ranks += x < median ? 1 : x == median ? 0.5 : 0;
      below.push_back(ranks / double(part.size()));
    }
    most = std::max(most, half_width(below));
  }
  return std::min(most, samples.size() >= SampleSummary::kScales[0] * kInAStretch ? kFarthestRank : 0.5);
}

/// The standard deviation of what moves more slowly than chance, by the coarsest blocks; chance shows in neighbouring
/// fine blocks (von Neumann's ratio). Variances of 8 and 64 blocks hardly differ by 3 by chance.
double low_frequency_drift(std::span<const double> coarse, std::span<const double> fine) {
  double steps = 0;
  for (size_t i = 1; i < fine.size(); ++i) steps += (fine[i] - fine[i - 1]) * (fine[i] - fine[i - 1]);
  const double chance = steps / double(fine.size() - 1) / 2 * double(coarse.size()) / double(fine.size());
  return std::sqrt(std::max(0.0, variance_of(coarse) - 3 * chance));
}

/// Half of the interval of two runs' ratio, from what each says of its own median.
double noise_of_runs(const SampleSummary& slower, const SampleSummary& faster) {
  return std::hypot(std::log(slower.median / slower.low), std::log(faster.high / faster.median));
}

/// A timer tells no two times apart that lie within a step.
double step_of(const SampleSummary& a, const SampleSummary& b) {
  const double between = std::abs(a.median - b.median);
  const auto step = [&](const SampleSummary& e) { return (e.step > 0 ? e.step : between) / e.median / 2; };
  return step(a) + step(b);
}

/// The word for an interval around a ratio: all of it on one side of a boundary at 1 ± `tolerance`, or unsure.
Relation relation_within(double low, double high, double tolerance) {
  if (high < 1 - tolerance) return Relation::faster;
  if (low > 1 + tolerance) return Relation::slower;
  return low >= 1 - tolerance && high <= 1 + tolerance ? Relation::same : Relation::unsure;
}

/// Two things are asked apart: is it worth a word, by the ratio; and is it surely there, by the interval.
Relation relation_of(const Comparison& c, double tolerance) {
  if (c.low > 1 + tolerance / 2 && c.ratio > 1 + tolerance) return Relation::slower;
  if (c.high < 1 - tolerance / 2 && c.ratio < 1 - tolerance) return Relation::faster;
  return relation_within(c.low, c.high, tolerance);
}

Comparison unsure(std::string reason) { return {.reason = std::move(reason)}; }

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

std::string_view to_text(Relation relation) { return word_of(relation, {"FASTER", "SLOWER", "SAME", "UNSURE"}); }

SampleSummary make_sample_summary(std::span<const double> samples_ns) {
  SampleSummary e{.count = samples_ns.size(), .positive = times(samples_ns)};
  if (samples_ns.empty() || !e.positive) return e;
  const std::vector<double> all = sorted(samples_ns);
  e.median = quantile(all, 0.5);
  e.low = all.front();
  e.high = all.back();
  e.p5 = quantile(all, 0.05);
  e.p95 = quantile(all, 0.95);
  e.step = least_step(all);
  if (e.count < kFewest) return e;
  const double error = rank_error(samples_ns, e.median);
  e.low = quantile(all, 0.5 - error);
  e.high = quantile(all, 0.5 + error);
  for (size_t s = 0; s < e.blocks.size(); ++s)
    for (size_t i = 0, n = blocks(s, e.count); i < n; ++i)
      e.blocks[s].push_back(std::log(median_of(block(samples_ns, i, n))));
  e.low_frequency_drift = low_frequency_drift(
      e.blocks[0], *std::find_if(e.blocks.rbegin(), e.blocks.rend(), [](const auto& s) { return !s.empty(); }));
  return e;
}

namespace {

/// `in_turn`: of sets of few samples each, taken A B A B, so that what disturbs both cancels in the blocks' ratios.
Comparison comparison_of(const SampleSummary& a, const SampleSummary& b, bool in_turn, bool shared_cpu,
                         double tolerance) {
  if (a.count == 0 || b.count == 0) return unsure("no samples");
  if (!a.positive || !b.positive) return unsure("samples that are not times");
  Comparison c{.ratio = b.median / a.median, .low = b.low / a.high, .high = b.high / a.low};
  if (std::min(a.count, b.count) < kFewest) {
    c.reason = fmt::format("too few samples: {} and {}, where {} of each are the least", a.count, b.count, kFewest);
    return c;
  }
  const double log_ratio = std::log(c.ratio);
  const SampleSummary &slower = c.ratio > 1 ? b : a, &faster = c.ratio > 1 ? a : b;
  // Sets of very different size have no blocks in common to compare.
  const bool paired = in_turn && a.blocks[0].size() == b.blocks[0].size();
  const bool shared = shared_cpu && !paired;
  // Each part of the interval, in logarithms: what samples scatter by, what they drift by, what runs differ by.
  double noise = 0, drift = 0, runs = 0;
  if (a == b) {
    // One and the same set: there is nothing between them that could differ.
  } else if (paired) {
    std::vector<double> ratios;
    std::ranges::transform(b.blocks[0], a.blocks[0], std::back_inserter(ratios), std::minus());
    // Where they have another centre than the sets' medians (two-humped times), the interval holds both.
    noise = half_width(ratios) + std::abs(mean_of(ratios) - log_ratio) + step_of(a, b);
    drift = student(ratios.size()) * low_frequency_drift(ratios, ratios);
  } else {
    noise = noise_of_runs(slower, faster) + step_of(a, b);
    drift = std::hypot(student(a.blocks[0].size()) * a.low_frequency_drift,
                       student(b.blocks[0].size()) * b.low_frequency_drift);
    runs = kBetweenRuns;
    // Other programs only add time: the slow samples of the faster set are held against the quick ones of the slower.
    if (shared)
      runs = kBetweenRunsSharedCpu + std::log(slower.median / slower.p5) + std::log(faster.p95 / faster.median);
  }
  const double half = shared ? std::hypot(noise, drift) + runs : std::hypot(noise, drift, runs);
  c.low = std::exp(log_ratio - half);
  c.high = std::exp(log_ratio + half);
  c.relation = relation_of(c, tolerance);
  if (c.relation != Relation::unsure) return c;
  if (shared)
    c.reason = "not taken interleaved, on a device that shares its CPU";
  else if (drift > noise && drift > runs)
    c.reason = "the samples drift";
  else if (half > tolerance)
    c.reason = "the samples scatter too widely";
  else
    c.reason = fmt::format("the difference is too near {:.3g} %", 100 * tolerance);
  return c;
}

}  // namespace

Comparison compare(const SampleSummary& a, const SampleSummary& b, bool shared_cpu, double tolerance) {
  return comparison_of(a, b, false, shared_cpu, tolerance);
}

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
  if (a.samples_ns.empty() || b.samples_ns.empty()) return unsure("no samples");
  if (!times(a.samples_ns) || !times(b.samples_ns)) return unsure("samples that are not times");
  Comparison c;
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
  return comparison_of(summary(a), summary(b), true, shared_cpu, tolerance);
}

}  // namespace attnscope
