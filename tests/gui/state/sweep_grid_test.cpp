// The state of a search as it is told of, and its grid.

#include <gtest/gtest.h>

#include "app/gui/charts/maps.hpp"

namespace attnscope::gui::sweep_grid_test {

search::Arm arm_of(const std::string& name, std::vector<Parameter> parameters) {
  search::Arm arm{name, name + "-1", std::move(parameters), {}};
  for (const Parameter& p : arm.parameters) arm.default_config[p.name] = p.default_value;
  return arm;
}

SearchTrial trial_of(const char* variant, const Config& config, double ns, Outcome outcome = Outcome::measured,
                     bool dropped = false) {
  const char* const message = ns > 0 ? "" : "why";
  return {variant, {.config = config, .outcome = outcome, .message = message, .dropped = dropped, .median_ns = ns}};
}

/// A search of one variant with three parameters; points are told by their values.
struct Observation {
  SearchState searched;
  SweepMap map;
  Selection selection;
  std::vector<Parameter> parameters = {
      {"M", "", {16, 32, 64, 128}, 32}, {"N", "", {16, 32, 64}, 32}, {"S", "", {1, 2}, 1}};

  Observation() {
    searched.begin({.id = 1, .problem = *parse_problem("1x4x32x32")}, 0);
    apply(SearchStarted{{}, {arm_of("tiled", parameters)}});
    selection = {*parse_problem("1x4x32x32"), "tiled", {{"M", 32}, {"N", 32}, {"S", 1}}};
  }
  template <class T>
  void apply(T&& what) {
    searched.apply({1, std::forward<T>(what)}, 1);
  }
  static Config config(int64_t m, int64_t n, int64_t s) { return {{"M", m}, {"N", n}, {"S", s}}; }
  void trial(int64_t m, int64_t n, int64_t s, double ns, Outcome outcome = Outcome::measured, bool dropped = false) {
    apply(trial_of("tiled", config(m, n, s), ns, outcome, dropped));
  }
  const SweepCell& cell(int64_t m, int64_t n) {
    const auto at = map.grid.cell_of(searched, {{"M", m}, {"N", n}, {"S", map.best_of ? 1 : selection.config["S"]}});
    return map.grid.cell(at->first, at->second);
  }
  CellState state(int64_t m, int64_t n) {
    map.step(searched, selection);
    return map.grid.state(cell(m, n));
  }
};

TEST(SweepGrid, ACellIsTheFastestOverTheOtherParametersOrASliceOfThem) {
  Observation t;
  t.trial(32, 32, 1, 300);
  t.trial(32, 32, 2, 200);
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.map.grid.columns(), 4u) << "M has the most values";
  EXPECT_EQ(t.map.grid.rows(), 3u);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 200);
  EXPECT_EQ(t.cell(32, 32).tried, 2u);
  EXPECT_FALSE(t.map.grid.shows(t.searched, t.config(32, 32, 1))) << "the number is another config's";
  EXPECT_TRUE(t.map.grid.shows(t.searched, t.config(32, 32, 2)));
  EXPECT_TRUE(t.map.grid.shows(t.searched, t.config(16, 32, 1))) << "nothing was tried there";
  t.map.best_of = false;
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 300) << "S is 1 in what is asked";
  t.selection.config["S"] = 2;
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 200);
  // Moving along the axes is no other slice.
  const uint64_t version = t.map.version();
  t.selection.config["M"] = 64;
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.map.version(), version);
}

