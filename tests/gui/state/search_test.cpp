// Searches as the window keeps them: the state of one, its grid, and the workbench with its link and a fake session.
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "app/gui/link_core.hpp"
#include "app/gui/state/arms.hpp"
#include "app/gui/state/cell_words.hpp"
#include "app/gui/workbench.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {
namespace {

search::Arm arm_of(const std::string& name, std::vector<Parameter> parameters) {
  search::Arm arm{name, name + "-1", std::move(parameters), {}};
  for (const Parameter& p : arm.parameters) arm.default_config[p.name] = p.default_value;
  return arm;
}

/// A search of one variant with three parameters; points are told by their values.
struct Told {
  Searched searched;
  SweepMap map;
  Ask ask;
  std::vector<Parameter> parameters = {
      {"M", "", {16, 32, 64, 128}, 32}, {"N", "", {16, 32, 64}, 32}, {"S", "", {1, 2}, 1}};

  Told() {
    searched.begin({.id = 1, .problem = *parse_problem("1x4x32x32")}, 0);
    apply(SearchStarted{{}, {arm_of("tiled", parameters)}});
    ask = {*parse_problem("1x4x32x32"), "tiled", {{"M", 32}, {"N", 32}, {"S", 1}}};
  }
  template <class T>
  void apply(T&& what) {
    searched.apply({1, std::forward<T>(what)}, 1);
  }
  uint64_t point(int64_t m, int64_t n, int64_t s) {
    return *searched.arms()[0].space->point({{"M", m}, {"N", n}, {"S", s}});
  }
  void trial(int64_t m, int64_t n, int64_t s, double ns, Outcome outcome = Outcome::measured, bool dropped = false) {
    apply(SearchTrials{{{0, point(m, n, s), ns, outcome, dropped, false, 5, ns > 0 ? "" : "why"}}});
  }
  const SweepCell& cell(int64_t m, int64_t n) {
    const auto at = map.grid.cell_of(searched, {{"M", m}, {"N", n}, {"S", map.best_of ? 1 : ask.config["S"]}});
    return map.grid.cell(at->first, at->second);
  }
  CellState state(int64_t m, int64_t n) {
    map.step(searched, ask);
    return map.grid.state(cell(m, n));
  }
};

TEST(SweepGrid, ACellIsTheFastestOverTheOtherParametersOrASliceOfThem) {
  Told t;
  t.trial(32, 32, 1, 300);
  t.trial(32, 32, 2, 200);
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.columns(), 4u) << "M has the most values";
  EXPECT_EQ(t.map.grid.rows(), 3u);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 200);
  EXPECT_EQ(t.cell(32, 32).tried, 2u);
  t.map.best_of = false;
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 300) << "S is 1 in what is asked";
  t.ask.config["S"] = 2;
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.searched.trials()[size_t(t.cell(32, 32).best)].median_ns, 200);
  // Moving along the axes is no other slice.
  const uint64_t version = t.map.grid.version();
  t.ask.config["M"] = 64;
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.version(), version);
}

TEST(SweepGrid, UntriedIsNotRefusedAndWrongIsNeither) {
  Told t;
  t.map.best_of = false;
  EXPECT_EQ(t.state(128, 64), CellState::untried) << "nobody knows yet";
  Legality told;
  for (const int64_t m : {16, 32, 64, 128})
    for (const int64_t n : {16, 32, 64})
      for (const int64_t s : {1, 2}) {
        if (m == 128 && n == 64)
          told.refused.emplace_back(t.point(m, n, s), "needs 49,152 bytes");
        else
          told.legal.push_back(t.point(m, n, s));
      }
  told.next = 24;
  t.apply(Legality(told));
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
  t.apply(Legality(told));
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.cell(16, 16).legal, legal);
}

TEST(SweepGrid, WhatOverlappingStretchesTellOfCountsOnce) {
  Told t;
  const uint64_t a = t.point(16, 16, 1), b = t.point(16, 16, 2);
  t.apply(Legality{0, {a}, {}, a + 2, a});
  // As samples of a large space lie: from elsewhere, over the same points.
  t.apply(Legality{0, {a, b}, {}, b + 1, a - std::min<uint64_t>(a, 1)});
  t.apply(Legality{0, {b}, {}, b + 3, b});
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.searched.arms()[0].legal.size(), 2u);
  EXPECT_EQ(t.cell(16, 16).legal, 2u);
}

TEST(SweepGrid, WhatARaceFoundWrongIsNoBestAnyMore) {
  Told t;
  t.trial(64, 32, 1, 100);
  t.trial(32, 32, 1, 300);
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.best(), t.map.grid.cell_of(t.searched, {{"M", 64}, {"N", 32}, {"S", 1}}));
  t.trial(64, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(t.state(64, 32), CellState::wrong);
  EXPECT_EQ(t.map.grid.best(), t.map.grid.cell_of(t.searched, {{"M", 32}, {"N", 32}, {"S", 1}}));
  EXPECT_EQ(t.searched.trials()[size_t(t.searched.best())].median_ns, 300);
}

