// Panels moved, closed, maximized and brought back, commands, menus, lists, themes and first steps, off screen.

#include "tests/gui/offscreen_fixture.hpp"

namespace attnscope::gui::dock_test {

struct DockTest : OffscreenTest {
  static double x(const Json& s, const std::string& id) { return s["widgets"][id]["x"]; }
  static double y(const Json& s, const std::string& id) { return s["widgets"][id]["y"]; }
};

TEST_F(DockTest, ATabIsDraggedToAnotherGroupAndIsRemembered) {
  options.settings_path = (dir / "settings.json").string();
  play("wait samples 20\n@first\ndrag tab.why group.timing\n@tab\ndrag splitter.timing 40 0\n@wider\n");
  const Json first = state("first"), tab = state("tab"), wider = state("wider");
  EXPECT_EQ(at("/tab", "first tab"), Json({"compare", "why"}));
  EXPECT_GT(y(first, "tab.why"), y(first, "timing.plot"));
  EXPECT_TRUE(tab["widgets"].contains("tab.timing"));
  EXPECT_FALSE(tab["widgets"].contains("timing.plot")) << "why lies in front of it";
  EXPECT_LT(y(tab, "tab.why"), y(tab, "tab.compare"));
  EXPECT_NEAR(x(wider, "splitter.timing"), x(tab, "splitter.timing") + 40, 2);
  play("wait ready\n@second\n");
  EXPECT_EQ(state("second")["layout"]["columns"], wider["layout"]["columns"]);
}

TEST_F(DockTest, ClosedByItsMenuAndReopenedFromTheTopBar) {
  play(
      "wait samples 20\nright-click tab.resources\nwait frames 3\nclick tab.resources.menu.close\n@closed\nclick "
      "view\nwait frames 3\nclick view.panel.resources\nkey Escape\n@open\n");
  EXPECT_FALSE(state("closed")["widgets"].contains("tab.resources"));
  EXPECT_EQ(state("closed")["layout"]["closed"], Json({"resources"}));
  EXPECT_TRUE(state("open")["widgets"].contains("tab.resources"));
  EXPECT_LT(y(state("open"), "tab.parameters"), y(state("open"), "tab.resources")) << "where it was";
}

TEST_F(DockTest, LayoutsAreTakenAndReset) {
  play(
      "wait samples 20\n@first\ncommand layout.explain\n@explain\ncommand layout.shader\n@shader\ncommand "
      "layout.tune\n@reset\n");
  const auto area = [](const Json& s, const std::string& id) {
    const Json& w = s["widgets"][id];
    return w["w"].get<double>() * w["h"].get<double>();
  };
  EXPECT_GT(area(state("explain"), "group.why"), 1.2 * area(state("first"), "group.compare"));
  EXPECT_NE(state("shader")["layout"]["columns"], state("explain")["layout"]["columns"]);
  EXPECT_EQ(state("reset")["layout"]["columns"], state("first")["layout"]["columns"]);
}

TEST_F(DockTest, ACommandOfAScriptThatIsNotDoneEndsIt) {
  // There is none, it cannot be done now, or what it asked for is refused: nothing is pinned.
  for (const char* id : {"layout.nosuch", "redo", "measure-all"}) {
    const Result<void> done = run(fmt::format("wait samples 20\ncommand {}\nquit\n", id));
    ASSERT_FALSE(done) << id;
    EXPECT_EQ(done.error().kind, ErrorKind::bad_input);
  }
}

TEST_F(DockTest, ThePaletteFindsAndDoesWhatIsTyped) {
  play(
      "wait samples 20\nkey Ctrl+P\n@open\ntype log show\nwait frames 3\nkey Enter\n@log\nkey Ctrl+K\nwait frames "
      "3\ntype naive\nwait frames 2\nkey Enter\n@naive\nkey Ctrl+P\nwait frames 3\nkey Down\nkey Down\n@down\nkey "
      "Escape\n@closed\nkey Ctrl+P\nwait frames 3\ntype 2x4x64\nwait frames 3\nkey Enter\n@problem\nkey "
      "Ctrl+P\nwait frames 3\ntype history\nwait frames 3\n@other\nkey Escape\nwait frames 3\nkey Ctrl+P\nwait frames "
      "3\ntype histroy\nwait frames 3\n@nearest\nkey Escape\n");
  for (const char* way : {"other", "nearest"})
    EXPECT_TRUE(state(way)["widgets"].contains("palette.panel.log")) << way << " word";
  EXPECT_EQ(at("/palette/open", "open log closed"), Json({true, false, false}));
  EXPECT_TRUE(state("open")["widgets"].contains("palette.pin"));
  EXPECT_TRUE(holds("log", {{"tab", "log"}}));
  EXPECT_TRUE(holds("naive", {{"ask", {{"variant", "naive"}}}}));
  EXPECT_TRUE(holds("down", {{"palette", {{"chosen", 2}}}}));
  EXPECT_TRUE(holds("problem", {{"ask", {{"problem", to_text(*parse_problem("2x4x64x32"))}}}}));
}

TEST_F(DockTest, ThemeSizeAndWhatIsShownAreChosenAndRemembered) {
  options.settings_path = (dir / "settings.json").string();
  play(
      "wait samples 20\n@usual\nkey Ctrl+Plus\nkey Ctrl+Plus\n@larger\nkey Ctrl+Minus\n@smaller\nclick view\nwait "
      "frames 3\nclick settings.theme.light\n@light\nkey Escape\nvariant naive\ntab log\ncommand metric.gbps\nwait "
      "frames 5\nclick timing.log\nwait frames 3\n");
  const auto number = [&](const char* of, const char* dump) { return at(of, dump)[0].get<double>(); };
  const auto scale = [&](const char* dump) { return number("/window/scale", dump); };
  EXPECT_NEAR(scale("larger"), 1.2, 0.01);
  EXPECT_GT(number("/widgets/measure/h", "larger"), number("/widgets/measure/h", "usual") + 2);
  EXPECT_NEAR(scale("smaller"), 1.1, 0.01);
  EXPECT_TRUE(state("light")["validation"].empty());
  play("wait ready\n@again\nkey Ctrl+0\n@reset\ncommand theme\n@dark\n");
  EXPECT_TRUE(
      holds("again", {{"ask", {{"variant", "naive"}}}, {"tab", "log"}, {"metric", "gbps"}, {"view", {{"log", true}}}}));
  EXPECT_NEAR(number("/zoom", "again"), 1.1, 0.01);
  play("monitor-scale 1.5\n@moved\nmonitor-scale 1\n@back\n");
  EXPECT_EQ(at("/window/scale", "usual reset moved"), Json({1.0, 1.0, 1.5})) << "the last: another monitor";
  EXPECT_NEAR(number("/widgets/pin/h", "moved"), 1.5 * number("/widgets/pin/h", "back"), 2);
  EXPECT_EQ(at("/theme", "light again dark"), Json({"light", "light", "dark"}));
}

TEST_F(DockTest, TheKeysMoveThroughAPanelAndPressWhatTheyAreOn) {
  play(
      "wait samples 20\n@none\nclick timing.plot\nkey Tab\n@first\nkey Tab\n@second\nkey Shift+Tab\n@back\nkey "
      "Right\n@stepped\nkey Tab\nkey Space\n@pinned\nkey Escape\nkey Escape\nkey Escape\n@away\nkey Space\n@paused\n");
  EXPECT_EQ(at("/focused", "none first second back stepped away"), Json({"", "metric", "pin", "metric", "metric", ""}));
  EXPECT_TRUE(holds("stepped", {{"metric", "tflops"}}));
  EXPECT_EQ(state("pinned")["pins"].size(), 1u);
  EXPECT_EQ(at("/paused", "pinned paused"), Json({false, true})) << "Space is the button's that has the focus";
}

TEST_F(DockTest, TabStopsOnceAtATableItsArrowsMoveTheSelectionAndEnterRestores) {
  play(
      "wait samples 20\npin\nset BLOCK_M 16\nwait samples 20\npin\nset BLOCK_M 64\nwait samples 20\nclick "
      "pins.live\nkey Tab\n@table\nkey Down\n@first\nkey Down\n@second\nkey Tab\n@past\nkey Shift+Tab\n@back\nkey "
      "Up\nkey Enter\nwait samples 20\n@restored\n");
  EXPECT_EQ(at("/focused", "table first past back"), Json({"pins.live", "pin.1.row", "pins.race", "pin.2.row"}))
      << "past not each row and its buttons";
  EXPECT_EQ(at("/pins_view/selected", "first second back"), Json({1, 2, 2}));
  EXPECT_EQ(state("restored")["ask"]["config"]["BLOCK_M"], 32);
}

TEST_F(DockTest, TheArrowsReachHeadingsAndCellsOfTheMatrix) {
  play(
      "wait samples 20\npin\nset BLOCK_M 16\nwait samples 20\npin\nset BLOCK_M 64\nwait samples 20\nclick "
      "pins.live\nkey Tab\nkey Up\nkey Left\nkey Left\nkey Left\nkey Left\nkey Left\nkey Left\n@heading\nkey "
      "Space\n@up\nkey Enter\n@down\nclick view_of.compare.matrix\nkey Tab\nkey Tab\n@cell\nkey Down\n@below\nkey "
      "Enter\n@chosen\n");
  EXPECT_EQ(at("/focused", "heading cell below"), Json({"pins.head.config", "matrix.1.2", "matrix.2.1"}));
  const auto first_above = [&](const char* name) { return y(state(name), "pin.1.row") < y(state(name), "pin.2.row"); };
  EXPECT_NE(first_above("up"), first_above("down"));
  EXPECT_EQ(state("chosen")["pins_view"]["selected"], 2);
}

TEST_F(DockTest, WhatIsWrongInALaterExecutionAloneIsShownWithoutAMap) {
  world->wrong_later = true;
  const Json s = state_after("wait ready\nwait seconds 0.5\nclick timing.show_where\nwait seconds 1\nwait frames 3\n");
  EXPECT_EQ(s["tab"], "correctness");
  EXPECT_TRUE(s["widgets"].contains("correctness.later"));
  EXPECT_FALSE(s["widgets"].contains("correctness.image"));
}

TEST_F(DockTest, TheFirstStepsAreShownOnceAndLeadOn) {
  options.settings_path = (dir / "settings.json").string();
  play(
      "wait samples 20\n@first\nclick welcome.best\nwait trials 4\nwait search\n@found\nclick "
      "welcome.why\n@why\nproblem 1x4x48x32\n@shape\nclick welcome.close\n@away\n");
  EXPECT_EQ(at("/tab", "found why"), Json({"map", "why"}));
  EXPECT_TRUE(holds("why", {{"welcome", {{"done", {false, true, true, false, false}}}}}));
  EXPECT_EQ(state("shape")["welcome"]["done"][0], true) << "chosen by other means than the step's button";
  for (const char* widget : {"group.timing", "group.compare", "status.messages"})
    EXPECT_EQ(state("away")["widgets"][widget]["y"], state("shape")["widgets"][widget]["y"]) << widget;
  play("wait ready\n@again\nkey F1\nwait frames 3\nclick help.welcome\n@back\n");
  EXPECT_EQ(at("/welcome/open", "first away again back"), Json({true, false, false, true}));
}

TEST_F(DockTest, WhatFinishedIsToldInTheStatusBarAndAClickLeadsThere) {
  play(
      "wait samples 20\npin\ntab log\nadd-problem 1x4x32x32\ncommand measure-all\nwait job\nclick "
      "status.message\n@there\n");
  EXPECT_EQ(state("there")["tab"], "across");
}

TEST_F(DockTest, ARightClickOffersWhatAPinCanDo) {
  play(
      "wait samples 20\npin\nset BLOCK_M 16\nwait samples 20\nvariant naive\nwait samples 20\n@variant\nright-click "
      "pin.1.name\nwait frames 3\nclick pin.1.restore\nwait samples 20\n@pin\nright-click pin.1.name\nwait frames "
      "3\nclick pin.1.remove_pin\n@removed\n");
  EXPECT_EQ(at("/ask/variant", "variant pin"), Json({"naive", "tiled"}));
  EXPECT_TRUE(holds("pin", {{"ask", {{"config", {{"BLOCK_M", 32}}}}}}));
  EXPECT_TRUE(state("removed")["pins"].empty());
}

struct Lists : OffscreenTest {
  void SetUp() override {
    OffscreenTest::SetUp();
    options.presets = {
        {"quick", "A quick look", {*parse_problem("1x4x32x32"), *parse_problem("2x4x64x32")}},
        {"decode", "One new query", {*parse_problem("1x4x256x64:q=1"), *parse_problem("1x8x512x64:q=1")}}};
    options.sessions = dir / "sessions";
  }
};

TEST_F(Lists, TypingInTheOpenListOfPresetsNarrowsItEnterTakesTheFirstAndEscapeCloses) {
  const Json s = state_after(
      "wait ready\nclick problem.presets\n@all\ntype new query\n@some\nkey Ctrl+A\ntype new 512\nwait frames 3\nkey "
      "Enter\n@taken\nclick problem.presets\nwait frames 3\ntype zebra\n@none\nkey Enter\nwait frames 2\nkey Escape\n");
  const Json all = state("all")["widgets"], some = state("some")["widgets"];
  EXPECT_TRUE(all.contains("problem.preset.quick.0") && all.contains("problem.preset.decode.1"));
  EXPECT_FALSE(some.contains("problem.preset.quick.0")) << "narrowed by words of its summary";
  EXPECT_TRUE(some.contains("problem.preset.decode.0") && some.contains("problem.preset.decode.1"));
  EXPECT_EQ(some["problem.find"], all["problem.find"]) << "the list stays where it is";
  for (const char* field : {"problem.batch", "problem.q", "problem.dv"})
    EXPECT_GT(all[field]["w"].get<double>(), 0.2 * all["problem.find"]["w"].get<double>())
        << field << ": of four a row";
  EXPECT_EQ(all["problem.batch"]["y"], all["problem.q"]["y"]) << "a row is one line";
  const Json taken = state("taken");
  EXPECT_EQ(taken["ask"]["problem"], to_text(*parse_problem("1x8x512x64:q=1")));
  EXPECT_FALSE(taken["widgets"].contains("problem.find")) << "and the list is closed";
  const Json none = state("none")["widgets"];
  EXPECT_TRUE(none.contains("problem.preset.none")) << "an empty result says so";
  EXPECT_FALSE(s["widgets"].contains("problem.find")) << "Escape closes";
  EXPECT_EQ(s["ask"]["problem"], taken["ask"]["problem"]) << "and nothing was taken";
}

TEST_F(Lists, ARefusedProblemIsSaidOnceBelowItsFieldUntilItIsEdited) {
  const Json s = state_after(
      "wait samples 20\nclick problem.text\nkey Ctrl+A\ntype 1x4x32x32:zebra\nwait frames 3\nkey Enter\n@refused\nkey "
      "Ctrl+A\ntype 8x32x65536x128\n@edited\nkey Escape\n@escaped\nclick problem.text\nkey Ctrl+A\ntype 1x4\nwait "
      "frames 3\nclick tab.log\n");
  const Json refused = state("refused"), note = refused["widgets"]["problem.note"];
  const Json field = refused["widgets"]["problem.text"];
  EXPECT_GE(note["y"].get<double>(), field["y"].get<double>() + field["h"].get<double>()) << "over no picker";
  EXPECT_LT(state("edited")["widgets"].value("problem.note", note)["w"].get<double>(), note["w"].get<double>());
  EXPECT_FALSE(state("escaped")["widgets"].contains("problem.note"));
  EXPECT_EQ(state("escaped")["messages"].size(), refused["messages"].size()) << "it was said at the field";
  EXPECT_EQ(s["messages"].size(), refused["messages"].size() + 1) << "left by a click elsewhere it is said after";
  EXPECT_EQ(s["ask"]["problem"], refused["ask"]["problem"]);
}

TEST_F(Lists, ArrowsStepThroughTheListAndEnterOverNothingTypedTakesNothing) {
  const Json s = state_after(
      "wait ready\nclick problem.presets\nwait frames 3\nkey Enter\n@enter\nkey Escape\nwait frames 2\nclick "
      "problem.presets\nwait frames 3\nkey Down\nwait frames 2\nkey Down\nwait frames 2\nkey Enter\n");
  EXPECT_NE(state("enter")["ask"]["problem"], to_text(options.presets[0].problems[1]));
  EXPECT_EQ(s["ask"]["problem"], to_text(options.presets[0].problems[1])) << "the second line";
}

TEST_F(Lists, AFileIsChosenInAListOfItsFolderAndAColumnIsHidden) {
  options.settings_path = (dir / "settings.json").string();
  const Json s = state_after(
      "wait samples 20\npin\nexport {}/results.json\nclick files\nwait frames 4\ntype {}/\nwait frames 2\nclick "
      "files.browse\nwait frames 4\nclick files.in.results.json\nwait frames 2\nclick files.open\nwait seconds 1\nwait "
      "frames 10\n@opened\nset BLOCK_M 16\nwait samples 20\ntab log\nwait frames 4\nright-click log.head.median\nwait "
      "frames 4\nclick log.column.median\nkey Escape\nwait frames 4\n");
  const Json opened = state("opened");
  ASSERT_EQ(opened["pins"].size(), 2u);
  EXPECT_EQ(opened["pins"][1]["dataset"], (dir / "results.json").string());
  EXPECT_FALSE(s["widgets"].contains("log.head.median"));
  const Json again = state_after("wait samples 20\nset BLOCK_M 16\nwait samples 20\ntab log\nwait frames 4\n");
  EXPECT_TRUE(again["widgets"].contains("log.head.config"));
  EXPECT_FALSE(again["widgets"].contains("log.head.median")) << "also with the next start";
}

}  // namespace attnscope::gui::dock_test
