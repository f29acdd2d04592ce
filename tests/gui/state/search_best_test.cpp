// What becomes of a search's best: raced, shown, remembered, and on which device.
#include "tests/gui/state/search_fixture.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {
namespace {

TEST_F(SearchTest, WhatIsAcceptedIsTheDefaultOfItsProblemFromThenOn) {
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 32) << "the declared default";
  EXPECT_EQ(bench->tuned_caption(), "");
  bench->views.tuning.budget = "soon";
  EXPECT_FALSE(bench->tune()) << "a budget that is none";
  bench->views.tuning.budget = "";
  const auto search = must(bench->tune());
  start(*search);
  ASSERT_TRUE(over());
  ASSERT_TRUE(searched().outcome());
  const tune::TuneResult& result = searched().outcome()->result;
  ASSERT_FALSE(result.raced.empty()) << result.no_race;
  ASSERT_EQ(result.words.size(), result.raced.size());
  EXPECT_EQ(result.words[0].relation, Relation::faster) << result.words[0].reason;
  ASSERT_TRUE(bench->can_accept());
  links->at(0)->keep(searched().asked().id);
  bench->accept();
  EXPECT_EQ(bench->request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  ASSERT_TRUE(until([&] { return searched().kept() && bench->tuned_caption() != ""; }));
  EXPECT_EQ(bench->tuned_caption(), "tuned here, now");
  EXPECT_TRUE(said("Saved as the default for this device: tiled"));
  bench->undo();
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 32);

  open();
  ASSERT_TRUE(sampled());
  EXPECT_EQ(bench->request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_EQ(bench->tuned_caption(), "tuned here, now");
  bench->set_problem(*parse_problem("1x4x64x16"));
  ASSERT_TRUE(sampled());
  EXPECT_NE(bench->request.selection.config.at("BLOCK_M"), 64) << "a problem that is not near has its own default";
  EXPECT_EQ(bench->tuned_caption(), "");
}

TEST_F(SearchTest, ABestThatIsSlowerThanWhatIsShownIsNotTaken) {
  bench->set_value("BLOCK_M", 64);
  ASSERT_TRUE(sampled());
  // The search has only come to slower ones so far.
  world->trials_allowed = 1;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(until([&] { return searched().best() >= 0; }));
  links->at(0)->cancel_search();
  const auto job = must(bench->take_best());
  EXPECT_TRUE(bench->best_race().running);
  EXPECT_FALSE(bench->take_best()) << "once";
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  ASSERT_TRUE(bench->best_race().row) << bench->best_race().error;
  EXPECT_EQ(bench->best_race().row->comparison.relation, Relation::slower);
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 64) << "nothing is changed";
  EXPECT_TRUE(said("The current config is faster and was kept")) << bench->messages.lines().back().text;
  EXPECT_TRUE(said("SLOWER, 2.0000"));
  EXPECT_FALSE(bench->take_keep());
  EXPECT_TRUE(sampled()) << "and sampling goes on";
}

TEST_F(SearchTest, ABestThatIsFasterIsTakenWithItsWordAndEndsAuto) {
  EXPECT_TRUE(bench->automatic());
  world->trials_allowed = 1000;
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const auto job = must(bench->take_best());
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_TRUE(said("FASTER, 0.3333")) << bench->messages.lines().back().text;
  bench->undo();
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 16);
  // By the search's own race, when that had what is shown; the engine's reason is none of what is taken.
  bench->set_variant(std::string(kAutoVariant));
  ASSERT_TRUE(until([&] { return bench->automatic() && !bench->choosing() && bench->timed(); }));
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 32);
  EXPECT_FALSE(bench->why_automatic().empty());
  EXPECT_FALSE(bench->take_best()) << "nothing is to be measured for it";
  EXPECT_EQ(bench->request.selection.config, (Config{{"BLOCK_M", 64}, {"BLOCK_N", 32}}));
  EXPECT_FALSE(bench->automatic());
  EXPECT_EQ(bench->why_automatic(), "");
  EXPECT_FALSE(bench->take_best());
  EXPECT_TRUE(said("is the best of the search already"));
}

TEST_F(SearchTest, WhatIsAsFastAsTheBestStaysAndAnAcceptKeepsTheBest) {
  bench->set_variant("naive");
  ASSERT_TRUE(sampled());
  bench->set_value("WG", 128);
  ASSERT_TRUE(sampled());
  start(bench->sweep("naive"));
  ASSERT_TRUE(over());
  const auto job = must(bench->accept());
  EXPECT_FALSE(bench->take_keep()) << "nothing is kept before the word";
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->request.selection.config.at("WG"), 128);
  EXPECT_TRUE(said("The current config is as fast and was kept")) << bench->messages.lines().back().text;
  EXPECT_TRUE(bench->take_keep());
  EXPECT_FALSE(bench->take_keep()) << "once";
  // With nothing timed to hold it against, it is taken at once.
  world->hold_compile = true;
  bench->set_variant("tiled");
  ASSERT_TRUE(until([&] { return bench->measuring() && !bench->timed(); }));
  EXPECT_FALSE(bench->take_best());
  EXPECT_EQ(bench->request.selection.variant, "naive");
  world->hold_compile = false;
}