TEST(Searched, TheBestSoFarIsNeverOfATrialThatIsVoid) {
  Told t;
  const auto steps = [&] {
    std::vector<std::pair<uint64_t, double>> out;
    for (const Searched::Step& step : t.searched.arms()[0].steps) out.emplace_back(step.trial, step.ns);
    return out;
  };
  using Steps = std::vector<std::pair<uint64_t, double>>;
  t.trial(16, 32, 1, 500);
  t.trial(64, 32, 1, 100);
  t.trial(32, 32, 1, 300);
  EXPECT_EQ(steps(), (Steps{{0, 500}, {1, 100}}));
  t.trial(64, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(steps(), (Steps{{0, 500}, {2, 300}})) << "what was behind the wrong one is the best now";
  EXPECT_EQ(fastest_first(t.searched)[0]->steps.back().ns, 300);
  // Timed anew, faster and slower.
  t.trial(32, 32, 1, 200);
  EXPECT_EQ(steps(), (Steps{{0, 500}, {4, 200}}));
  t.trial(32, 32, 1, 600);
  EXPECT_EQ(steps(), (Steps{{0, 500}}));
  t.trial(16, 32, 1, 0, Outcome::failed_verdict);
  EXPECT_EQ(steps(), (Steps{{5, 600}}));
  t.trial(32, 32, 1, 0, Outcome::error);
  EXPECT_TRUE(steps().empty());
  EXPECT_TRUE(fastest_first(t.searched).empty());
}

TEST(Searched, ATrialToldAgainCountsOnceWhereItWasToldLast) {
  Told t;
  t.trial(16, 32, 1, 500);
  t.trial(64, 32, 1, 400);
  t.trial(32, 32, 1, 300);
  EXPECT_EQ(t.searched.place(2), 2u);
  EXPECT_EQ(t.searched.standing(), 3u);
  t.trial(64, 32, 1, 450);
  t.trial(16, 16, 1, 200);
  EXPECT_EQ(t.searched.standing(), 4u);
  const Searched::Step& last = t.searched.arms()[0].steps.back();
  EXPECT_EQ(last.ns, 200);
  EXPECT_EQ(t.searched.place(last.trial), 3u) << "as when the four that stand are recalled";
}

TEST(SweepGrid, ADroppedTrialIsShownAndIsNoBest) {
  Told t;
  t.trial(64, 32, 1, 100, Outcome::measured, true);
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.state(t.cell(64, 32)), CellState::measured);
  EXPECT_EQ(t.searched.best(), -1);
}

TEST(FastestFirst, HasTheVariantsThatHaveATimeByTheirBest) {
  Searched searched;
  const std::vector<Parameter> parameters = {{"M", "", {16, 32}, 32}};
  searched.begin({.id = 1, .problem = *parse_problem("1x4x32x32")}, 0);
  searched.apply({1, SearchStarted{{}, {arm_of("a", parameters), arm_of("b", parameters), arm_of("c", parameters)}}},
                 1);
  EXPECT_TRUE(fastest_first(searched).empty());
  const auto trial = [&](uint32_t arm, int64_t m, double ns) {
    const uint64_t point = *searched.arms()[arm].space->point({{"M", m}});
    searched.apply({1, SearchTrials{{{arm, point, ns, Outcome::measured, false, false, 5, ""}}}}, 1);
  };
  trial(0, 16, 300);
  trial(2, 16, 200);
  std::vector<const Searched::Arm*> arms = fastest_first(searched);
  ASSERT_EQ(arms.size(), 2u);
  EXPECT_EQ(arms[0]->arm.variant, "c");
  trial(0, 32, 100);
  arms = fastest_first(searched);
  EXPECT_EQ(arms[0]->arm.variant, "a");
}

TEST(SweepGrid, AxesAreChosenAndNeverTheSameTwice) {
  Told t;
  t.map.step(t.searched, t.ask);
  t.map.choose_axis("tiled", true, "S");
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.columns(), 2u);
  EXPECT_EQ(t.map.grid.rows(), 4u) << "the larger of the others";
  t.map.choose_axis("tiled", false, "S");
  t.map.step(t.searched, t.ask);
  EXPECT_EQ(t.map.grid.rows(), 2u);
  EXPECT_NE(t.map.grid.view().x, t.map.grid.view().y);
  EXPECT_EQ(t.map.grid.config(t.searched, 0, 1, t.ask.config).at("S"), 2);
}

