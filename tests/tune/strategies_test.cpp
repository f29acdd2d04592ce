// Strategies on recorded spaces: what they find in how many trials.
#include "engine/tune/gaussian_process.hpp"
#include "tests/tune/replay.hpp"

namespace attnscope::tune::strategies_test {

TuneRequest request_of(const RecordedSpace& space, StrategyKind kind, uint64_t seed) {
  TuneRequest request;
  request.problem = *parse_problem("1x16x4096x128:f16");
  request.arms = {{space.variant, space.parameters, {}}};
  request.strategy = kind;
  request.seed = seed;
  return request;
}

/// Trials until one was within `share` of the best; `most` when none was.
uint64_t trials_needed(const RecordedSpace& space, StrategyKind kind, uint64_t seed, uint64_t most, double share) {
  Replay replay({space});
  TuneRequest request = request_of(space, kind, seed);
  request.budget.trials = most;
  Tuner tuner(request);
  const double goal = space.best() * (1 + share);
  uint64_t count = 0;
  const std::atomic<bool> never{false};
  bool found = false;
  while (!found) {
    const auto next = tuner.next(replay, never);
    if (!next || !*next) return most;
    (void)replay.trials(**next, each_trial([&](const Trial& trial) {
      if (!found && trial.outcome != Outcome::refused) ++count;
      found |= trial.median_ns > 0 && trial.median_ns <= goal;
      tuner.tell(space.variant, trial);
    }),
                        never);
  }
  return count;
}

uint64_t median_needed(const RecordedSpace& space, StrategyKind kind, uint64_t most) {
  std::vector<uint64_t> counts;
  for (uint64_t seed = 1; seed <= 15; ++seed) counts.push_back(trials_needed(space, kind, seed, most, 0.03));
  std::nth_element(counts.begin(), counts.begin() + 7, counts.end());
  return counts[7];
}

/// The surrogate finds a config within 3 % of the best in at most a quarter of the trials, and sooner than chance does.
TEST(Strategies, LearnFromARecordedSweep) {
  const RecordedSpace space = recorded_space(false);
  ASSERT_EQ(space.times.size(), 3036u);
  const uint64_t quarter = space.times.size() / 4;
  const uint64_t needed = median_needed(space, StrategyKind::surrogate, quarter);
  EXPECT_LT(needed, quarter);
  EXPECT_LT(needed, median_needed(space, StrategyKind::random, space.times.size()));
}

TEST(Strategies, AreTheSameForTheSameSeed) {
  const RecordedSpace space = recorded_space();
  for (const StrategyKind kind : {StrategyKind::random, StrategyKind::surrogate}) {
    std::vector<std::vector<std::pair<std::string, Config>>> runs;
    for (const uint64_t seed : {3, 3, 4}) {
      Replay replay({space});
      TuneRequest request = request_of(space, kind, seed);
      request.budget.trials = 60;
      Tuner tuner(request);
      replay.try_for(tuner, space.variant);
      runs.push_back(replay.tried);
    }
    EXPECT_EQ(runs[0], runs[1]) << name_of(kind);
    EXPECT_NE(runs[0], runs[2]) << name_of(kind);
  }
}

/// Of a walk from its beginning most configs would have the first value of the parameter that changes last.
TEST(Strategies, OfASpaceThatIsSlowToPlanTheFirstTrialsAreSpread) {
  const RecordedSpace space = recorded_space();
  const auto first_values =
      std::ranges::count_if(space.times, [](const auto& item) { return item.first.at("SUBGROUPS") == 1; });
  for (const StrategyKind kind : {StrategyKind::random, StrategyKind::surrogate}) {
    size_t tried = 0, first = 0;
    // Before a strategy learns it has asked for some twelve: so those of several searches.
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Replay replay({space});
      replay.most_planned = 1500;
      TuneRequest request = request_of(space, kind, seed);
      request.budget.seconds = 1e-3;  // a walk of all takes 4 % of that, or is none
      Tuner tuner(request);
      ASSERT_TRUE(replay.try_for(tuner, space.variant, kind == StrategyKind::random ? 4 : 1)) << name_of(kind);
      EXPECT_FALSE(tuner.summaries()[0].complete);
      tried += replay.tried.size();
      for (const auto& [variant, config] : replay.tried) first += config.at("SUBGROUPS") == 1;
    }
    EXPECT_GE(tried, 40u) << name_of(kind);
    EXPECT_LT(double(first) / double(tried), 2.0 * double(first_values) / double(space.times.size())) << name_of(kind);
  }
}

TEST(GaussianProcess, InterpolatesAndKnowsWhatItDoesNotKnow) {
  GaussianProcess gp;
  std::vector<GaussianProcess::Coordinates> places;
  std::vector<double> values;
  for (int i = 0; i <= 10; ++i) {
    places.push_back({i / 10.0, (i * 7 % 11) / 10.0});
    values.push_back(5 + 3 * std::sin(2 * places.back()[0]));
  }
  gp.fit(places, values);
  EXPECT_NEAR(gp.guess({0.55, 0.5}).mean, 5 + 3 * std::sin(1.1), 0.1);
  GaussianProcess one;
  one.fit({{0.0, 0.0}, {0.1, 0.0}, {0.0, 0.1}}, {1, 2, 1.5});
  EXPECT_GT(one.guess({1, 1}).deviation, 2 * one.guess({0.05, 0.02}).deviation);
  // What is believed makes a place certain and moves nothing.
  GaussianProcess::CachedPoint known;
  const auto before = one.guess({0.5, 0.5}, known);
  one.believe({0.5, 0.5});
  const auto after = one.guess({0.5, 0.5});
  EXPECT_EQ(one.guess({0.5, 0.5}, known).deviation, after.deviation) << "what is kept goes on where it stopped";
  EXPECT_EQ(one.guess({0.5, 0.5}, known).mean, after.mean);
  EXPECT_NEAR(before.mean, after.mean, 1e-6);
  EXPECT_LT(after.deviation, before.deviation);
  EXPECT_GT(GaussianProcess::expected_gain({1, 0.1}, 2), GaussianProcess::expected_gain({1.5, 0.1}, 2));
  EXPECT_EQ(GaussianProcess::expected_gain({3, 0}, 2), 0);
}

}  // namespace attnscope::tune::strategies_test