TEST_F(SearchTest, ARaceThatIsCancelledOrLeftBehindChangesNothing) {
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  auto job = bench->take_best();
  ASSERT_TRUE(job);
  EXPECT_FALSE(bench->sweep_best()) << "one at a time";
  Raced cancelled{job->id, "", {}, "It was cancelled."};
  bench->apply({0, WorkerEvent(cancelled)}, false, steady_seconds());
  EXPECT_FALSE(bench->best_race().running);
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 16);
  EXPECT_TRUE(said("It was cancelled. Nothing was changed."));
  // Who went on to something else meanwhile keeps that.
  job = bench->take_best();
  ASSERT_TRUE(job);
  bench->set_value("BLOCK_M", 32);
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 32);
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
    ASSERT_TRUE(until([&] { return bench->device_state.device && bench->device_state.device->device_uuid == uuid; }));
    ASSERT_TRUE(sampled());
  }
  std::vector<tune::TunedEntry> kept() { return tune::load_tuned(dir / "tuned.json").entries; }
};

TEST_F(TwinsTest, ASearchIsOfOneOfThemAlone) {
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  ASSERT_TRUE(bench->can_accept());
  EXPECT_EQ(bench->search_of_other(), "");
  choose("3", "bb");
  EXPECT_EQ(bench->search_of_other(), "another device, Test GPU");
  EXPECT_FALSE(bench->can_accept()) << "its times are none of this one";
  const auto look = must(bench->look_back());
  links->at(0)->search(*look);
  ASSERT_TRUE(over());
  EXPECT_EQ(bench->search_of_other(), "");
  EXPECT_TRUE(searched().trials().empty()) << "what the first one tried is not this one's";
}

TEST_F(TwinsTest, WhatIsAcceptedIsKeptForTheDeviceThatItWasFoundOn) {
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  world->hold_race = true;
  const int races = world->races;
  const auto job = must(bench->accept());
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return world->races > races; }));
  // The other one is chosen while the race goes on.
  bench->set_device(0, "3");
  pump();
  world->hold_race = false;
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_EQ(bench->best_race().device.device_uuid, "aa");
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 16) << "a word of the first changes nothing on the second";
  EXPECT_TRUE(said("Something else is shown by now")) << bench->messages.lines().back().text;
  ASSERT_TRUE(until([&] { return bench->device_state.device && bench->device_state.device->device_uuid == "bb"; }));
  ASSERT_TRUE(bench->take_keep());
  links->at(0)->keep(searched().asked().id);
  ASSERT_TRUE(until([&] { return searched().kept(); }));
  ASSERT_FALSE(kept().empty());
  for (const tune::TunedEntry& e : kept()) EXPECT_EQ(e.device_uuid, "aa") << e.variant;
  EXPECT_EQ(bench->tuned(), nullptr);
  EXPECT_FALSE(said("Saved as the default for this device"));
}

TEST_F(TwinsTest, ARaceThatBeganOnTheOtherSaysNothingOfThisOne) {
  start(bench->sweep("tiled"));
  ASSERT_TRUE(over());
  bench->set_value("BLOCK_M", 16);
  ASSERT_TRUE(sampled());
  const auto job = must(bench->take_best());
  choose("3", "bb");
  links->at(0)->submit(*job);
  ASSERT_TRUE(until([&] { return !bench->best_race().running; }));
  EXPECT_FALSE(bench->best_race().row);
  EXPECT_TRUE(said("Another device was opened before the race began.")) << bench->messages.lines().back().text;
  EXPECT_EQ(bench->request.selection.config.at("BLOCK_M"), 16);
}

TEST_F(TwinsTest, APinOfOneIsMeasuredAgainThereAlone) {
  bench->pin();
  bench->jobs.problems.add(bench->request.selection.problem);
  choose("3", "bb");
  EXPECT_FALSE(bench->measure_all()) << "the only pin is of the other one";
  EXPECT_TRUE(said("it is of another device"));
  EXPECT_EQ(bench->scaling_rows().size(), 2u) << "the pin, and what is shown";
  bench->pin();
  const auto job = must(bench->measure_all());
  EXPECT_EQ(job->as<Job::Items>()->size(), 1u);
  std::set<std::string> names;
  EXPECT_TRUE(until([&] {
    names.clear();
    for (const Pin& p : bench->pins.all()) names.insert(bench->name_of(p));
    return names.size() == 2;
  }));
  for (const std::string& name : names) EXPECT_FALSE(has(name, "take"));
}

TEST(Races, TakeLongerForWhatIsSlowerUpToABound) {
  EXPECT_GT(longest_race_ms(100e6), longest_race_ms(1e6));
  EXPECT_LE(longest_race_ms(1e12), 60'000);
}

}  // namespace
}  // namespace attnscope::gui