TEST(SweepGrid, OneParameterIsARowAndNoneIsACell) {
  for (const size_t count : {size_t(0), size_t(1)}) {
    Searched searched;
    SweepMap map;
    searched.begin({.id = 1}, 0);
    std::vector<Parameter> parameters;
    if (count == 1) parameters.push_back({"WG", "", {64, 128}, 64});
    searched.apply({1, SearchStarted{{}, {arm_of("naive", parameters)}}}, 0);
    searched.apply({1, SearchTrials{{{0, count, 500, Outcome::measured, false, false, 5, ""}}}}, 0);
    map.step(searched, {});
    EXPECT_EQ(map.grid.rows(), 1u);
    EXPECT_EQ(map.grid.columns(), count + 1);
    EXPECT_EQ(map.grid.state(map.grid.cell(count, 0)), CellState::measured);
  }
}

TEST(SweepGrid, OfAHundredThousandTrialsAFrameCostsWhatIsNew) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 6; ++p) parameters.push_back({"P" + std::to_string(p), "", {1, 2, 3, 4, 5, 6, 7}, 1});
  Searched searched;
  SweepMap map;
  searched.begin({.id = 1}, 0);
  searched.apply({1, SearchStarted{{}, {arm_of("big", parameters)}}}, 0);
  double slowest = 0;
  for (uint64_t batch = 0; batch < 1000; ++batch) {
    SearchTrials told;
    for (uint64_t i = 0; i < 100; ++i)
      told.trials.push_back({0, batch * 100 + i, 1e6 + double((batch * 7919 + i * 104729) % 999983), Outcome::measured,
                             false, false, 5, ""});
    searched.apply({1, std::move(told)}, 0);
    const double before = steady_seconds();
    map.step(searched, {});
    if (batch >= 500) slowest = std::max(slowest, steady_seconds() - before);
  }
  EXPECT_EQ(searched.trials().size(), 100'000u);
  EXPECT_EQ(map.lines.best().size(), BestTrials::kBest);
  EXPECT_EQ(map.lines.others().size(), BestTrials::kOthers);
  uint64_t tried = 0;
  for (size_t row = 0; row < map.grid.rows(); ++row)
    for (size_t column = 0; column < map.grid.columns(); ++column) tried += map.grid.cell(column, row).tried;
  EXPECT_EQ(tried, 100'000u);
  EXPECT_LT(searched.arms()[0].steps.size(), 200u) << "only what is better is a step";
  // The best of the lines are the best of all.
  for (size_t i = 0; i + 1 < map.lines.best().size(); ++i)
    EXPECT_LE(searched.trials()[map.lines.best()[i]].median_ns, searched.trials()[map.lines.best()[i + 1]].median_ns);
  EXPECT_EQ(int64_t(map.lines.best().front()), searched.best());
  // Were it all looked at anew, 100 trials would cost as 100,000 do: a thousand times as much.
  EXPECT_LT(slowest, 0.05);
}

TEST(UntriedCell, SaysWhetherItCanRunWhatWouldTryItAndWhatItsNeighboursTake) {
  Told t;
  const auto lines = [&](int64_t m, int64_t n) {
    t.map.step(t.searched, t.ask);
    const auto at = t.map.grid.cell_of(t.searched, {{"M", m}, {"N", n}, {"S", 1}});
    std::string all;
    for (const std::string& line : untried_lines(t.searched, t.map.grid, at->first, at->second)) all += line + "\n";
    return all;
  };
  EXPECT_NE(lines(64, 32).find("not known yet"), std::string::npos) << lines(64, 32);
  EXPECT_NE(lines(64, 32).find("The search may come to it: 0 are tried"), std::string::npos) << lines(64, 32);
  t.trial(32, 32, 1, 3e6);
  t.trial(64, 16, 1, 2e6);
  Legality legality;
  legality.legal = {t.point(64, 32, 1), t.point(64, 32, 2)};
  legality.next = t.searched.arms()[0].space->size();
  t.apply(std::move(legality));
  tune::TuneProgress progress;
  progress.tried = 2;
  progress.goal = 24;
  t.apply(SearchTick{"search", progress});
  EXPECT_EQ(
      lines(64, 32),
      "2 of its configs can run here.\nThe search comes to it: 2 of 24 are tried.\nIts neighbours take 2.00 ms to "
      "3.00 ms.\n");
  t.apply(SearchEnded{});
  EXPECT_NE(lines(64, 32).find("No search goes on"), std::string::npos) << lines(64, 32);
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
  for (int i = 0; i <= 20; ++i)
    EXPECT_GT(std::abs(light(heat_ink(i / 20.0)) - light(heat_colour(i / 20.0))), 60) << "the numbers are legible";
}

TEST(Ago, IsInWordsOfAPerson) {
  const int64_t now = 1'700'000'000;  // 2023-11-14T22:13:20Z
  EXPECT_EQ(ago("2023-11-14T22:13:10Z", now), "just now");
  EXPECT_EQ(ago("2023-11-14T22:01:00Z", now), "12 min ago");
  EXPECT_EQ(ago("2023-11-14T19:00:00Z", now), "3 h ago");
  EXPECT_EQ(ago("2023-11-04T22:13:20Z", now), "10 days ago");
  EXPECT_EQ(ago("yesterday", now), "");
  tune::TunedMatch match;
  match.entry.time_utc = "2023-11-14T22:01:00Z";
  EXPECT_EQ(provenance(match, now), "tuned here, 12 min ago");
  match.shipped = true;
  EXPECT_EQ(provenance(match, now), "shipped table");
}

class SearchTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  std::filesystem::path dir;
  std::unique_ptr<Workbench> bench;
  std::unique_ptr<Links> links;

  void SetUp() override {
    dir = std::filesystem::temp_directory_path() / ("attnscope-search-" + std::to_string(::getpid()) + "-" +
                                                    testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(dir);
    open();
  }
  void TearDown() override {
    links.reset();
    std::filesystem::remove_all(dir);
  }
  /// A window anew, with the files of the one before.
  void open() {
    links.reset();
    bench = std::make_unique<Workbench>(GuiOptions{});
    std::vector<LinkOptions> options = test::fake_links(world);
    options.front().tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
    links = std::make_unique<Links>(std::move(options));
  }
  void pump() {
    for (const Heard& heard : links->take()) bench->apply(heard, false, steady_seconds());
    bench->tick(steady_seconds());
    if (const auto wish = bench->wish(0)) links->wish(0, *wish);
    if (links->held()) links->resume();
  }
  template <class F>
  bool until(F done) {
    const double limit = steady_seconds() + 20;
    while (steady_seconds() < limit) {
      pump();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool sampled() {
    return until([&] { return bench->timed() && bench->timed()->series.taken() >= 20; });
  }
  bool over() {
    return until([&] { return !bench->searched.running(); });
  }
  void start(const std::optional<Search>& search) {
    ASSERT_TRUE(search);
    links->search(0, *search);
  }
  const Searched& searched() { return bench->searched; }
  bool said(const std::string& words) {
    for (const LogLine& line : bench->messages.lines())
      if (line.text.find(words) != std::string::npos) return true;
    return false;
  }
};

TEST_F(SearchTest, OneKeySweepsTheFastestVariantOfTheShapeAndLiveSamplingGoesOnAfterwards) {
  ASSERT_TRUE(sampled());
  bench->set_variant("naive");
  ASSERT_TRUE(sampled());
  world->trials_allowed = 4;
  start(bench->sweep_best());
  ASSERT_TRUE(until([&] { return searched().trials().size() >= 3; }));
  EXPECT_TRUE(searched().measuring());
  EXPECT_FALSE(bench->measuring()) << "nothing is sampled live meanwhile";
  const int runs = world->runs;
  // What is chosen meanwhile is inspected all the same.
  bench->take("tiled", {{"BLOCK_M", 16}, {"BLOCK_N", 64}});
  ASSERT_TRUE(until([&] { return bench->current_inspection() != nullptr; }));
  EXPECT_EQ(world->runs, runs);
  EXPECT_FALSE(bench->shown());
  world->trials_allowed = 1000;
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().arms()[bench->sweep_map.arm()].arm.variant, "tiled");
  EXPECT_EQ(searched().trials().size(), 10u) << "naive once, and tiled's nine legal configs";
  const SlimTrial& best = searched().trials()[size_t(searched().best())];
  EXPECT_EQ(searched().config(best), (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  const SweepGrid& grid = bench->sweep_map.grid;
  std::map<CellState, int> cells;
  for (size_t row = 0; row < grid.rows(); ++row)
    for (size_t column = 0; column < grid.columns(); ++column) ++cells[grid.state(grid.cell(column, row))];
  EXPECT_EQ(cells,
            (std::map<CellState, int>{{CellState::measured, 8}, {CellState::wrong, 1}, {CellState::refused, 3}}));
  EXPECT_TRUE(sampled()) << "and then it goes on";
  EXPECT_EQ(bench->timed()->ask.config.at("BLOCK_M"), 16);
}

TEST_F(SearchTest, ACancelEndsItAtOnceAndTheNextGoesOnFromTheJournalEvenInAnotherWindow) {
  ASSERT_TRUE(sampled());
  world->trials_allowed = 5;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().trials().size() == 5; }));
  links->cancel_search(0);
  ASSERT_TRUE(over());
  EXPECT_TRUE(said("was cancelled")) << bench->messages.lines().back().text;
  const auto points = [&] {
    std::vector<uint64_t> out;
    for (const SlimTrial& trial : searched().trials()) out.push_back(trial.point);
    return out;
  };
  const std::vector<uint64_t> before = points();
  EXPECT_FALSE(std::is_sorted(before.begin(), before.end())) << "an order of its own, or this tells nothing";
  ASSERT_TRUE(sampled());

  world->trials_allowed = 1000;
  open();
  ASSERT_TRUE(sampled());
  // The map of before is there before anything is measured.
  const auto look = bench->look_back();
  ASSERT_TRUE(look);
  EXPECT_FALSE(bench->look_back()) << "once";
  links->search(0, *look);
  ASSERT_TRUE(over());
  EXPECT_EQ(points(), before) << "each stands where it stood on the axis of trials";
  EXPECT_EQ(world->trials, 5);
  EXPECT_EQ(searched().progress().recalled, 5u);
  EXPECT_FALSE(bench->sweep_map.empty());
  start(bench->sweep("tiled"));
  EXPECT_TRUE(bench->sweep_map.empty()) << "nothing points into what is gone";
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().progress().recalled, 5u);
  EXPECT_EQ(world->trials, 9) << "the four that were left";
  const std::vector<uint64_t> after = points();
  EXPECT_EQ(std::vector<uint64_t>(after.begin(), after.begin() + 5), before) << "and the new ones follow them";
}

