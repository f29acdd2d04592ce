// Statistics of samples; words about synthetic ones: what they may say, what they must find, and where they must hold
// back.
#include "engine/measure/compare.hpp"
#include "engine/measure/statistics.hpp"
#include "tests/has.hpp"

namespace attnscope::compare_test {

using Samples = std::vector<double>;
using Random = std::mt19937_64;
constexpr bool kRuns = false, kSoftware = true;

Comparison compare_samples(std::span<const double> a_ns, std::span<const double> b_ns, bool shared_cpu,
                           double tolerance = 0.02) {
  return compare(make_sample_summary(a_ns), make_sample_summary(b_ns), shared_cpu, tolerance);
}

/// As taken A B A B, a sample a turn.
Comparison in_turn(const Samples& a_ns, const Samples& b_ns) {
  const std::vector<uint32_t> turns(std::max(a_ns.size(), b_ns.size()), 1);
  return compare_raced({a_ns, turns}, {b_ns, turns}, true, 0.02);
}

Samples draw(uint64_t seed, double center, double relative, size_t n) {
  Random random(seed);
  std::normal_distribution<double> normal;
  Samples samples(n);
  for (double& x : samples) x = center * std::exp(relative * normal(random));
  return samples;
}

/// White noise on top of noise that keeps its value for about `length` samples.
Samples wandering(Random& random, size_t n, double center, double white, double slow, double length) {
  std::normal_distribution<double> normal;
  const double keep = std::exp(-1 / length);
  double state = normal(random);
  Samples samples(n);
  for (double& x : samples) {
    state = keep * state + std::sqrt(1 - keep * keep) * normal(random);
    x = center * std::exp(white * normal(random) + slow * state);
  }
  return samples;
}

/// A neighbour that slows everything by `factor` comes and goes, every `length` samples or so.
Samples disturbed(Random& random, size_t n, double factor, double length) {
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  bool there = uniform(random) < 0.5;
  Samples samples(n);
  for (double& x : samples) {
    if (uniform(random) < 1 / length) there = !there;
    x = 1e5 * (there ? factor : 1) * std::exp(0.02 * normal(random));
  }
  return samples;
}

bool claims(const Comparison& c) { return c.relation == Relation::faster || c.relation == Relation::slower; }

/// Of `tries` pairs of sets of one and the same thing, how many are called faster or slower.
int false_claims(int tries, bool shared_cpu, const std::function<Samples(Random&)>& make) {
  int claimed = 0;
  for (int i = 0; i < tries; ++i) {
    Random random(uint64_t(1000 + i));
    const Samples a = make(random), b = make(random);
    claimed += claims(compare_samples(a, b, shared_cpu));
  }
  return claimed;
}

TEST(Compare, TheRatioIsOfTheMediansOfAllSamplesAndTheWordAgrees) {
  int words[4] = {};
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Random random(seed);
    const auto upto = [&](uint64_t n) { return size_t(random() % n); };
    const double length = double(1 + upto(300)), slow = 0.1 * double(upto(3)), white = 0.002 * double(1 + upto(20));
    const double center = seed % 3 == 0 ? 1e5 : 1e5 * (0.5 + 0.01 * double(upto(100)));
    const Samples a = wandering(random, 1 + upto(700), 1e5, white, slow, length);
    const Samples b = wandering(random, 1 + upto(700), center, white, slow, length);
    for (const bool shared_cpu : {kRuns, kSoftware}) {
      const Comparison c = compare_samples(a, b, shared_cpu);
      const double shown = summarize(b)->median / summarize(a)->median;
      EXPECT_EQ(c.ratio, shown) << seed;
      EXPECT_TRUE(c.relation != Relation::faster || shown < 0.98) << seed;
      EXPECT_TRUE(c.relation != Relation::slower || shown > 1.02) << seed;
      EXPECT_TRUE(c.relation != Relation::same || std::abs(shown - 1) <= 0.02) << seed;
      EXPECT_EQ(c.reason.empty(), c.relation != Relation::unsure) << seed;
      EXPECT_LE(c.low, c.ratio * (1 + 1e-12));
      EXPECT_GE(c.high, c.ratio * (1 - 1e-12));
      EXPECT_EQ(c, compare_samples(Samples(a), Samples(b), shared_cpu)) << "equal samples, equal words";
      const Relation other = compare_samples(b, a, shared_cpu).relation;
      EXPECT_TRUE(!claims(c) || other == (c.relation == Relation::faster ? Relation::slower : Relation::faster))
          << seed;
      ++words[int(c.relation)];
    }
  }
  for (const int n : words) EXPECT_GT(n, 20) << "the seeds do not reach every word";
}

