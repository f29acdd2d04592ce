// Live timing, the session log, the matrix, and what gets in and out, off screen and in the real window.

#include "engine/record/json_fields.hpp"
#include "tests/gui/desktop.hpp"
#include "tests/gui/offscreen_fixture.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::compare_window_test {

struct RunsOffscreen : OffscreenTest {
  void SetUp() override {
    OffscreenTest::SetUp();
    options.data_dir = ATTNSCOPE_SOURCE_DIR;  // has the report's own files
  }
  std::string text(const char* name) { return read_file(dir / name); }
};

TEST_F(RunsOffscreen, PlotsTablesSessionsAndReportsAreWrittenWithWhatTheyAreOf) {
  const Json s = state_after(
      "wait samples 200\npin\nset BLOCK_M 16\nwait samples 200\npin\nsave timing.plot {}/t.png\nsave timing.plot "
      "{}/t.svg\nsave timing.plot {}/t.csv\nsave log {}/log.md\nsave pins {}/pins.csv\nreport {}/r.html\nsave-session "
      "{}/s.json\n");
  for (const char* name : {"t.svg", "t.csv"}) EXPECT_TRUE(has(text(name), "1x4x32x32", "BLOCK_M=16", "Test GPU"));
  EXPECT_EQ(text("t.png").substr(1, 3), "PNG");
  EXPECT_TRUE(has(text("pins.csv"), "BLOCK_M=32"));
  EXPECT_TRUE(has(text("log.md"), "| "));
  EXPECT_TRUE(has(text("r.html"), "<html"));
  EXPECT_EQ((*parse_json(text("s.json"), "s"))["pins"].size(), 2u);
}

TEST_F(RunsOffscreen, TheRunBeforeIsComparedWithAndShownAsSuchWhileThereIsNoTime) {
  world->sample_ms = 2;
  // Paused after the second one: the third is asked and never dispatched.
  const Json paused = state_after(
      "wait samples 200\nset BLOCK_M 16\nwait samples 200\nwait frames 10\n@timed\nmeasure off\nset BLOCK_M 64\nwait "
      "frames 10\n");
  const Json timed = state("timed");
  ASSERT_TRUE(timed.contains("change")) << timed["live"];
  EXPECT_NE(timed["change"]["before"], timed["change"]["now"]);
  EXPECT_FALSE(timed.contains("before"));
  for (const char* id : {"timing.change", "timing.distribution"}) EXPECT_TRUE(timed["widgets"].contains(id)) << id;
  EXPECT_GE(timed["histogram"]["bins"], 28) << "of 200 samples and more";
  EXPECT_EQ(paused["headline"], "");
  EXPECT_FALSE(paused.contains("change") || paused.contains("histogram"));
  EXPECT_EQ(paused["before"]["config"]["BLOCK_M"], 16) << "it is said whose curve it is";
}

TEST_F(RunsOffscreen, TheLogIsSortedFilteredNamedRestoredAndRemoved) {
  play(
      "wait samples 60\nset BLOCK_M 16\nwait samples 60\nset BLOCK_M 64\nwait samples 60\nset BLOCK_N 16\nwait samples "
      "20\ntab log\nwait frames 5\nclick log.head.config\n@sorted\nclick log.2.more\nwait frames 3\nclick log.2.name\n"
      "type slim one\nclick log.2.note\ntype spills\nkey Enter\nwait frames 3\nclick log.filter\ntype "
      "spills\n@named\nclick log.2\nwait samples 120\nwait seconds 0.4\n@restored\nright-click log.2\nwait frames "
      "3\nclick "
      "log.2.remove\n@removed\ncommand undo\nwait frames 4\nclick log.2.more\nwait frames 3\nclick "
      "log.2.markdown\n@back\n");
  const Json sorted = state("sorted"), named = state("named"), restored = state("restored"), back = state("back");
  EXPECT_EQ(sorted["log_list"]["sort"], "name");
  ASSERT_GE(sorted["log_list"]["numbers"].size(), 3u) << sorted["log_list"];
  EXPECT_EQ(named["log"][1]["label"], "slim one") << named["log"][1];
  EXPECT_EQ(named["log_list"]["numbers"], Json::array({2}));
  EXPECT_TRUE(holds("restored", {{"ask", {{"config", {{"BLOCK_M", 16}, {"BLOCK_N", 32}}}}}, {"can_undo", true}}));
  EXPECT_EQ(state("removed")["log"].size(), restored["log"].size() - 1);
  EXPECT_EQ(back["log"].size(), restored["log"].size());
  EXPECT_TRUE(has(back["copied"].get<std::string>(), "| tiled |")) << back["copied"];
}