TEST_F(SearchTest, ATrialThatEndsItsWorkerIsSaidAndTheOthersGoOn) {
  ASSERT_TRUE(sampled());
  world->die_in_trial = true;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  EXPECT_TRUE(said("signal 9"));
  EXPECT_EQ(searched().progress().broken, 1u);
  EXPECT_EQ(searched().trials().size(), 9u);
}

TEST_F(SearchTest, WhatIsAcceptedIsTheDefaultOfItsProblemFromThenOn) {
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 32) << "the declared default";
  EXPECT_EQ(bench->tuned_caption(), "");
  bench->tuning.budget = "soon";
  EXPECT_FALSE(bench->tune()) << "a budget that is none";
  bench->tuning.budget = "";
  const auto search = bench->tune();
  ASSERT_TRUE(search);
  start(*search);
  ASSERT_TRUE(over());
  ASSERT_TRUE(searched().outcome());
  const tune::TuneResult& result = searched().outcome()->result;
  ASSERT_FALSE(result.raced.empty()) << result.no_race;
  ASSERT_EQ(result.words.size(), result.raced.size());
  EXPECT_EQ(result.words[0].relation, Relation::faster) << result.words[0].reason;
  ASSERT_TRUE(bench->can_accept());
  links->keep(0, searched().asked().id);
  bench->accept();
  EXPECT_EQ(bench->asked.ask.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  ASSERT_TRUE(until([&] { return searched().kept() && bench->tuned_caption() != ""; }));
  EXPECT_EQ(bench->tuned_caption(), "tuned here, just now");
  EXPECT_TRUE(said("Remembered for this device: tiled"));
  bench->undo();
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 32);

  open();
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench->asked.ask.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_EQ(bench->tuned_caption(), "tuned here, just now");
  bench->set_problem(*parse_problem("1x4x64x16"));
  ASSERT_TRUE(sampled());
  EXPECT_NE(bench->asked.ask.config.at("BLOCK_M"), 64) << "a problem that is not near has its own default";
  EXPECT_EQ(bench->tuned_caption(), "");
}

