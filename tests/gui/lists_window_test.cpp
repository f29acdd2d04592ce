// Lists, menus and searches as a person works them, off screen with a fake session.

#include "tests/gui/offscreen_fixture.hpp"

namespace attnscope::gui::lists_window_test {

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

TEST_F(Lists, ARefusedProblemIsSaidOnceBesideItsFieldUntilItIsEdited) {
  const Json s = state_after(
      "wait samples 20\nclick problem.text\nkey Ctrl+A\ntype 1x4x32x32:zebra\nwait frames 3\nkey Enter\n@refused\nkey "
      "Ctrl+A\ntype 8x32x65536x128\n@edited\nkey Escape\n@escaped\nclick problem.text\nkey Ctrl+A\ntype 1x4\nwait "
      "frames 3\nclick tab.log\n");
  const Json refused = state("refused"), note = refused["widgets"]["problem.note"];
  EXPECT_LE(note["y"].get<double>() + note["h"].get<double>(), refused["widgets"]["group.timing"]["y"])
      << "over no number of the panels";
  EXPECT_GE(note["x"].get<double>(), refused["widgets"]["problem.presets"]["x"].get<double>());
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

}  // namespace attnscope::gui::lists_window_test