TEST_F(RunsOffscreen, TheBestIsToldOfItsProblemAndModes) {
  options.width = 720;
  options.height = 600;
  play(
      "wait samples 120\nwait seconds 0.4\ntab log\n@hot\nproblem 2x4x64x32\nwait samples 120\nwait seconds "
      "0.4\n@two\ncache "
      "cold\nwait samples 120\nwait seconds 0.4\n@cold\ntab why\n@why\npin\nproblem 1x4x32x32\nwait samples "
      "20\npin\ntab "
      "matrix\n@matrix\n");
  const auto shown = [&](const char* dump, const char* id) { return state(dump)["widgets"].contains(id); };
  EXPECT_TRUE(shown("hot", "log.1.best")) << "the live run is one of them";
  EXPECT_FALSE(shown("hot", "log.head.modes"));
  EXPECT_FALSE(shown("two", "log.head.problem")) << "it has no room, or this tells nothing";
  EXPECT_FALSE(shown("two", "log.1.best")) << "the best of which problem?";
  EXPECT_TRUE(shown("two", "log.2.best"));
  EXPECT_TRUE(shown("cold", "log.head.modes")) << "two of one name";
  EXPECT_TRUE(shown("why", "why.median")) << "of which the rest is";
  EXPECT_TRUE(shown("matrix", "matrix.problem_of.1")) << "of two problems";
}

TEST_F(RunsOffscreen, AResultFileIsOpenedFromTheMatrixAndComparedWithThePins) {
  Results results;
  for (const char* device : {"Test GPU", "Other GPU"}) {
    Record& r = results.records.emplace_back(made({.config = {{"BLOCK_M", 128}, {"BLOCK_N", 32}}, .ns = 5e6}));
    r.environment.device = (*FakeSession(world).devices())[0];
    r.environment.device.name = device;
  }
  ASSERT_TRUE(write_results(dir / "other.json", results));
  const Json s = state_after(
      "wait samples 60\npin\ntab matrix\nwait frames 3\nclick files\nwait frames 3\nclick files.path\ntype "
      "{}/other.json\nclick files.open\nwait seconds 1\nwait frames 30\n");
  ASSERT_EQ(s["pins"].size(), 3u) << s["messages"];
  const auto text = [&](int row, int column) -> std::string {
    for (const Json& c : s["matrix"]["cells"])
      if (c["row"] == row && c["column"] == column) return c["text"];
    return "none";
  };
  EXPECT_TRUE(text(2, 1).starts_with("SLOWER")) << s["matrix"];
  EXPECT_TRUE(text(2, 3).starts_with("(")) << "of another device: a ratio, no word\n" << s["matrix"];
}

TEST_F(RunsOffscreen, TheMatrixOfAFileWithManyProblemsHasTheFastestOfEachVariantOnEach) {
  Results results;
  for (const auto& [problem, variant, ns] : {std::tuple{"1x4x32x32", "tiled", 5e6},
                                             {"1x4x32x32", "tiled", 3e6},
                                             {"1x4x32x32", "naive", 9e6},
                                             {"2x4x64x32", "naive", 8e6}})
    results.records.push_back(
        made({.problem = problem, .variant = variant, .config = {{"BLOCK_M", int64_t(ns / 1e6)}}, .ns = ns}));
  ASSERT_TRUE(write_results(dir / "many.json", results));
  options.results = {dir / "many.json"};
  const Json s = state_after("wait ready\ntab matrix\nwait frames 6\nclick matrix.problem.0.tiled\nwait frames 3\n");
  EXPECT_TRUE(s["widgets"].contains("matrix.problem.1.naive"));
  EXPECT_FALSE(s["widgets"].contains("matrix.problem.1.tiled")) << "not measured there";
  const auto selected = s["pins_view"]["selected"].get<uint64_t>();
  ASSERT_GT(selected, 0u);
  EXPECT_EQ(s["pins"][selected - 1]["config"]["BLOCK_M"], 3) << "the faster of two";
}