TEST_F(SearchTest, ABestThatIsSlowerThanWhatIsShownIsNotTaken) {
  ASSERT_TRUE(sampled());
  bench->set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled());
  // The search has only come to slower ones so far.
  world->trials_allowed = 1;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().best() >= 0; }));
  links->cancel_search(0);
  const auto job = bench->take_best();
  ASSERT_TRUE(job) << "it is raced first";
  EXPECT_TRUE(bench->best_race().running);
  EXPECT_FALSE(bench->take_best()) << "once";
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  ASSERT_TRUE(bench->best_race().word) << bench->best_race().error;
  EXPECT_EQ(bench->best_race().word->relation, Relation::slower);
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 64) << "nothing is changed";
  EXPECT_TRUE(said("What is shown is faster, and stays")) << bench->messages.lines().back().text;
  EXPECT_TRUE(said("SLOWER, 2.0000"));
  EXPECT_FALSE(bench->take_keep());
  EXPECT_TRUE(sampled()) << "and sampling goes on";
}

TEST_F(SearchTest, ABestThatIsFasterIsTakenWithItsWordAndEndsAuto) {
  ASSERT_TRUE(sampled());
  EXPECT_TRUE(bench->automatic());
  world->trials_allowed = 1000;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const auto job = bench->take_best();
  ASSERT_TRUE(job);
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->asked.ask.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_TRUE(said("FASTER, 0.3333")) << bench->messages.lines().back().text;
  bench->undo();
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 16);
  // By the search's own race, when that had what is shown; the engine's reason is none of what is taken.
  bench->set_variant(std::string(kAutoVariant));
  ASSERT_TRUE(until([&] { return bench->automatic() && !bench->choosing() && bench->timed(); }));
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 32);
  EXPECT_FALSE(bench->why_automatic().empty());
  EXPECT_FALSE(bench->take_best()) << "nothing is to be measured for it";
  EXPECT_EQ(bench->asked.ask.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_FALSE(bench->automatic());
  EXPECT_EQ(bench->why_automatic(), "");
  EXPECT_FALSE(bench->take_best());
  EXPECT_TRUE(said("is the best of the search already"));
}