TEST(Compare, OldSamplesCountAsMuchAsNewOnes) {
  // The newest 400 of 1000 are 10 % quicker, the median of all is not: a word of the newest would contradict it.
  Samples late = draw(1, 1e5, 0.005, 1000);
  for (size_t i = 600; i < late.size(); ++i) late[i] *= 0.9;
  const Comparison c = compare_samples(draw(2, 1e5, 0.005, 1000), late, kRuns);
  EXPECT_EQ(c.relation, Relation::unsure);
  EXPECT_EQ(c.reason, "the samples drift");
  EXPECT_GT(c.ratio, 0.98);
  Samples early = draw(1, 1e5, 0.005, 1000);
  for (size_t i = 0; i < 600; ++i) early[i] *= 0.9;
  EXPECT_LT(compare_samples(draw(2, 1e5, 0.005, 1000), early, kRuns).ratio, 0.92);
}

TEST(Compare, ASetIsTheSameAsItselfAndSteadyRunsOfTheSameAreTheSame) {
  for (uint64_t seed = 0; seed < 40; ++seed)
    EXPECT_EQ(compare_samples(draw(2 * seed, 1e5, 0.005, 200), draw(2 * seed + 1, 1e5, 0.005, 200), kRuns).relation,
              Relation::same)
        << seed;
  Random random(3);
  for (const Samples& a : {draw(1, 1e5, 0.02, 100), disturbed(random, 300, 2, 50), Samples(10, 1000.0)})
    for (const bool shared_cpu : {kRuns, kSoftware}) {
      const Comparison c = compare_samples(a, a, shared_cpu);
      EXPECT_EQ(c.relation, Relation::same);
      EXPECT_EQ(c.ratio, 1);
    }
}

TEST(Compare, FindsFivePercentInSteadySetsAndThreeInVerySteadyOnes) {
  for (const auto& [noise, difference] : {std::pair{0.01, 0.05}, {0.002, 0.03}}) {
    int found = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const Samples a = draw(3 * seed, 1e5, noise, 100), b = draw(3 * seed + 1, 1e5 * (1 + difference), noise, 100),
                    c = draw(3 * seed + 2, 1e5 * (1 - difference), noise, 100);
      found += compare_samples(a, b, kRuns).relation == Relation::slower;
      found += compare_samples(a, c, kRuns).relation == Relation::faster;
    }
    EXPECT_GE(found, 396) << difference;
  }
}

TEST(Compare, SamplesThatWanderAreSeldomClaimedToDiffer) {
  for (const double length : {1.0, 5.0, 20.0, 50.0, 100.0})
    for (const double slow : {0.02, 0.1}) {
      const auto make = [&](Random& random) { return wandering(random, 400, 1e5, 0.01, slow, length); };
      EXPECT_LE(false_claims(200, kRuns, make), 2) << length << " " << slow;
    }
  // What keeps its value for a whole run hardly shows within one.
  EXPECT_LE(false_claims(200, kRuns, [](Random& r) { return wandering(r, 400, 1e5, 0.01, 0.02, 400); }), 6);
}

TEST(Compare, ANeighbourThatComesAndGoesMakesNoClaim) {
  for (const double length : {3.0, 10.0, 50.0, 100.0})
    for (const double factor : {1.3, 2.0, 4.0}) {
      const auto make = [&](Random& random) { return disturbed(random, 400, factor, length); };
      EXPECT_LE(false_claims(100, kRuns, make), 2) << factor << " every " << length;
      EXPECT_EQ(false_claims(100, kSoftware, make), 0) << factor << " every " << length;
    }
  // It may even stay for a whole run and be gone in the other.
  for (const double length : {400.0, 5000.0}) {
    const auto make = [&](Random& random) { return disturbed(random, 400, 1.9, length); };
    EXPECT_GT(false_claims(100, kRuns, make), 5) << "on a GPU that would be a difference";
    EXPECT_EQ(false_claims(100, kSoftware, make), 0);
  }
}

