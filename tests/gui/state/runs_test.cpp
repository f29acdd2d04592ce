// Lists of runs, notes on them, pins against each other, the command that measures one again; what is asked, undo, and
// the numbers that panels show.

#include "app/gui/model/labels.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "engine/history/history.hpp"
#include "engine/page/page.hpp"
#include "tests/cli/run_binary.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui::runs_test {

Record of_run(int64_t block, double ns = 1e6, const char* problem = "1x4x32x32", size_t samples = 40) {
  return made({.problem = problem,
               .config = {{"BLOCK_M", block}, {"BLOCK_N", 32}},
               .ns = ns,
               .samples = samples,
               .spread = 0.001,
               .time = "2026-11-21T10:00:00Z"});
}

std::vector<RunRow> rows_of(const SessionLog& tried) {
  return mapped(tried.entries(), [&](const SessionLog::Entry& e) {
    return RunRow{e.number, e.record, to_text(e.run), fmt::format("tiled M={}", e.record->config.at("BLOCK_M")),
                  Remark(), e.best};
  });
}
std::vector<uint64_t> numbers(const RunList& list) {
  return mapped(list.shown(), [&](uint32_t i) { return list.rows()[i].number; });
}
using Numbers = std::vector<uint64_t>;

struct Listed : testing::Test {
  SessionLog tried;
  RunList list;
  void SetUp() override {
    tried.note(of_run(32, 3e6));
    tried.note(of_run(16, 1e6));
    tried.note(of_run(64, 2e6, "1x4x64x32"));
    tried.note(made({.config = {{"BLOCK_M", 128}, {"BLOCK_N", 32}}, .samples = 0, .outcome = Outcome::refused}));
    step();
  }
  void step() {
    list.step(tried.version(), [&] { return rows_of(tried); });
  }
};

TEST_F(Listed, TheNewestIsOnTopUntilAColumnIsChosenAndWhatHasNoTimeIsLast) {
  const auto by = [&](const char* column) {
    list.sort_by(column);
    step();
    return numbers(list);
  };
  EXPECT_EQ(numbers(list), (Numbers{4, 3, 2, 1}));
  EXPECT_EQ(by("median"), (Numbers{2, 3, 1, 4}));
  EXPECT_EQ(by("median"), (Numbers{1, 3, 2, 4})) << "the other way round, and still last";
  EXPECT_EQ(by("problem").back(), 3u);
  EXPECT_EQ(by("verdict").back(), 4u) << "correct before refused";
}

TEST_F(Listed, WordsAllHaveToBeThereAndABangSaysNot) {
  const auto filtered = [&](const char* words) {
    list.filter = words;
    step();
    return numbers(list);
  };
  EXPECT_EQ(filtered("64x32"), (Numbers{3}));
  EXPECT_EQ(filtered("TILED correct"), (Numbers{3, 2, 1}));
  EXPECT_EQ(filtered("correct !m=16"), (Numbers{3, 1}));
  EXPECT_EQ(filtered("nothing-like-it"), Numbers{});
  EXPECT_EQ(filtered("test gpu"), (Numbers{4, 3, 2, 1}));
}

TEST(RunNumbers, TheSpreadIsOfTheMiddleSamples) {
  const Record r{.statistics = Statistics{.median = 10, .min = 1, .p20 = 9, .p80 = 11}};
  EXPECT_DOUBLE_EQ(number_of("spread").value(r), 0.2);
}