TEST_F(RunsOffscreen, ASessionOpenedTakesThePlaceOfThisOneWhereThisOneCanBeKept) {
  state_after("wait samples 60\npin\ntab matrix\nsave-session {}/s.json\n");
  write_file(dir / "file", "no folder");
  const fs::path before = fs::current_path();
  struct Case {
    fs::path sessions, here, kept;
  };
  // Nobody, whoever asks, makes a folder or a file below a file or in /proc.
  for (const Case& c :
       {Case{dir / "file" / "sessions", "/proc", ""}, {dir / "own", "/proc", dir / "own"}, {"", dir, dir}}) {
    options.sessions = c.sessions;
    fs::current_path(c.here);
    const Json s = state_after(
        "set BLOCK_M 16\nwait samples 60\npin\ntab why\nclick files\nwait frames 3\nclick files.path\ntype "
        "{}/s.json\nclick files.open\nwait seconds 1\nwait frames 30\n");
    fs::current_path(before);
    EXPECT_EQ(only(s["pins"])["config"]["BLOCK_M"], c.kept.empty() ? 16 : 32) << s["messages"];
    EXPECT_EQ(s["tab"], "why") << "where things lie stays as it was";
    const std::string name = "attnscope-session-before";
    EXPECT_EQ(bool(has(s["messages"].dump(), "was not opened, since it takes the place", "/sessions/" + name)),
              c.kept.empty());
    if (c.kept.empty()) continue;
    EXPECT_EQ((*must(parse_json(read_file(c.kept / (name + ".json")), "it")))["pins"].size(), 1u);
  }
}

struct RunsWindow : DesktopTest {
  void open(const std::string& first = "") {
    fs::remove(dir / "state.json");
    open_window(first + "dump state.json every=0.2\n",
                {"--problem", "1x2x64x32", "--variant", "tiled", "--settings", (dir / "settings.json").string()});
  }
};

TEST_F(RunsWindow, ACopiedCommandLineMeasuresTheVerySameRun) {
  // The first steps leave the lower group little room: a tab that is in front is not behind "more".
  open("tab log\n");
  json s = see([](const json& j) { return sampled(j, 20); });
  click(fmt::format("param.BLOCK_M.{}", another_block_m(s)));
  s = see([&](const json& j) { return j["log"].size() == 1 && j["widgets"].contains("tab.log"); });
  click("tab.log");
  // A right click on the row.
  click("log.1", 3);
  click("log.1.command");
  s = see([](const json& j) { return j["copied"] != ""; });
  const std::string command = s["copied"];
  ASSERT_TRUE(command.starts_with("attnscope bench ")) << command;
  quit();
  // As a person would paste it, with the program's own path before it.
  const fs::path out = dir / "again.json";
  const std::string line = "XDG_CACHE_HOME='" + (dir / "cache").string() + "' XDG_DATA_HOME='" +
                           (dir / "data").string() + "' timeout 300 '" + std::string(ATTNSCOPE_EXECUTABLE) + "' " +
                           command.substr(std::string("attnscope ").size()) + " --output '" + out.string() +
                           "' > /dev/null 2>'" + (dir / "again.err").string() + "'";
  ASSERT_EQ(std::system(line.c_str()), 0) << line << read_file(dir / "again.err");
  const auto again = must(read_results(out));
  ASSERT_EQ(again->records.size(), 1u);
  const auto session = read_json(dir / "settings.session.json");
  const auto logged = must(decode<Record>(Json::parse(session["log"][0].dump()), "record"));
  EXPECT_EQ(run_id(*logged), run_id(again->records[0])) << to_text(run_id(*logged)) << "\n"
                                                        << to_text(run_id(again->records[0]));
}

}  // namespace attnscope::gui::compare_window_test