TEST(SweepGrid, ColoursAreOfTheTrialsAndWhatWasStoppedEarlyHasNoTime) {
  Observation t;
  t.trial(16, 32, 1, 300);
  t.trial(32, 32, 1, 200);
  t.trial(64, 32, 1, 150, Outcome::measured, true);
  EXPECT_EQ(t.searched.arms()[0].timed + 1, t.searched.trials().size()) << "stopped early it has no time";
  const auto out = std::make_shared<search::SearchOutcome>();
  Record& raced = out->result.winner.emplace();
  std::tie(raced.variant, raced.config) = std::pair("tiled", t.config(32, 32, 1));
  raced.statistics.emplace().median = 900;
  out->result.raced = {raced, raced};
  out->result.raced[1].config = t.config(16, 32, 1);
  out->result.raced[1].statistics->median = 1800;
  t.apply(SearchEnded{"", out});
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.searched.trials()[size_t(t.searched.best())].median_ns, 900);
  EXPECT_EQ(t.map.grid.fastest(), 200);
  EXPECT_EQ(t.map.grid.slowest(), 300);
  const auto colour = [&](int64_t m) { return t.searched.trials()[size_t(t.cell(m, 32).best)].tried_ns; };
  EXPECT_EQ(colour(32), 200) << "as it was tried, not 900";
  EXPECT_EQ(colour(64), INFINITY) << "it has no time that anybody judged";
  EXPECT_EQ(heat_of(colour(64), 200, 300) + heat_of(colour(64), 200, 200), 0);
}

TEST(SearchRace, CountsTheConfigsMadeReadyAndKnowsSinceWhenTheyAreSampled) {
  Observation t;
  t.apply(SearchTick{"race", {}});
  EXPECT_EQ(t.searched.race().configs, 0);
  // A stage that lasts is told again.
  for (const char* stage : {"compile", "compile", "verify", "compile", "verify", "warm-up"}) t.apply(RaceStage{stage});
  EXPECT_EQ(t.searched.race().configs, 2);
  EXPECT_FALSE(t.searched.race().sampled);
  for (const double now : {5.0, 7.0}) t.searched.apply({1, RaceStage{"sample"}}, now);
  EXPECT_EQ(t.searched.race().since, 5);
  t.apply(RaceStage{"verify"});
  EXPECT_TRUE(t.searched.race().sampled) << "their results are judged, none is made ready";
  t.apply(SearchTick{"search", {}});
  EXPECT_EQ(t.searched.race().configs, 0);
}