TEST(TriedTest, TheBestIsMarkedHoweverRunsComeAndGo) {
  SessionLog tried;
  const auto best = [&] {
    return mapped(filtered(tried.entries(), &SessionLog::Entry::best), &SessionLog::Entry::number);
  };
  tried.note(of_run(16, 2e6));
  tried.note(of_run(32, 1e6));
  tried.note(of_run(64, 3e6));
  tried.note(of_run(16, 9e6, "1x4x64x32"));
  EXPECT_EQ(best(), (Numbers{2, 4})) << "of each problem";
  tried.note(of_run(32, 5e6));  // the same run, slower now
  Record untimed = of_run(16, 2e6);
  conclude(untimed, Outcome::verified);
  tried.note(untimed);
  EXPECT_EQ(best(), (Numbers{1, 4})) << "what was only verified since takes no time away";
  const auto gone = tried.remove({1, 4});
  EXPECT_EQ(best(), (Numbers{3}));
  tried.note(of_run(16, 8e6, "1x4x64x32"));
  tried.put_back(gone);
  EXPECT_EQ(best(), (Numbers{1, 5})) << "one was measured again meanwhile: its newer numbers stay";
  EXPECT_EQ(tried.entries().front().number, 1u) << "in its old place";
  EXPECT_EQ(tried.entries().size(), 4u);
}

TEST(TriedTest, AWrongResultTakesNoTimeAwayAndIsNotTheBest) {
  SessionLog tried;
  tried.note(of_run(16, 1e6));
  Record wrong = of_run(16, 1e6);
  wrong.environment.time_utc = "2026-11-21T10:00:09Z";
  wrong.verdict->pass = false;
  conclude(wrong, Outcome::failed_verdict);
  tried.note(wrong);
  tried.note(wrong);
  const auto& rows = tried.entries();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].record->statistics->median, of_run(16, 1e6).statistics->median);
  EXPECT_FALSE(rows[0].best);
  EXPECT_EQ(tried.find(run_id(wrong)), rows[1].record);
  Record right = of_run(16, 2e6);
  right.environment.time_utc = "2026-11-21T10:00:10Z";
  tried.note(right);
  EXPECT_TRUE(tried.entries()[0].best);
  EXPECT_EQ(tried.find(run_id(wrong)), tried.entries()[0].record);
}