TEST_F(SearchTest, WhatIsAsFastAsTheBestStaysAndAnAcceptKeepsTheBest) {
  ASSERT_TRUE(sampled());
  bench->set_variant("naive");
  ASSERT_TRUE(sampled());
  bench->set_value("WG", 128);
  ASSERT_TRUE(sampled());
  start(bench->sweep("naive"));
  ASSERT_TRUE(over());
  const auto job = bench->accept();
  ASSERT_TRUE(job);
  EXPECT_FALSE(bench->take_keep()) << "nothing is kept before the word";
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->asked.ask.config.at("WG"), 128);
  EXPECT_TRUE(said("What is shown is as fast, and stays")) << bench->messages.lines().back().text;
  EXPECT_TRUE(bench->take_keep());
  EXPECT_FALSE(bench->take_keep()) << "once";
  // With nothing timed to hold it against, it is taken at once.
  world->hold_compile = true;
  bench->set_variant("tiled");
  ASSERT_TRUE(until([&] { return bench->measuring() && !bench->timed(); }));
  EXPECT_FALSE(bench->take_best());
  EXPECT_EQ(bench->asked.ask.variant, "naive");
  world->hold_compile = false;
}

TEST_F(SearchTest, ARaceThatIsCancelledOrLeftBehindChangesNothing) {
  ASSERT_TRUE(sampled());
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  auto job = bench->take_best();
  ASSERT_TRUE(job);
  EXPECT_FALSE(bench->sweep_best()) << "one at a time";
  RivalsRaced cancelled{job->id, "", {}, "It was cancelled."};
  bench->apply({0, News(cancelled)}, false, steady_seconds());
  EXPECT_FALSE(bench->best_race().running);
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 16);
  EXPECT_TRUE(said("It was cancelled. Nothing was changed."));
  // Who went on to something else meanwhile keeps that.
  job = bench->take_best();
  ASSERT_TRUE(job);
  bench->set_value("BLOCK_M", 32);
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 32);
  EXPECT_TRUE(said("Something else is shown by now"));
}

/// Two GPUs of one name and driver in one machine.
class TwinsTest : public SearchTest {
 protected:
  void SetUp() override {
    world->twins = true;
    SearchTest::SetUp();
  }
  void choose(const char* device, const char* uuid) {
    bench->set_device(0, device);
    ASSERT_TRUE(until([&] { return bench->known.device && bench->known.device->device_uuid == uuid; }));
    ASSERT_TRUE(sampled());
  }
  std::vector<tune::TunedEntry> kept() { return tune::load_tuned(dir / "tuned.json").entries; }
};

TEST_F(TwinsTest, ASearchIsOfOneOfThemAlone) {
  ASSERT_TRUE(sampled());
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  ASSERT_TRUE(bench->can_accept());
  EXPECT_EQ(bench->search_of_other(), "");
  choose("3", "bb");
  EXPECT_EQ(bench->search_of_other(), "another device, Test GPU");
  EXPECT_FALSE(bench->can_accept()) << "its times are none of this one";
  const auto look = bench->look_back();
  ASSERT_TRUE(look) << "this one's own journal is looked at";
  links->search(0, *look);
  ASSERT_TRUE(over());
  EXPECT_EQ(bench->search_of_other(), "");
  EXPECT_TRUE(searched().trials().empty()) << "what the first one tried is not this one's";
}

TEST_F(TwinsTest, WhatIsAcceptedIsKeptForTheDeviceThatItWasFoundOn) {
  ASSERT_TRUE(sampled());
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  world->hold_race = true;
  const int races = world->races;
  const auto job = bench->accept();
  ASSERT_TRUE(job);
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return world->races > races; }));
  // The other one is chosen while the race goes on.
  bench->set_device(0, "3");
  pump();
  world->hold_race = false;
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->best_race().device.device_uuid, "aa");
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 16) << "a word of the first changes nothing on the second";
  EXPECT_TRUE(said("Something else is shown by now")) << bench->messages.lines().back().text;
  ASSERT_TRUE(until([&] { return bench->known.device && bench->known.device->device_uuid == "bb"; }));
  ASSERT_TRUE(bench->take_keep());
  links->keep(0, searched().asked().id);
  ASSERT_TRUE(until([&] { return searched().kept(); }));
  ASSERT_FALSE(kept().empty());
  for (const tune::TunedEntry& e : kept()) EXPECT_EQ(e.device_uuid, "aa") << e.variant;
  EXPECT_EQ(bench->tuned(), nullptr);
  EXPECT_FALSE(said("Remembered for this device"));
}

