// The real panels drawn off screen by scripts, with a fake session behind: no display, no worker.

#include "tests/gui/offscreen_fixture.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::offscreen_test {

struct Offscreen : OffscreenTest {
  std::pair<int, int> png_size(const std::string& name) {
    std::ifstream file(dir / name, std::ios::binary);
    unsigned char head[24]{};
    file.read(reinterpret_cast<char*>(head), 24);
    if (!file || head[1] != 'P') return {0, 0};
    return {head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19],
            head[20] << 24 | head[21] << 16 | head[22] << 8 | head[23]};
  }
};

TEST_F(Offscreen, ASearchIsStartedWatchedCancelledResumedAndAcceptedInItsPanel) {
  world->trials_allowed = 4;
  play(
      "wait samples 20\ntab tuning\nclick search.more\nwait frames 3\nclick tuning.budget\nkey Ctrl+A\ntype soon\nkey "
      "Enter\nclick search.custom\n@wrong\nclick tuning.budget\nkey Ctrl+A\ntype 200\nkey Enter\nclick "
      "tuning.strategy.random\nclick tuning.variants.one\nclick search.custom\nwait trials 4\n@running\npicture "
      "{}/running.png\nclick measure\nwait search\nwait frames 3\n@paused\nclick measure\nwait samples "
      "20\n@cancelled\n");
  EXPECT_EQ(at("/search/measuring", "wrong running"), Json({false, true})) << "'soon' is no budget";
  EXPECT_TRUE(holds("running", {{"search", {{"strategy", "random"}}}, {"state", "searching"}}))
      << "the window says why nothing is sampled";
  EXPECT_TRUE(has(state("running")["held"].get<std::string>(), "tiled")) << "and the newest trial";
  EXPECT_TRUE(holds("paused", {{"paused", true}})) << "and the search is ended";
  EXPECT_TRUE(holds("cancelled", {{"held", ""}}));

  world->trials_allowed = 1000;
  play(
      "wait samples 20\ntab tuning\nwait trials 4\nwait search\nclick search.more\nwait frames 3\nclick "
      "search.custom\nwait frames 2\nwait search\nwait samples 20\n@done\nclick raced.1\nwait samples 20\n@row\nclick "
      "search.save\nwait samples 20\nwait frames 10\n@accepted\n");
  const Json over = state("done");
  EXPECT_EQ(over["search"]["recalled"], 4) << "resumed";
  for (const char* id : {"search.switch", "search.save", "search.this"})
    EXPECT_EQ(over["widgets"][id]["x"], state("wrong")["widgets"][id]["x"]) << id << ": what is clicked never moves";
  ASSERT_GE(over["tuning"]["raced"].size(), 2u);
  EXPECT_EQ(over["tuning"]["raced"][0]["word"], "FASTER");
  EXPECT_EQ(over["tuning"]["against"], "vs untuned tiled") << "a default of another variant is not taken for its own";
  EXPECT_EQ(over["search"]["can_accept"], true);
  EXPECT_TRUE(holds("row", {{"ask", {{"config", over["tuning"]["raced"][1]["config"]}}}})) << "a row is clicked";
  EXPECT_TRUE(holds("accepted", {{"ask", {{"config", over["tuning"]["raced"][0]["config"]}}},
                                 {"search", {{"kept", true}}},
                                 {"tuned_caption", "tuned here, now"},
                                 {"widgets", {{"config.tuned", {{"enabled", true}}}}}}));
  EXPECT_EQ(state("accepted")["widgets"]["config.text"]["y"], over["widgets"]["config.text"]["y"]) << "no row moves";
  EXPECT_TRUE(fs::exists(dir / "tuned.json"));
}

TEST_F(Offscreen, TheBestIsHeldAgainstTheTrialOfWhatIsShownByTheRuleOfAllComparisons) {
  world->trials_allowed = 4;
  world->sample_ms = 20;  // its trial takes 2 ms
  const auto best = [&](const std::string& device, const std::string& samples) {
    options.device = device;
    const Json s = state_after("wait samples " + samples + "\nkey S\nwait trials 4\n");
    EXPECT_TRUE(s["search"]["measuring"]);
    return s["search"]["best"].get<std::string>();
  };
  EXPECT_TRUE(has(best("0", "40"), "Best so far: tiled", "\u00d7 faster than now (2.00 ms, by trials)"));
  world->sample_ms = 2;
  world->trials = 0;
  EXPECT_TRUE(has(best("cpu", "40"), " ms, now ", "(not taken interleaved)")) << "of a device that shares its CPU";
}

