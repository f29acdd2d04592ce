// Strategies on recorded spaces: what they find in how many trials.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/tune/gaussian_process.hpp"
#include "engine/tune/tuner.hpp"
#include "tests/tune/replay.hpp"

namespace attnscope::tune {
namespace {

TuneRequest request_of(const RecordedSpace& space, StrategyKind kind, uint64_t seed) {
  TuneRequest request;
  request.problem = *parse_problem("1x16x4096x128:f16");
  request.arms = {{space.variant, space.parameters, {}}};
  request.strategy = kind;
  request.search_seed = seed;
  return request;
}

/// Trials until one was within `share` of the best; `most` when none was.
uint64_t trials_needed(const RecordedSpace& space, StrategyKind kind, uint64_t seed, uint64_t most, double share) {
  Replay replay({space});
  TuneRequest request = request_of(space, kind, seed);
  request.budget_trials = most;
  Tuner tuner(request);
  const double goal = space.best() * (1 + share);
  uint64_t count = 0;
  const std::atomic<bool> never{false};
  bool found = false;
  while (!found) {
    const auto next = tuner.next(replay, never);
    if (!next || !*next) return most;
    (void)replay.trials(
        **next,
        [&](const Trial& trial) {
          if (!found && trial.outcome != Outcome::refused) ++count;
          found |= trial.median_ns > 0 && trial.median_ns <= goal;
          tuner.tell(space.variant, trial);
        },
        never);
  }
  return count;
}

uint64_t median_needed(const RecordedSpace& space, StrategyKind kind, uint64_t most) {
  std::vector<uint64_t> counts;
  for (uint64_t seed = 1; seed <= 50; ++seed) counts.push_back(trials_needed(space, kind, seed, most, 0.03));
  std::nth_element(counts.begin(), counts.begin() + 25, counts.end());
  return counts[25];
}

/// Both strategies that learn find a config within 3 % of the best in at most a quarter of the trials, and sooner than
/// chance does.
void expect_they_learn(const RecordedSpace& space) {
  const uint64_t quarter = space.times.size() / 4;
  const uint64_t random = median_needed(space, StrategyKind::random, space.times.size());
  for (const StrategyKind kind : {StrategyKind::surrogate, StrategyKind::local}) {
    const uint64_t needed = median_needed(space, kind, quarter);
    printf("%s: %lu of %zu, random %lu\n", std::string(name_of(kind)).c_str(), needed, space.times.size(), random);
    EXPECT_LT(needed, quarter) << name_of(kind);
    EXPECT_LT(needed, random) << name_of(kind);
  }
}

TEST(Strategies, LearnFromAMadeUpSpace) {
  const RecordedSpace space = made_up_space();
  ASSERT_GT(space.times.size(), 1000u);
  expect_they_learn(space);
}

/// The exhaustive sweeps of real devices that are kept, each a journal.
TEST(Strategies, LearnFromRecordedSweeps) {
  namespace fs = std::filesystem;
  size_t sweeps = 0;
  for (const char* folder : {"docs/results", "tests/data"}) {
    std::error_code error;
    for (fs::directory_iterator it(fs::path(ATTNSCOPE_SOURCE_DIR) / folder, error), end; !error && it != end; ++it) {
      if (it->path().extension() != ".jsonl") continue;
      SCOPED_TRACE(it->path().string());
      const RecordedSpace space = recorded_space(it->path());
      ASSERT_GE(space.times.size(), 1000u);
      expect_they_learn(space);
      ++sweeps;
    }
  }
  if (sweeps == 0) GTEST_SKIP() << "no exhaustive sweep is kept";
}

TEST(Strategies, ProposeNothingTwiceAndFinishTheSpace) {
  RecordedSpace space = made_up_space();
  // The part of it that is quick to walk whole.
  std::erase_if(space.times, [](const auto& item) { return hash_text(to_text(item.first)) % 8 != 0; });
  for (const StrategyKind kind :
       {StrategyKind::exhaustive, StrategyKind::random, StrategyKind::local, StrategyKind::surrogate}) {
    Replay replay({space});
    Tuner tuner(request_of(space, kind, 7));
    const std::atomic<bool> never{false};
    for (;;) {
      const auto next = tuner.next(replay, never);
      ASSERT_TRUE(next);
      if (!*next) break;
      (void)replay.trials(
          **next, [&](const Trial& t) { tuner.tell(space.variant, t); }, never);
    }
    std::set<std::pair<std::string, Config>> once(replay.tried.begin(), replay.tried.end());
    EXPECT_EQ(once.size(), replay.tried.size()) << name_of(kind);
    EXPECT_EQ(once.size(), space.times.size()) << name_of(kind);
    EXPECT_EQ(tuner.progress().best_ns, space.best()) << name_of(kind);
  }
}

TEST(Strategies, AreTheSameForTheSameSeed) {
  const RecordedSpace space = made_up_space();
  for (const StrategyKind kind : {StrategyKind::random, StrategyKind::local, StrategyKind::surrogate}) {
    std::vector<std::vector<std::pair<std::string, Config>>> runs;
    for (const uint64_t seed : {3, 3, 4}) {
      Replay replay({space});
      TuneRequest request = request_of(space, kind, seed);
      request.budget_trials = 60;
      Tuner tuner(request);
      const std::atomic<bool> never{false};
      for (;;) {
        const auto next = tuner.next(replay, never);
        if (!next || !*next) break;
        (void)replay.trials(
            **next, [&](const Trial& t) { tuner.tell(space.variant, t); }, never);
      }
      runs.push_back(replay.tried);
    }
    EXPECT_EQ(runs[0], runs[1]) << name_of(kind);
    EXPECT_NE(runs[0], runs[2]) << name_of(kind);
  }
}

TEST(GaussianProcess, InterpolatesAndKnowsWhatItDoesNotKnow) {
  GaussianProcess gp;
  std::vector<GaussianProcess::Place> places;
  std::vector<double> values;
  for (int i = 0; i <= 10; ++i) {
    places.push_back({i / 10.0, (i * 7 % 11) / 10.0});
    values.push_back(5 + 3 * std::sin(2 * places.back()[0]));
  }
  gp.fit(places, values);
  const auto near = gp.guess({0.55, 0.5});
  EXPECT_NEAR(near.mean, 5 + 3 * std::sin(1.1), 0.1);
  GaussianProcess one;
  one.fit({{0.0, 0.0}, {0.1, 0.0}, {0.0, 0.1}}, {1, 2, 1.5});
  EXPECT_GT(one.guess({1, 1}).deviation, 2 * one.guess({0.05, 0.02}).deviation);
  // What is believed makes a place certain and moves nothing.
  const auto before = one.guess({0.5, 0.5});
  one.believe({0.5, 0.5});
  const auto after = one.guess({0.5, 0.5});
  EXPECT_NEAR(before.mean, after.mean, 1e-6);
  EXPECT_LT(after.deviation, before.deviation);
  EXPECT_GT(GaussianProcess::expected_gain({1, 0.1}, 2), GaussianProcess::expected_gain({1.5, 0.1}, 2));
  EXPECT_EQ(GaussianProcess::expected_gain({3, 0}, 2), 0);
}

}  // namespace
}  // namespace attnscope::tune