TEST_F(TwinsTest, ARaceThatBeganOnTheOtherSaysNothingOfThisOne) {
  ASSERT_TRUE(sampled());
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const auto job = bench->take_best();
  ASSERT_TRUE(job);
  choose("3", "bb");
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_FALSE(bench->best_race().word);
  EXPECT_TRUE(said("Another device was opened before the race began.")) << bench->messages.lines().back().text;
  EXPECT_EQ(bench->asked.ask.config.at("BLOCK_M"), 16);
}

TEST_F(TwinsTest, APinOfOneIsMeasuredAgainThereAlone) {
  ASSERT_TRUE(sampled());
  bench->pin();
  bench->across.add(bench->asked.ask.problem);
  choose("3", "bb");
  EXPECT_FALSE(bench->measure_all()) << "the only pin is of the other one";
  EXPECT_TRUE(said("it is of another device"));
  EXPECT_EQ(bench->scaling_rows().size(), 2u) << "the pin, and what is shown";
  bench->pin();
  const auto job = bench->measure_all();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->items.size(), 1u);
  std::set<std::string> names;
  EXPECT_TRUE(until([&] {
    names.clear();
    for (const Pin& p : bench->pins.all()) names.insert(bench->name_of(p));
    return names.size() == 2;
  }));
  for (const std::string& name : names) EXPECT_EQ(name.find("take"), std::string::npos) << name;
}

Record raced_record(double ns, size_t samples) {
  Record r;
  r.variant = "tiled";
  for (size_t i = 0; i < samples; ++i) r.samples_ns.push_back(ns * (1 + 0.001 * double(i % 3)));
  conclude(r, Outcome::measured);
  return r;
}

TEST(BestRace, ItsWordComesFromTheSamplesAndDecides) {
  const std::vector<uint32_t> turns(20, 2);
  const Record shown = raced_record(1e6, 40);
  const auto verdict = [&](const Record& best, const std::vector<uint32_t>& in) {
    BestRace race;
    race.word = word_of_race(shown, in, best, in);
    return *race.verdict();
  };
  EXPECT_EQ(verdict(raced_record(0.9e6, 40), turns), BestRace::Verdict::take);
  EXPECT_EQ(verdict(raced_record(1e6, 40), turns), BestRace::Verdict::equal);
  EXPECT_EQ(verdict(raced_record(1.1e6, 40), turns), BestRace::Verdict::stay);
  // Of slow executions there are few turns: then all samples decide.
  const std::vector<uint32_t> few(4, 10);
  EXPECT_EQ(verdict(raced_record(0.5e6, 40), few), BestRace::Verdict::take);
  EXPECT_EQ(verdict(raced_record(2e6, 40), few), BestRace::Verdict::stay);
  Record wrong = shown;
  conclude(wrong, Outcome::failed_verdict, "max abs error 0.5 is over 1e-5.");
  EXPECT_EQ(verdict(wrong, turns), BestRace::Verdict::stay);
  EXPECT_NE(word_of_race(shown, turns, wrong, turns).reason.find("max abs error"), std::string::npos);
  EXPECT_FALSE(BestRace{}.verdict());
  EXPECT_GT(longest_race_ms(100e6), longest_race_ms(1e6));
  EXPECT_LE(longest_race_ms(1e12), 60'000);
}

TEST_F(SearchTest, WhatIsKeptWhileItIsSampledIsSaidToBeTuned) {
  ASSERT_TRUE(sampled());
  const auto search = bench->tune();
  ASSERT_TRUE(search);
  start(*search);
  ASSERT_TRUE(over());
  bench->accept();
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench->tuned_caption(), "");
  const uint64_t taken = bench->timed()->series.taken();
  links->keep(0, searched().asked().id);
  ASSERT_TRUE(until([&] { return searched().kept() && bench->tuned_caption() != ""; }));
  ASSERT_TRUE(until([&] { return bench->timed() && bench->timed()->series.taken() > taken; }))
      << "the samples stay, and sampling goes on";
}