TEST_F(Offscreen, WhatSensorsSayStandsBelowTheLivePlotAndGoesIntoPins) {
  EXPECT_FALSE(state_after("wait samples 40\n")["widgets"].contains("timing.sensors"));
  world->sensors = true;
  const Json s = state_after("wait samples 40\npin\nwait frames 3\nexport {}/pins.json\n");
  const Json &line = s["widgets"]["timing.sensors"], &plot = s["widgets"]["timing.plot"];
  ASSERT_TRUE(line.is_object() && plot.is_object());
  EXPECT_GE(line["y"].get<double>(), plot["y"].get<double>() + plot["h"].get<double>());
  EXPECT_EQ(s["live"]["telemetry"]["throttled"]["power"], 0.83);
  const Json pins = *parse_json(*read_text(dir / "pins.json"), "pins.json");
  EXPECT_EQ(pins["records"][0]["environment"]["telemetry"]["watts"], 412.5);
}

TEST_F(Offscreen, TheSweepMapHasAxesAndSlicesAndACellIsTaken) {
  play(
      "wait samples 20\nkey S\nwait trials 10\nwait search\nwait samples 20\nwait frames 3\nclick "
      "map.others.slice\nclick map.x\nclick map.x.BLOCK_N\nwait frames 2\nhover map.cell.64.128\nwait frames "
      "40\npicture {}/refused.png\n@slice\nclick map.cell.16.16\nwait samples 20\n@taken\nclick "
      "view_of.search.lines\nwait frames 3\nclick map.line.best\nwait samples 20\n@best\n");
  const Json map = {{"variant", "tiled"}, {"x", "BLOCK_N"}, {"y", "BLOCK_M"}, {"best_of", false}};
  EXPECT_TRUE(holds("slice", {{"tab", "map"}, {"sweep_map", map}})) << "the axes changed places";
  EXPECT_EQ(std::ranges::count(state("slice")["sweep_map"]["cells"], Json{{"state", "refused"}}), 3);
  EXPECT_TRUE(holds("taken", {{"ask", {{"config", {{"BLOCK_M", 16}, {"BLOCK_N", 16}}}}}}));
  EXPECT_TRUE(holds("best", {{"ask", {{"config", {{"BLOCK_M", 64}, {"BLOCK_N", 32}}}}}})) << "by its line";
}

TEST_F(Offscreen, EveryControlAnswersToItsName) {
  play(
      "wait samples 20\nclick problem.text\nkey Ctrl+A\ntype 2x4x64x32:causal\nkey Enter\nwait samples 20\nclick "
      "metric.tflops\nclick pin\nclick variant\nwait frames 3\nclick variant.naive\nwait samples 20\nclick pin\nclick "
      "tab.compare\nwait samples 20\nclick pins.race\nwait job\nwait frames 3\n@raced\nclick tab.across\nclick "
      "across.measure\nwait seconds 0.1\nwait job\nclick cache.cold\nwait samples 20\nkey Ctrl+Z\nwait samples "
      "20\n@state\nsave across.plot {}/chart.png\nexport {}/results.json\n");
  const Json s = state();
  EXPECT_TRUE(holds("state", {{"ask", {{"problem", to_text(*parse_problem("2x4x64x32:causal"))}, {"variant", "tiled"}}},
                              {"metric", "tflops"},
                              {"cache", "cold"},
                              {"bars", 4}}))
      << "the variant undone, two pins on two problems";
  EXPECT_EQ(s["pins"].size(), 2u);
  EXPECT_EQ(state("raced")["pins"][0]["vs_live"], (Json{{"word", "FASTER"}, {"raced", true}, {"ns", {2e6, 5e6}}}));
  EXPECT_EQ(s["pins"][0]["scratch_bytes"], 0);
  EXPECT_EQ(s["pins"][1]["scratch_bytes"], 4096) << "what the algorithms allocate is compared too";
  EXPECT_EQ(s["pins"][1]["moved_bytes"].get<double>(), s["pins"][0]["moved_bytes"].get<double>() + 8192);
  EXPECT_GT(png_size("chart.png").first, 300);
  EXPECT_EQ(png_size("out.png"), std::pair(1280, 800));
  EXPECT_GE(must(read_results(dir / "results.json"))->records.size(), 5u);
}