TEST(Compare, InterleavedSetsAreComparedWhateverDisturbsBoth) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Samples load = disturbed(random, 400, 2, 60);
    Samples a = draw(2 * seed, 1, 0.01, 400), same = draw(2 * seed + 1, 1, 0.01, 400), slower = same;
    for (size_t i = 0; i < load.size(); ++i) {
      a[i] *= load[i];
      same[i] *= load[i];
      slower[i] *= 1.1 * load[i];
    }
    EXPECT_EQ(in_turn(a, same).relation, Relation::same) << seed;
    EXPECT_EQ(in_turn(a, slower).relation, Relation::slower) << seed;
  }
}

TEST(Compare, DriftAsLargeAsTheDifferenceIsNoDifference) {
  for (const double drift : {-0.2, -0.08, 0.08, 0.2}) {
    Samples a = draw(1, 1e5, 0.003, 400), b = draw(2, 1.05e5, 0.003, 400);
    EXPECT_EQ(compare_samples(a, b, kRuns).relation, Relation::slower);
    for (size_t i = 0; i < b.size(); ++i) b[i] *= 1 + drift * (double(i) / double(b.size()) - 0.5);
    const Comparison c = compare_samples(a, b, kRuns);
    EXPECT_EQ(c.relation, Relation::unsure) << drift;
    EXPECT_EQ(c.reason, "the samples drift") << drift;
    for (size_t i = 0; i < a.size(); ++i) a[i] *= 1 + drift * (double(i) / double(a.size()) - 0.5);
    EXPECT_EQ(in_turn(a, b).relation, Relation::slower) << "both drift alike";
  }
}

TEST(Compare, OnASharedCpuRunsMustDifferByMuch) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Samples a = draw(3 * seed, 1e5, 0.03, 200), twice = draw(3 * seed + 1, 1.8e5, 0.03, 200);
    const Comparison c = compare_samples(a, twice, kSoftware);
    EXPECT_EQ(c.relation, Relation::unsure);
    EXPECT_EQ(c.reason, "not taken interleaved, on a device that shares its CPU");
    EXPECT_EQ(in_turn(a, twice).relation, Relation::slower);
    const Samples far = draw(3 * seed + 2, 5e5, 0.03, 200);
    EXPECT_EQ(compare_samples(a, far, kSoftware).relation, Relation::slower);
    EXPECT_EQ(compare_samples(far, a, kSoftware).relation, Relation::faster);
  }
}

TEST(Compare, HeavyTailsNeitherClaimNorHide) {
  const auto cauchy = [](Random& random, double center) {
    std::cauchy_distribution<double> tail(0, 0.004);
    Samples samples(300);
    for (double& x : samples) x = center * (1 + std::abs(tail(random)));
    return samples;
  };
  EXPECT_LE(false_claims(200, kRuns, [&](Random& r) { return cauchy(r, 1e5); }), 0);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Samples a = cauchy(random, 1e5), b = cauchy(random, 1.06e5);
    EXPECT_EQ(compare_samples(a, b, kRuns).relation, Relation::slower) << seed;
  }
}

TEST(Compare, ACoarseTimerTellsNothingFinerThanItsStep) {
  const auto ticks = [](double ns, double step, uint64_t seed) {
    Samples samples = draw(seed, ns, 0.001, 100);
    for (double& x : samples) x = step * std::floor(x / step);
    return samples;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    // 995 and 1005 ns at steps of 100 ns read 900 and 1000.
    const Comparison c = compare_samples(ticks(995, 100, seed), ticks(1005, 100, seed + 50), kRuns);
    EXPECT_FALSE(claims(c)) << c.ratio;
    EXPECT_EQ(compare_samples(ticks(1e4, 100, seed), ticks(1.1e4, 100, seed + 50), kRuns).relation, Relation::slower);
  }
  const Samples nine(50, 900.0), ten(50, 1000.0);
  EXPECT_EQ(compare_samples(nine, ten, kRuns).relation, Relation::unsure);
}