TEST_F(SearchTest, ItsNumbersAreOfOneRunIdentity) {
  ASSERT_TRUE(sampled());
  world->trials_allowed = 4;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().trials().size() == 4; }));
  EXPECT_EQ(bench->search_of_other(), "");
  bench->set_problem(*parse_problem("1x4x64x32"));
  pump();
  EXPECT_EQ(bench->search_of_other(), "another problem, 1x4x32x32:f32");
  EXPECT_TRUE(searched().measuring()) << "it goes on, and says of what";
  EXPECT_FALSE(bench->can_accept());
  bench->undo();
  EXPECT_EQ(bench->search_of_other(), "");
  bench->asked.modes.cache = CacheMode::cold;
  EXPECT_NE(bench->search_of_other(), "");
  bench->asked.modes.cache = CacheMode::hot;
  // Another version of the shader ends it: no number of both stands in one map.
  world->shader = 2;
  bench->reload_shaders();
  ASSERT_TRUE(over());
  EXPECT_EQ(searched().error(), "The shaders were read again.");
  ASSERT_TRUE(until([&] { return bench->search_of_other() == "an earlier version of tiled"; }));
  const auto look = bench->look_back();
  ASSERT_TRUE(look);
  links->search(0, *look);
  ASSERT_TRUE(over());
  EXPECT_TRUE(searched().trials().empty()) << "trials of the version before are none of this one";
}

TEST_F(SearchTest, WhatASearchTriedIsInWhatIsExportedAndWhatRacedInTheLog) {
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench->all_records().size(), 1u) << "what is shown, once";
  bench->tuning.budget = "";
  const auto search = bench->tune();
  ASSERT_TRUE(search);
  start(*search);
  ASSERT_TRUE(over());
  const search::SearchOutcome& out = *searched().outcome();
  ASSERT_FALSE(out.result.raced.empty()) << out.result.no_race;
  const auto had = [&](const std::vector<Record>& records, const std::string& variant, const Config& config) {
    return std::count_if(records.begin(), records.end(),
                         [&](const Record& r) { return r.variant == variant && r.config == config; });
  };
  for (const tune::TriedConfig& t : out.tried)
    EXPECT_GE(had(bench->all_records(), t.variant, t.trial.config), 1) << t.variant;
  // Those of the race are in the log, and told once: their trials were the way there.
  const Config best = out.result.raced.front().config;
  EXPECT_EQ(had(bench->all_records(), "tiled", best), 1);
  const Record* kept = nullptr;
  for (const auto& e : bench->tried.entries())
    if (e.record->config == best) kept = e.record.get();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->samples_ns, out.result.raced.front().samples_ns);
  // Another search takes the place of this one; what raced stays.
  bench->set_problem(*parse_problem("1x4x64x32"));
  ASSERT_TRUE(sampled());
  start(bench->sweep("tiled"));
  links->cancel_search(0);
  ASSERT_TRUE(over());
  EXPECT_EQ(had(bench->all_records(), "tiled", best) > 0, true);
}

TEST_F(SearchTest, ATrialOfAnEarlierSearchIsNotExportedAsOneOfNow) {
  ASSERT_TRUE(sampled());
  world->trials_allowed = 3;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().trials().size() == 3; }));
  links->cancel_search(0);
  ASSERT_TRUE(over());
  world->trials_allowed = 1000;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  ASSERT_TRUE(searched().outcome());
  // As a worker stamps what it measures.
  search::SearchOutcome stamped = *searched().outcome();
  size_t recalled = 0;
  for (const tune::TriedConfig& t : stamped.tried) recalled += t.recalled;
  ASSERT_GE(recalled, 3u);
  EXPECT_LT(recalled, stamped.tried.size());
  for (const Record& r : bench->all_records())
    for (const tune::TriedConfig& t : stamped.tried)
      if (t.recalled && r.variant == t.variant && r.config == t.trial.config && r.samples_ns == t.trial.samples_ns) {
        EXPECT_EQ(r.environment.time_utc, "");
      }
}

TEST_F(SearchTest, WhatTakingTheBestRacedIsInTheLog) {
  ASSERT_TRUE(sampled());
  world->trials_allowed = 1000;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->tried.clear();
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const auto job = bench->take_best();
  ASSERT_TRUE(job);
  links->submit(0, *job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  std::set<int64_t> logged;
  for (const auto& e : bench->tried.entries()) logged.insert(e.record->config.at("BLOCK_M"));
  EXPECT_TRUE(logged.contains(64)) << "the best, although nothing was ever shown of it";
  EXPECT_TRUE(logged.contains(16));
}

TEST_F(SearchTest, PinsAndASearchAreNotMeasuredAtOnce) {
  ASSERT_TRUE(sampled());
  bench->pin();
  bench->across.add(bench->asked.ask.problem);
  world->trials_allowed = 2;
  start(bench->sweep("tiled"));
  EXPECT_FALSE(bench->measure_all());
  EXPECT_TRUE(said("A search is measuring"));
  links->cancel_search(0);
  ASSERT_TRUE(over());
  const auto job = bench->measure_all();
  ASSERT_TRUE(job);
  EXPECT_FALSE(bench->sweep_best());
  EXPECT_TRUE(said("The pins are being measured"));
}

}  // namespace
}  // namespace attnscope::gui