TEST_F(Offscreen, IllegalValuesDoNotAnswerToClicks) {
  play(
      "wait samples 20\nclick param.BLOCK_M.128\nwait frames 5\nclick variant\n@listed\nclick "
      "variants.not_here\nwait frames 3\nclick variant.matrix\nwait frames 5\n@state\n");
  const Json off = {{"enabled", false}};
  EXPECT_TRUE(holds("state", {{"ask", {{"variant", "tiled"}, {"config", {{"BLOCK_M", 32}}}}},
                              {"widgets", {{"param.BLOCK_M.128", off}, {"variant.matrix", off}}}}));
  const Json listed = state("listed");
  EXPECT_EQ(listed["variant_list"]["folded"], Json({"matrix"}));
  EXPECT_FALSE(listed["widgets"].contains("variant.matrix")) << "what cannot run is folded away until asked for";
  EXPECT_TRUE(listed["widgets"]["variant.broken"]["visible"]) << "what did not load is not hidden";
}

TEST_F(Offscreen, TheTimingPlotIsZoomedMovedAndReadByMouse) {
  play(
      "wait samples 650\n@0\nscroll timing.data 4\n@1\nwait samples 1200\n@2\ndrag timing.data 80 0\n@3\nhover "
      "timing.data 20 -10\n@4\ndouble-click timing.data\n@5\nscroll timing.y 2\n@6\nclick timing.follow\n@7\nscroll "
      "timing.x -2\nclick timing.log\n@8\nhover param.BLOCK_M.16\n@state\n");
  std::vector<Json> view;
  for (int i = 0; i < 9; ++i) view.push_back(state(std::to_string(i))["view"]);
  const auto wide = [](const Json& v) { return v["last"].get<double>() - v["first"].get<double>(); };
  EXPECT_TRUE(view[0]["follow"]);
  EXPECT_FALSE(state("0")["widgets"]["timing.follow"]["enabled"]);
  EXPECT_FALSE(view[1]["follow"]);
  EXPECT_EQ(wide(view[0]), 600);
  EXPECT_NEAR(wide(view[1]), 600 * std::pow(0.85, 4), 0.01);
  EXPECT_EQ(view[1], view[2]) << "new samples do not move a view that was chosen";
  EXPECT_NEAR(wide(view[3]), wide(view[2]), 1e-6);
  EXPECT_LT(view[3]["first"].get<double>(), view[2]["first"].get<double>() - 1)
      << "dragged to the right: older samples";
  EXPECT_TRUE(state("4")["widgets"].contains("timing.nearest")) << "the sample under the mouse is told";
  EXPECT_FALSE(state()["widgets"].contains("timing.nearest"));
  EXPECT_TRUE(view[5]["follow"]) << "double click";
  EXPECT_EQ(wide(view[5]), 600);
  EXPECT_FALSE(view[6]["follow"]);
  EXPECT_EQ(wide(view[6]), 600) << "over the value axis only that one is zoomed";
  EXPECT_TRUE(view[7]["follow"]);
  EXPECT_FALSE(view[7]["log"]);
  EXPECT_GT(wide(view[8]), 600);
  EXPECT_TRUE(view[8]["log"]);
  EXPECT_GT(view[8]["low"].get<double>(), 0);
}

TEST_F(Offscreen, MarkedSamplesAreLeftOutOfTheHeadlineUntilEscape) {
  play(
      "wait samples 100\nshift-drag timing.data 60 0\nwait frames 3\n@marked\nclick timing.marked.without\nwait frames "
      "3\npin\n@without\nclick timing.marked.only\nwait frames 3\n@only\nkey Escape\nwait frames 3\n@state\n");
  const Json marked = state("marked")["view"]["marked"], without = state("without"), only = state("only");
  const uint64_t count = marked["count"];
  EXPECT_GT(count, 5u);
  EXPECT_EQ(count, marked["to"].get<uint64_t>() - marked["from"].get<uint64_t>());
  EXPECT_FALSE(state("marked")["widgets"].contains("timing.left_out"));
  EXPECT_TRUE(without["widgets"].contains("timing.left_out")) << "it says so";
  EXPECT_LT(without["histogram"]["total"], without["live"]["samples"]);
  EXPECT_GE(without["pins"][0]["samples"].get<size_t>(),
            std::min(Series::kKept, state("marked")["live"]["samples"].get<size_t>()))
      << "records keep all samples";
  EXPECT_EQ(only["histogram"]["total"], count);
  EXPECT_EQ(only["view"]["marked"]["median_ns"], marked["median_ns"]);
  EXPECT_FALSE(state()["view"].contains("marked"));
  EXPECT_TRUE(state()["view"]["follow"]) << "as it did before";
  EXPECT_FALSE(state()["widgets"].contains("timing.left_out"));
}