TEST(Compare, FewSamplesSayNothingAndNoneAreUnsureAndFinite) {
  const Samples two{100, 101}, four{200, 210, 190, 205}, five{200, 210, 190, 205, 201},
      six{100, 102, 101, 99, 100, 103};
  for (const Comparison& c :
       {compare_samples(two, four, kRuns), compare_samples(four, five, kRuns), in_turn(six, four)}) {
    EXPECT_EQ(c.relation, Relation::unsure);
    EXPECT_EQ(c.reason.substr(0, 15), "too few samples") << c.reason;
  }
  EXPECT_EQ(compare_samples(six, five, kRuns).relation, Relation::slower);
  EXPECT_EQ(compare_samples(five, six, kRuns).relation, Relation::faster);
  EXPECT_LE(false_claims(1000, kRuns, [](Random& r) { return wandering(r, 6, 1e5, 0.1, 0, 1); }), 10);
  int claimed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random r(1000 + seed);
    claimed += claims(in_turn(wandering(r, 6, 1e5, 0.1, 0, 1), wandering(r, 6, 1e5, 0.1, 0, 1)));
  }
  EXPECT_LE(claimed, 10);
  const Samples a{100, 101}, zeros(10, 0.0), holes(10, std::nan("")), negative(10, -1.0);
  for (const Comparison& c :
       {compare_samples({}, a, kRuns), compare_samples(a, {}, kRuns), compare_samples(a, zeros, kRuns),
        compare_samples(holes, a, kRuns), in_turn(negative, negative)}) {
    EXPECT_EQ(c.relation, Relation::unsure);
    EXPECT_FALSE(c.reason.empty());
    EXPECT_TRUE(std::isfinite(c.ratio) && std::isfinite(c.low) && std::isfinite(c.high));
  }
}

TEST(Compare, EvidenceDoesNotGrowWithTheSamples) {
  const Samples a = draw(1, 1e5, 0.01, 100000);
  size_t numbers = 0;
  const SampleSummary evidence = make_sample_summary(a);
  for (const auto& scale : evidence.blocks) numbers += scale.size();
  EXPECT_EQ(numbers, 8u + 16 + 32 + 64);
  EXPECT_EQ(compare(evidence, make_sample_summary(draw(2, 1.05e5, 0.01, 100000)), kRuns).relation, Relation::slower);
}

TEST(Statistics, OfNothingOfOneSampleOfZerosAndOfAKnownSetWhoseQuantilesInterpolateAsType7) {
  // First third {50, 10}, last third {30, 60}: a drift of 45 / 30.
  const auto s = must(summarize(std::vector{50.0, 10.0, 40.0, 20.0, 30.0, 60.0}));
  EXPECT_EQ(std::tuple(s->count, s->median, s->min, s->max, s->mean, s->p20, s->p80, s->drift),
            std::tuple(6u, 35, 10, 60, 35, 20, 50, 0.5));
  EXPECT_DOUBLE_EQ(s->stddev, std::sqrt(350.0));
  const std::vector<double> sorted{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 8);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.8), 4 + 0.4 * 4);
  EXPECT_FALSE(summarize({}));
  EXPECT_EQ(*summarize(std::vector{7.0}), (Statistics{1, 7, 7, 7, 7, 7, 7, 0, 0, 0}));
  EXPECT_EQ(*summarize(std::vector(10, 0.0)), (Statistics{10, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Statistics, NoiseIsTheStandardErrorOfTheMedianAndIgnoresAFewOutliers) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1000, 30);
  // The spread of many medians, each of 200 samples, against what one summary says.
  double sum = 0, squares = 0, noise = 0;
  constexpr int sets = 400;
  for (int i = 0; i < sets; ++i) {
    std::vector<double> samples(200);
    for (double& x : samples) x = normal(random);
    const auto s = summarize(samples);
    sum += s->median;
    squares += s->median * s->median;
    noise += s->noise / sets;
  }
  const double mean = sum / sets, spread = std::sqrt(squares / sets - mean * mean) / mean;
  EXPECT_NEAR(noise / spread, 1, 0.12);
  std::vector<double> samples(100, 100.0);
  for (size_t i = 0; i < 100; ++i) samples[i] += double(i * 37 % 100) * 0.1;
  const double before = summarize(samples)->noise;
  samples[50] = 1e9;
  EXPECT_NEAR(summarize(samples)->noise, before, before * 0.1);
}

TEST(Statistics, DriftHasASign) {
  std::vector<double> rising, falling;
  for (int i = 0; i < 90; ++i) {
    rising.push_back(100 + i * 0.2);
    falling.push_back(120 - i * 0.2);
  }
  EXPECT_GT(summarize(rising)->drift, kDriftWarning);
  EXPECT_LT(summarize(falling)->drift, -kDriftWarning);
  EXPECT_DOUBLE_EQ(summarize(std::vector<double>(90, 5.0))->drift, 0);
  std::vector<double> fell(40, 583.0);
  fell.insert(fell.end(), 80, 70.0);
  EXPECT_DOUBLE_EQ(summarize(fell)->drift, 70.0 / 583 - 1) << "nothing gets faster by more than all of it";
}

}  // namespace attnscope::compare_test