TEST(TriedTest, TenThousandRunsAreKept) {
  SessionLog tried;
  for (int i = 0; i < 10'000; ++i) tried.note(of_run(i, 1e6 + 10'000 - i, "1x4x32x32", 3));
  EXPECT_EQ(tried.entries().size(), 10'000u);
  EXPECT_TRUE(tried.entries().back().best);
  tried.note(of_run(20'000, 5e6));
  EXPECT_EQ(tried.entries().size(), 9'001u) << "a tenth goes at once";
  EXPECT_EQ(tried.entries().front().number, 1001u);
}

TEST(RemarksTest, BelongToTheRunAndAreCutAtACharacter) {
  Remarks remarks;
  const Record r = of_run(32);
  remarks.set(to_text(run_id(r)), {"mine", "a note"});
  EXPECT_EQ(remarks.of(to_text(run_id(of_run(32, 7e6)))).name, "mine") << "the same run measured again";
  EXPECT_TRUE(remarks.of(to_text(run_id(of_run(64)))).empty());
  std::string name;
  for (int i = 0; i < 60; ++i) name += "\u00e9";
  remarks.set("x", {name, ""});
  EXPECT_EQ(remarks.of("x").name.size(), 80u);
  remarks.set("x", {});
  EXPECT_TRUE(remarks.of("x").empty());
}

TEST(SessionTest, NamesNotesAndColoursComeBackAndARemovedRunByUndo) {
  const TempDir dir;
  Workbench bench{GuiOptions{}};
  bench.pins.add(of_run(32));
  bench.log.note(of_run(32));
  bench.log.note(of_run(64));
  bench.log.remarks.set(to_text(run_id(of_run(64))), {"the wide one", "spills?"});
  SessionCopy copy = session_of(bench);
  copy.settings = R"({"tab": "matrix", "bottom": 300})";
  ASSERT_TRUE(save_session(dir.path() / "s.json", copy));
  const std::string text = read_file(dir.path() / "s.json");
  EXPECT_TRUE(is_session(text));
  EXPECT_FALSE(is_session(R"({"schema": 1, "records": []})"));
  EXPECT_FALSE(is_session("no json"));

  Workbench other{GuiOptions{}};
  other.pins.add(of_run(128));
  other.log.note(of_run(128));
  EXPECT_FALSE(session_from("{\"schema\": 99, \"pins\": [], \"tried\": []}", other, true));
  EXPECT_EQ(other.pins.all().size(), 1u) << "an error changes nothing";
  EXPECT_NE(must(session_from(text, other, true))->find("matrix"), std::string::npos);
  EXPECT_EQ(only(other.pins.all()).record->config.at("BLOCK_M"), 32);
  ASSERT_EQ(other.log.entries().size(), 2u);
  EXPECT_EQ(other.name_of(other.log.entries()[1]), "the wide one");
  // What is measured now is a run of its own, told once; what was read keeps its row.
  for (int i = 0; i < 2; ++i) other.log.note(of_run(64));
  ASSERT_EQ(other.log.entries().size(), 3u);
  EXPECT_TRUE(other.log.entries()[1].earlier);
  EXPECT_FALSE(other.log.entries()[2].earlier);
  other.remove_runs({2});
  EXPECT_EQ(other.log.entries().size(), 2u);
  other.undo();
  EXPECT_EQ(other.log.entries().size(), 3u);
  other.redo();
  EXPECT_EQ(other.log.entries().size(), 2u);
}

TEST(SessionTest, EachWindowWritesAFileOfItsOwn) {
  const TempDir dir;
  const std::string settings = (dir.path() / "new" / "window.json").string();
  OwnSession first = own_session(settings);
  EXPECT_EQ(first.path, session_path(settings));
  EXPECT_EQ(own_session(settings).path, (dir.path() / "new" / "window.2.session.json").string());
  const OwnSession second = own_session(settings);
  EXPECT_EQ(own_session(settings).path, (dir.path() / "new" / "window.3.session.json").string());
  first.lock.reset();
  EXPECT_EQ(own_session(settings).path, first.path) << "its window was closed";
}

TEST(SessionTest, WhatIsTooLargeToBeReadAgainIsSaidAndNotWritten) {
  const TempDir dir;
  Workbench bench{GuiOptions{}};
  bench.pins.add(of_run(32));
  const std::string path = dir.path() / "s.json";
  ASSERT_TRUE(save_session(path, session_of(bench)));
  const std::string before = read_file(path);
  bench.pins.add(of_run(64));
  EXPECT_TRUE(fails(save_session(path, session_of(bench), before.size()), "remove some of the 2"));
  EXPECT_EQ(read_file(path), before);
  EXPECT_TRUE(save_session(path, session_of(bench), 2 * before.size() + 1000));
}

TEST(ComparisonsTest, EachTwoAreComparedOnceAndWhatCannotBeSaysWhy) {
  Pins pins;
  pins.add(of_run(32, 1e6));
  pins.add(of_run(64, 2e6));
  pins.add(of_run(32, 1e6, "1x4x64x32"));
  Record other = of_run(32, 4e6);
  other.environment.device.name = "Other GPU";
  pins.add(other);
  Comparisons comparisons;
  const auto of = [&](size_t a, size_t b) { return comparisons.of(pins.all()[a].record, pins.all()[b].record); };
  ASSERT_NE(of(0, 1), nullptr);
  EXPECT_EQ(of(0, 1)->word.relation, Relation::faster);
  EXPECT_NEAR(of(0, 1)->ratio, 0.5, 0.01);
  EXPECT_EQ(cell_text(*of(1, 0)), "SLOWER 2.00\u00d7");
  const Comparison turned = turned_round(of(0, 1)->word);
  EXPECT_TRUE(turned.low <= turned.ratio && turned.ratio <= turned.high);
  EXPECT_TRUE(has(of(0, 2)->why_not, "two problems"));
  EXPECT_EQ(of(0, 2)->ratio, 0);
  EXPECT_TRUE(has(of(3, 0)->why_not, "Other GPU"));
  EXPECT_NEAR(of(3, 0)->ratio, 4, 1e-9) << "a ratio, and no word";
  EXPECT_EQ(of(0, 1), of(0, 1)) << "nothing is made twice";
  Pins many;
  for (int i = 0; i < 3; ++i) many.add(of_run(i, 1e6, "1x4x32x32", 40'000));
  const auto at = [&](size_t a, size_t b) { return comparisons.of(many.all()[a].record, many.all()[b].record); };
  EXPECT_TRUE(at(0, 1));
  EXPECT_FALSE(at(0, 2)) << "a frame has its limit";
  comparisons.step();
  EXPECT_TRUE(at(0, 2));
  const auto held = pins.all()[0].record.use_count();
  for (int i = 0; i < 1000; ++i) comparisons.step();
  EXPECT_LT(pins.all()[0].record.use_count(), held) << "what nobody asks for is forgotten";
}

TEST(ReproduceTest, TheCommandNamesWhereItRan) {
  Record r = of_run(64);
  EXPECT_EQ(command_line_of(r, {}), command_of(r));
  const Places places{{"/my shaders"}, {"/src"}, {"", "'ssh' box attnscope worker"}};
  EXPECT_TRUE(has(command_line_of(r, places, 1), "--shaders '/my shaders'", "--sources /src", "--worker"));
  EXPECT_FALSE(has(command_line_of(r, places, 0), "--worker"));
  r.environment.program_version = "PyTorch 2.11";
  EXPECT_EQ(command_line_of(r, {}), "") << "what another program measured is not ours to repeat";
}

TEST(When, IsShortAndOfTheDayWhereItIsLongAgo) {
  const std::string run = "2026-11-21T10:00:00Z";
  constexpr std::time_t at = 1795255200;  // that second
  for (const auto& [later_s, text] : {std::pair{20, "now"},
                                      {12 * 60 + 3, "12 min ago"},
                                      {5 * 3600, "5 h ago"},
                                      {3 * 86400 + 60, "3 d ago"},
                                      {8 * 86400, "2026-11-21"},
                                      {-3600, "2026-11-21"}})  // a clock set back
    EXPECT_EQ(short_when(run, at + later_s), text);
  for (const char* text : {"", "yesterday"}) EXPECT_EQ(short_when(text, at), text);
  tune::TunedMatch match;
  match.entry.time_utc = run;
  EXPECT_EQ(provenance(match, at + 12 * 60), "tuned here, 12 min ago");
}

Record checked(const char* variant, int64_t block, bool pass, const char* at, const char* problem = "1x4x32x32") {
  return made({.problem = problem,
               .variant = variant,
               .config = {{"BLOCK_M", block}},
               .time = at,
               .outcome = pass ? Outcome::measured : Outcome::failed_verdict});
}

TEST(LastVerdicts, TheNewestOnWhatIsAskedCounts) {
  SessionLog tried;
  tried.note(checked("mended", 16, false, "2026-11-21T10:00:00Z"));
  tried.note(checked("mended", 32, true, "2026-11-21T10:00:01Z"));
  tried.note(checked("torn", 16, true, "2026-11-21T10:00:00Z"));
  tried.note(checked("torn", 32, true, "2026-11-21T10:00:01Z"));
  tried.note(checked("torn", 16, false, "2026-11-21T10:00:09Z"));
  tried.note(checked("elsewhere", 16, false, "2026-11-21T10:00:00Z", "1x4x64x32"));
  const std::string asked = to_text(*parse_problem("1x4x32x32"));
  EXPECT_EQ(last_wrong(tried, asked, device_key(tried.entries().front().record->environment.device)),
            std::set<std::string>{"torn"});
  EXPECT_TRUE(last_wrong(tried, asked, "another device").empty());
}

struct Steps : testing::Test {
  History h;
  Selection now;
  void ask(int64_t lanes) {
    now.config["LANES"] = lanes;
    h.remember(now);
  }
  int64_t undo() { return h.undo().before.selection.config.at("LANES"); }
  int64_t redo() { return h.redo().after.selection.config.at("LANES"); }
};

TEST_F(Steps, GoBackAndForth) {
  for (const int64_t v : {1, 2, 2}) ask(v);
  EXPECT_EQ(undo(), 1);
  EXPECT_FALSE(h.can_undo());
  EXPECT_EQ(redo(), 2);
  EXPECT_FALSE(h.can_redo());
  h.undo();
  ask(3);
  EXPECT_FALSE(h.can_redo()) << "a new step drops what was undone";
  // What was put in place of a step belongs to it.
  now.config["LANES"] = 4;
  h.amend(now);
  EXPECT_EQ(undo(), 1);
  EXPECT_EQ(redo(), 4);
}

TEST_F(Steps, ADragIsOneAndOneThatEndsWhereItBeganIsNone) {
  const auto drag = [&](uint64_t gesture, std::initializer_list<int64_t> values) {
    h.gesture(gesture);
    for (const int64_t v : values) ask(v);
    h.gesture(0);
  };
  ask(8);
  drag(1, {16, 32, 64, 128});
  drag(2, {64, 32});
  EXPECT_EQ(undo(), 128);
  EXPECT_EQ(undo(), 8);
  EXPECT_FALSE(h.can_undo());
  EXPECT_EQ(redo(), 128);
  drag(3, {64, 128});
  EXPECT_EQ(undo(), 8) << "back where it began";
  EXPECT_FALSE(h.can_undo());
}

TEST_F(Steps, RemovedPinsAreOne) {
  ask(1);
  h.removed(std::vector<Pin>{});
  EXPECT_FALSE(h.can_undo()) << "nothing was removed";
  Pin pin;
  pin.id = 7;
  h.removed({pin});
  ask(2);
  h.undo();
  EXPECT_EQ(h.undo().pins.at(0).id, 7u);
}

TEST(Choices, WhatIsHeardOfAnotherProblemOrDeviceIsNotTaken) {
  const DeviceState known;
  MessagesLog messages;
  UserRequest request({}, known, messages);
  const Selection before = request.selection;
  request.set_problem(*parse_problem("1x4x64x32"));
  request.hear(SelectionChoice{before, true, before});
  EXPECT_TRUE(request.choosing()) << "this problem's answer is still to come";
  request.hear(TunedLookup{request.selection.problem, request.selection.variant, request.modes, tune::TunedMatch{}});
  EXPECT_TRUE(request.tuned());
  request.set_device(0, "1");
  EXPECT_FALSE(request.tuned());
}

TEST(Series, MetricsTurnTimesIntoRatesAndStretchesFollowADrift) {
  const Work work{2e12, 4e9};
  EXPECT_DOUBLE_EQ(in_metric(Metric::time, 5e6, work), 5000);
  EXPECT_DOUBLE_EQ(in_metric(Metric::tflops, 1e9, work), 2);
  EXPECT_DOUBLE_EQ(in_metric(Metric::gbps, 1e9, work), 4);
  EXPECT_DOUBLE_EQ(in_metric(Metric::gbps, 0, work), 0);
  std::vector<double> samples;
  for (int i = 0; i < 600; ++i) samples.push_back(1000 + i);
  const Rolling r = roll(samples, 0, 600, Metric::time, {});
  ASSERT_GT(r.x.size(), 10u);
  EXPECT_LT(r.median.front(), r.median.back());
  for (size_t i = 0; i < r.x.size(); ++i) {
    EXPECT_LE(r.low[i], r.median[i]);
    EXPECT_LE(r.median[i], r.high[i]);
  }
}

}  // namespace attnscope::gui::runs_test