TEST_F(Offscreen, AFileIsADatasetOfItsOwnThatClosesAndComesBack) {
  options.problem = "1x4x32x32";
  Made run{.problem = "2x8x512x64:f16", .variant = "elsewhere", .device = "Another GPU"};
  Record r = made(run);
  r.resources.registers = 77;
  run.samples = 0;
  run.outcome = Outcome::refused;
  ASSERT_TRUE(write_results(dir / "theirs.json", {.records = {r, made(run)}}));
  play(
      "wait samples 20\npin\nopen {}/theirs.json\nwait frames 4\n@opened\nclick pin.2.row\nwait frames "
      "4\n@selected\nkey Escape\nclick pin.1.row\nwait frames 3\nright-click pin.1.name\nwait frames 3\nclick "
      "pin.1.baseline\nwait frames 3\nset BLOCK_M 16\nwait samples 20\ndouble-click pin.1.row\nwait frames "
      "3\n@taken\nclick dataset.1.close\nwait frames 3\n@closed\ncommand undo\nwait frames 3\n@back\n"
      "unpin-all\nwait frames 3\n@state\n");
  const Json opened = state("opened");
  ASSERT_EQ(opened["pins"].size(), 2u);
  EXPECT_EQ(opened["pins"][0]["dataset"], "");
  EXPECT_EQ(opened["pins"][1]["dataset"], (dir / "theirs.json").string());
  EXPECT_EQ(opened["pins"][1]["shown"], false) << "no plot is filled with what was opened";
  EXPECT_FALSE(has(opened["log"].dump(), "elsewhere")) << "what was not tried here is in no session log";
  EXPECT_EQ(state("selected")["pins_view"]["selected"], 2);
  EXPECT_TRUE(state("selected")["widgets"].contains("resources.row"));
  EXPECT_EQ(state("selected")["widgets"]["resources.restore"]["enabled"], false) << "its variant is not here";
  EXPECT_EQ(state("taken")["ask"]["config"], opened["ask"]["config"]);
  EXPECT_EQ(state("taken")["pins_view"]["baseline"], 1);
  EXPECT_EQ(state("closed")["pins"].size(), 1u);
  EXPECT_EQ(state("back")["pins"].size(), 2u);
  EXPECT_NE(only(state()["pins"])["dataset"], "") << "a person's pins alone are removed";
}

TEST_F(Offscreen, TheLegendLiesBesideTheDataAndSwitchesPins) {
  play(
      "wait samples 60\npin\nset BLOCK_M 16\nwait samples 60\npin\n@before\nclick timing.legend.1\n@state\nclick "
      "tab.across\nwait frames 4\nhover across.bar.2.0\nwait frames 2\nclick across.legend.2\n@across\n");
  const Json before = state("before")["widgets"];
  for (const char* id : {"timing.legend.live", "timing.legend.1", "timing.legend.2"}) {
    ASSERT_TRUE(before.contains(id)) << id;
    EXPECT_LE(before[id]["y"].get<double>() + before[id]["h"].get<double>(), before["timing.data"]["y"].get<double>())
        << id;
  }
  EXPECT_FALSE(state()["pins"][0]["shown"]);
  EXPECT_TRUE(state()["pins"][1]["shown"]);
  EXPECT_TRUE(state()["widgets"].contains("timing.legend.1")) << "hidden, and there to be shown again";
  EXPECT_FALSE(state("across")["pins"][1]["shown"]);
  const Json across = state("across")["widgets"];
  EXPECT_EQ(across["across.measure"]["y"], across["across.clear"]["y"]) << "the list below has the height";
}

TEST_F(Offscreen, AnUnwritablePictureIsRefusedFirstAndAWaitThatCannotEndSaysSoWithItsLine) {
  EXPECT_TRUE(fails(render_offscreen(options, fake_links(world), "/nonexistent/folder/out.png"), ErrorKind::bad_input));
  EXPECT_EQ(world->runs, 0);
  EXPECT_TRUE(fails(run("wait ready\nwait failure timeout=0.3\n"), ErrorKind::bad_input, "line 2"));
  EXPECT_TRUE(fails(run("wait ready\nconfig BLOCK_M=128,BLOCK_N=64\nwait samples 5\n"), "32768"));
  EXPECT_TRUE(fails(run("wait ready\nclick param.NOSUCH\n"), "param.BLOCK_M"));
}

}  // namespace attnscope::gui::offscreen_test
