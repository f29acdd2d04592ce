#include "engine/measure/compare.hpp"

#include "engine/measure/statistics.hpp"
#include "engine/words.hpp"

namespace attnscope {

namespace {

constexpr uint64_t kFewest = 5;
constexpr double kMedianError99 = 2.576 / 2;  ///< of ranks, times 1 / sqrt(n), for independent samples
constexpr size_t kInAStretch = 4;             ///< samples, at least, but in sets too small for that
/// The level that another run may keep all through has been kept here for one of the coarsest blocks at least: half
/// of its samples lie beyond that level's median. Fewer are outliers, which are not a run's median.
constexpr double kFarthestRank = 0.5 - 0.5 / double(SampleSummary::kScales[0]);

// Of two runs that were not interleaved, beyond what either can show of itself (docs/measuring.md has the runs these
// come from). On a GPU: another placement in memory, another clock; independent of what the samples show, so it adds to
// it as errors do. On a software device: other programs, which may stay for the whole of one run and be gone in the
// other.
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

double mean_of(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / double(x.size());
}

double variance_of(std::span<const double> x) {
  const double mean = mean_of(x);
  double squares = 0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares / double(x.size() - 1);
}

/// Half of the 99 % interval of the mean of the set that these blocks are parts of.
double half_width(std::span<const double> x) {
  return student(x.size()) * std::sqrt(variance_of(x) / double(x.size()));
}

std::span<const double> block(std::span<const double> samples, size_t i, size_t of) {
  const size_t begin = samples.size() * i / of, end = samples.size() * (i + 1) / of;
  return samples.subspan(begin, end - begin);
}

/// How far, in ranks, chance may have moved the median: half of the 99 % interval of the share of samples below it. It
/// holds for any distribution, two-humped ones too. Slow disturbances leave few independent blocks and quick ones
/// many, so the scale that knows least decides.
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

/// The standard deviation of what moves more slowly than chance does, as it shows in the coarsest blocks. What
/// chance does shows in neighbouring blocks of the finest (von Neumann's ratio); variances of 8 and of 64 blocks
/// that differ by chance alone hardly do so by a factor of 3.
double low_frequency_drift(const std::array<std::vector<double>, 4>& blocks) {
  const std::vector<double>& coarse = blocks[0];
  const std::vector<double>* fine = &coarse;
  for (const std::vector<double>& s : blocks)
    if (!s.empty()) fine = &s;
  double steps = 0;
  for (size_t i = 1; i < fine->size(); ++i) steps += ((*fine)[i] - (*fine)[i - 1]) * ((*fine)[i] - (*fine)[i - 1]);
  const double chance = steps / double(fine->size() - 1) / 2 * double(coarse.size()) / double(fine->size());
  return std::sqrt(std::max(0.0, variance_of(coarse) - 3 * chance));
}

using Stretches = std::array<std::vector<double>, 4>;

/// Of samples taken A B A B, the logarithms of the ratios, block by block: what disturbs both cancels.
Stretches ratios(const SampleSummary& a, const SampleSummary& b) {
  Stretches r;
  for (size_t s = 0; s < r.size(); ++s) {
    const std::vector<double>&x = a.blocks[s], &y = b.blocks[s];
    if (x.size() != y.size()) continue;
    for (size_t i = 0; i < x.size(); ++i) r[s].push_back(y[i] - x[i]);
  }
  return r;
}

/// Half of their interval. Where they have another centre than the sets' medians (two-humped times), it holds both.
double noise_of_pairs(const Stretches& ratios, double log_ratio) {
  double most = 0;
  for (const std::vector<double>& r : ratios)
    if (!r.empty()) most = std::max(most, half_width(r) + std::abs(mean_of(r) - log_ratio));
  return most;
}

/// The same of two runs, from what each says of its own median.
double noise_of_runs(const SampleSummary& slower, const SampleSummary& faster) {
  return std::hypot(std::log(slower.median / slower.low), std::log(faster.high / faster.median));
}

/// A timer tells no two times apart that lie within a step.
double step_of(const SampleSummary& a, const SampleSummary& b) {
  const double between = std::abs(a.median - b.median);
  const auto step = [&](const SampleSummary& e) { return (e.step > 0 ? e.step : between) / e.median / 2; };
  return step(a) + step(b);
}

/// Two things are asked apart, so that a difference of 3 % is told by intervals as wide as runs of their own have: is
/// it worth a word, by the ratio, which is the best guess at it; and is it surely there, by the interval.
Relation relation_of(const Comparison& c, double tolerance) {
  if (c.low > 1 + tolerance / 2 && c.ratio > 1 + tolerance) return Relation::slower;
  if (c.high < 1 - tolerance / 2 && c.ratio < 1 - tolerance) return Relation::faster;
  return relation_within(c.low, c.high, tolerance);
}

Comparison unsure(std::string reason) {
  Comparison c;
  c.reason = std::move(reason);
  return c;
}

}  // namespace

Relation relation_within(double low, double high, double tolerance) {
  if (high < 1 - tolerance) return Relation::faster;
  if (low > 1 + tolerance) return Relation::slower;
  if (low >= 1 - tolerance && high <= 1 + tolerance) return Relation::same;
  return Relation::unsure;
}

std::string_view to_text(Relation relation) { return word_of(relation, {"FASTER", "SLOWER", "SAME", "UNSURE"}); }

SampleSummary make_sample_summary(std::span<const double> samples_ns) {
  SampleSummary e;
  e.count = samples_ns.size();
  e.positive = std::all_of(samples_ns.begin(), samples_ns.end(), [](double x) { return x > 0 && std::isfinite(x); });
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
  e.low_frequency_drift = low_frequency_drift(e.blocks);
  return e;
}

Comparison compare(const SampleSummary& a, const SampleSummary& b, const SamplingContext& taken, double tolerance) {
  if (a.count == 0 || b.count == 0) return unsure("no samples");
  if (!a.positive || !b.positive) return unsure("samples that are not times");
  Comparison c;
  c.ratio = b.median / a.median;
  c.low = b.low / a.high;
  c.high = b.high / a.low;
  if (std::min(a.count, b.count) < kFewest) {
    c.reason = fmt::format("too few samples: {} and {}, where {} of each are the least", a.count, b.count, kFewest);
    return c;
  }
  const double log_ratio = std::log(c.ratio);
  const SampleSummary &slower = c.ratio > 1 ? b : a, &faster = c.ratio > 1 ? a : b;
  // Sets of very different size have no blocks in common to compare.
  const bool paired = taken.interleaved && a.blocks[0].size() == b.blocks[0].size();
  const bool shared = taken.shared_cpu && !paired;
  // Each part of the interval, in logarithms: what samples scatter by, what they drift by, what runs differ by.
  double noise = 0, drift = 0, runs = 0;
  if (a == b) {
    // One and the same set: there is nothing between them that could differ.
  } else if (paired) {
    const Stretches pairs = ratios(a, b);
    noise = noise_of_pairs(pairs, log_ratio) + step_of(a, b);
    drift = student(pairs[0].size()) * low_frequency_drift(pairs);
  } else {
    noise = noise_of_runs(slower, faster) + step_of(a, b);
    drift = std::hypot(student(a.blocks[0].size()) * a.low_frequency_drift,
                       student(b.blocks[0].size()) * b.low_frequency_drift);
    runs = kBetweenRuns;
    // Other programs only ever add time, and what they add to the slowest samples of one run they may add to every
    // sample of another: so the slow samples of the faster set are held against the quick ones of the slower.
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

Comparison compare_samples(std::span<const double> a_ns, std::span<const double> b_ns, const SamplingContext& taken,
                           double tolerance) {
  return compare(make_sample_summary(a_ns), make_sample_summary(b_ns), taken, tolerance);
}

}  // namespace attnscope