TEST(SweepGrid, ShowsWhatTheModelPredictsUntilItIsMeasured) {
  Observation t;
  t.searched.begin({.id = 1, .problem = *parse_problem("1x4x32x32")}, 0);
  const auto known = [](int64_t m, int64_t n, int64_t s, double us) {
    return tune::Prediction{"tiled", "", {{"M", m}, {"N", n}, {"S", s}}, us};
  };
  tune::PredictedConfigs predicted{"2026-11-24T04:00:00Z",
                                   {known(32, 32, 2, 4), known(32, 32, 1, 5), known(64, 64, 1, 8)}};
  predicted.all.push_back({"other", "", {{"M", 16}}, 1});
  predicted.all.push_back(known(17, 32, 1, 1));  // no candidate
  t.apply(SearchStarted{{}, {arm_of("tiled", t.parameters)}, predicted});
  EXPECT_EQ(t.searched.model(), predicted.model);
  ASSERT_EQ(t.searched.arms()[0].predicted.size(), 3u);
  const auto ns = [&](int64_t m, int64_t n) {
    return t.searched.arms()[0].predicted[size_t(t.cell(m, n).predicted)].second;
  };
  EXPECT_EQ(t.state(32, 32), CellState::predicted) << "before anything is planned or measured";
  EXPECT_EQ(ns(32, 32), 4000) << "the least of the cell";
  EXPECT_EQ(t.state(64, 64), CellState::predicted);
  EXPECT_EQ(t.state(16, 16), CellState::untried);
  EXPECT_EQ(t.map.grid.fastest(), 4000);
  EXPECT_EQ(t.map.grid.slowest(), 8000);
  EXPECT_FALSE(t.map.grid.best()) << "nothing is the best before it is measured";
  const auto at = t.map.grid.cell_of(t.searched, {{"M", 32}, {"N", 32}, {"S", 1}});
  EXPECT_EQ(t.map.grid.config(t.searched, at->first, at->second, {}), known(32, 32, 2, 0).config);
  t.trial(64, 64, 1, 500);
  EXPECT_EQ(t.state(64, 64), CellState::measured);
  EXPECT_EQ(t.state(32, 32), CellState::predicted);
  EXPECT_EQ(t.map.grid.fastest(), 500) << "what is measured has the whole scale";
  EXPECT_EQ(t.map.grid.slowest(), 500);
  t.trial(32, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(t.state(32, 32), CellState::wrong);
  t.apply(SpacePlanned{"tiled", {.next = 24, .legal = {t.config(64, 64, 1)}}});
  EXPECT_EQ(t.state(16, 16), CellState::refused);
  t.map.best_of = false;
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(ns(32, 32), 5000) << "S is 1 in what is asked";
}

TEST(SweepGrid, UntriedIsNotRefusedAndWrongIsNeither) {
  Observation t;
  t.map.best_of = false;
  EXPECT_EQ(t.state(128, 64), CellState::untried) << "nobody knows yet";
  SpacePlanned told{"tiled", {}};
  for (told.batch.next = 0; told.batch.next < 24; ++told.batch.next)
    if (const Config c = t.searched.arms()[0].space->config(told.batch.next); c.at("M") == 128 && c.at("N") == 64)
      told.batch.refused.push_back({c, "needs 49,152 bytes"});
    else
      told.batch.legal.push_back(c);
  t.apply(SpacePlanned(told));
  EXPECT_EQ(t.state(128, 64), CellState::refused);
  EXPECT_EQ(t.state(16, 16), CellState::untried);
  ASSERT_EQ(t.searched.arms()[0].refused.size(), 2u);
  EXPECT_EQ(t.searched.arms()[0].refused[0].second, "needs 49,152 bytes");
  t.trial(16, 16, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(t.state(16, 16), CellState::wrong);
  t.trial(16, 32, 1, 0, Outcome::error);
  EXPECT_EQ(t.state(16, 32), CellState::broken);
  t.map.best_of = true;
  EXPECT_EQ(t.state(128, 64), CellState::refused);
  EXPECT_EQ(t.state(16, 16), CellState::wrong);
  t.trial(16, 16, 2, 500);
  EXPECT_EQ(t.state(16, 16), CellState::measured) << "another value of S works";
  EXPECT_EQ(t.cell(16, 16).wrong, 1u);
  // The same stretch told again counts once.
  const uint64_t legal = t.cell(16, 16).legal;
  t.apply(SpacePlanned(told));
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.cell(16, 16).legal, legal);
}

TEST(SearchState, TheBestSoFarIsNeverOfATrialThatIsVoid) {
  Observation t;
  const auto steps = [&] {
    return mapped(t.searched.arms()[0].steps, [](const SearchState::Step& s) { return std::pair(s.trial, s.ns); });
  };
  using Bests = std::vector<std::pair<uint64_t, double>>;
  t.trial(16, 32, 1, 500);
  t.trial(64, 32, 1, 100);
  t.trial(32, 32, 1, 300);
  EXPECT_EQ(steps(), (Bests{{0, 500}, {1, 100}}));
  t.trial(64, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(steps(), (Bests{{0, 500}, {2, 300}})) << "what was behind the wrong one is the best now";
  EXPECT_EQ(t.searched.trials()[1].median_ns, 0) << "and its time is gone";
  EXPECT_EQ(fastest_first(t.searched)[0]->steps.back().ns, 300);
  // Timed anew, faster and slower.
  t.trial(32, 32, 1, 200);
  EXPECT_EQ(steps(), (Bests{{0, 500}, {4, 200}}));
  t.trial(32, 32, 1, 600);
  EXPECT_EQ(steps(), (Bests{{0, 500}}));
  t.trial(16, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(steps(), (Bests{{5, 600}}));
  t.trial(32, 32, 1, 0, Outcome::error);
  t.trial(128, 32, 1, 50, Outcome::measured, true);
  EXPECT_TRUE(steps().empty()) << "one that was dropped early has too few samples to be the best";
  EXPECT_TRUE(fastest_first(t.searched).empty());
}

TEST(SweepGrid, AxesAreChosenAndNeverTheSameTwice) {
  Observation t;
  t.map.step(t.searched, t.selection);
  t.map.choose_axis("tiled", true, "S");
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.map.grid.columns(), 2u);
  EXPECT_EQ(t.map.grid.rows(), 4u) << "the larger of the others";
  t.map.choose_axis("tiled", false, "S");
  t.map.step(t.searched, t.selection);
  EXPECT_EQ(t.map.grid.rows(), 2u);
  EXPECT_NE(t.map.grid.view().x, t.map.grid.view().y);
  EXPECT_EQ(t.map.grid.config(t.searched, 0, 1, t.selection.config).at("S"), 2);
}

TEST(SweepGrid, OneParameterIsARowAndNoneIsACell) {
  for (const size_t count : {size_t(0), size_t(1)}) {
    SearchState searched;
    SweepMap map;
    searched.begin({.id = 1}, 0);
    std::vector<Parameter> parameters;
    if (count == 1) parameters.push_back({"WG", "", {64, 128}, 64});
    searched.apply({1, SearchStarted{{}, {arm_of("naive", parameters)}}}, 0);
    searched.apply({1, trial_of("naive", count == 1 ? Config{{"WG", 128}} : Config{}, 500)}, 0);
    map.step(searched, {});
    EXPECT_EQ(map.grid.rows(), 1u);
    EXPECT_EQ(map.grid.columns(), count + 1);
    EXPECT_EQ(map.grid.state(map.grid.cell(count, 0)), CellState::measured);
  }
}

TEST(SweepGrid, AHundredThousandTrialsAreCountedAndAFewAreDrawn) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 6; ++p) parameters.push_back({"P" + std::to_string(p), "", {1, 2, 3, 4, 5, 6, 7}, 1});
  SearchState searched;
  SweepMap map;
  searched.begin({.id = 1}, 0);
  searched.apply({1, SearchStarted{{}, {arm_of("big", parameters)}}}, 0);
  for (uint64_t i = 0; i < 100'000; ++i) {
    const Config config = searched.arms()[0].space->config(i);
    searched.apply({1, trial_of("big", config, 1e6 + double(i * 104729 % 999983))}, 0);
    if (i % 10'000 == 0) map.step(searched, {});
  }
  map.step(searched, {});
  EXPECT_EQ(searched.trials().size(), 100'000u);
  EXPECT_EQ(map.lines.best.size(), BestTrials::kBest);
  EXPECT_EQ(map.lines.others.size(), BestTrials::kOthers);
  uint64_t tried = 0;
  for (const SweepCell& cell : map.grid.cells()) tried += cell.tried;
  EXPECT_EQ(tried, 100'000u);
  EXPECT_LT(searched.arms()[0].steps.size(), 200u) << "only what is better is a step";
  // The best of the lines are the best of all.
  for (size_t i = 0; i + 1 < map.lines.best.size(); ++i)
    EXPECT_LE(searched.trials()[map.lines.best[i]].median_ns, searched.trials()[map.lines.best[i + 1]].median_ns);
  EXPECT_EQ(int64_t(map.lines.best.front()), searched.best());
}

TEST(Heat, IsEvenByRatioAndBrightForFast) {
  EXPECT_DOUBLE_EQ(heat_of(100, 100, 1000), 1);
  EXPECT_DOUBLE_EQ(heat_of(1000, 100, 1000), 0);
  EXPECT_NEAR(heat_of(std::sqrt(1e5), 100, 1000), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(heat_of(5000, 100, 1000), 0) << "beyond the scale";
  EXPECT_DOUBLE_EQ(heat_of(100, 100, 100), 1);
  const auto light = [](ImU32 c) {
    return 0.2126 * double(c & 255) + 0.7152 * double(c >> 8 & 255) + 0.0722 * double(c >> 16 & 255);
  };
  for (int i = 0; i < 20; ++i) EXPECT_LT(light(heat_colour(i / 20.0)), light(heat_colour((i + 1) / 20.0))) << i;
}

}  // namespace attnscope::gui::sweep_grid_test
