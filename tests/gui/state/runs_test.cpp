// Lists of runs, what a person writes about them, pins against each other, the command that measures one again.

#include "app/gui/workbench/exports.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "engine/history/history.hpp"
#include "tests/cli/run_binary.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui {
namespace {

Record of_run(int64_t block, double ns = 1e6, const char* problem = "1x4x32x32", size_t samples = 40) {
  return made({.problem = problem,
               .config = {{"BLOCK_M", block}, {"BLOCK_N", 32}},
               .ns = ns,
               .samples = samples,
               .spread = 0.001,
               .time = "2026-11-21T10:00:00Z"});
}

std::vector<RunRow> rows_of(const SessionLog& tried, const Remarks& remarks = {}) {
  std::vector<RunRow> rows;
  for (const SessionLog::Entry& e : tried.entries()) {
    const Remark* r = remarks.of(e.key);
    rows.push_back({e.number, e.record, e.key, fmt::format("tiled M={}", e.record->config.at("BLOCK_M")),
                    r ? *r : Remark{}, e.best});
  }
  return rows;
}
std::vector<uint64_t> numbers(const RunList& list) {
  std::vector<uint64_t> out;
  for (const uint32_t i : list.shown()) out.push_back(list.rows()[i].number);
  return out;
}
using Numbers = std::vector<uint64_t>;

struct Listed : testing::Test {
  SessionLog tried;
  RunList list;
  void SetUp() override {
    tried.note(of_run(32, 3e6));
    tried.note(of_run(16, 1e6));
    tried.note(of_run(64, 2e6, "1x4x64x32"));
    Record refused = of_run(128);
    refused.samples_ns.clear();
    refused.verdict.reset();
    conclude(refused, Outcome::refused, "too much");
    tried.note(refused);
    step();
  }
  void step() {
    list.step(tried.version(), [&] { return rows_of(tried); });
  }
};

TEST_F(Listed, TheNewestIsOnTopUntilAColumnIsChosenAndWhatHasNoTimeIsLast) {
  EXPECT_EQ(numbers(list), (Numbers{4, 3, 2, 1}));
  list.sort_by(RunColumn::median);
  step();
  EXPECT_EQ(numbers(list), (Numbers{2, 3, 1, 4}));
  list.sort_by(RunColumn::median);
  step();
  EXPECT_EQ(numbers(list), (Numbers{1, 3, 2, 4})) << "the other way round, and still last";
  list.sort_by(RunColumn::problem);
  step();
  EXPECT_EQ(numbers(list).back(), 3u);
  list.sort_by(RunColumn::verdict);
  step();
  EXPECT_EQ(numbers(list).back(), 4u) << "correct before refused";
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

TEST(TriedTest, TheBestIsMarkedHoweverRunsComeAndGo) {
  SessionLog tried;
  const auto best = [&] {
    Numbers out;
    for (const auto& e : tried.entries())
      if (e.best) out.push_back(e.number);
    return out;
  };
  tried.note(of_run(16, 2e6));
  tried.note(of_run(32, 1e6));
  tried.note(of_run(64, 3e6));
  tried.note(of_run(16, 9e6, "1x4x64x32"));
  EXPECT_EQ(best(), (Numbers{2, 4})) << "of each problem";
  tried.note(of_run(32, 5e6));  // the same run, slower now
  EXPECT_EQ(best(), (Numbers{1, 4}));
  const auto gone = tried.remove({1, 4});
  EXPECT_EQ(best(), (Numbers{3}));
  EXPECT_EQ(tried.find(1), nullptr);
  ASSERT_NE(tried.find(3), nullptr);
  tried.put_back(gone);
  EXPECT_EQ(best(), (Numbers{1, 4}));
  EXPECT_EQ(tried.entries().front().number, 1u) << "in its old place";
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
  remarks.set(identity_of(r), {"mine", "a note"});
  EXPECT_EQ(remarks.of(identity_of(of_run(32, 7e6)))->name, "mine") << "the same run measured again";
  EXPECT_EQ(remarks.of(identity_of(of_run(64))), nullptr);
  std::string name;
  for (int i = 0; i < 60; ++i) name += "\u00e9";
  remarks.set("x", {name, ""});
  EXPECT_EQ(remarks.of("x")->name.size(), 80u);
  remarks.set("x", {});
  EXPECT_EQ(remarks.of("x"), nullptr);
}

GuiOptions options() { return {}; }

TEST(SessionTest, NamesNotesAndColoursComeBackAndAnotherSessionTakesItsPlace) {
  const TempDir dir;
  Workbench bench(options());
  bench.pins.add(of_run(32));
  bench.log.note(of_run(32));
  bench.log.note(of_run(64));
  bench.log.remarks.set(identity_of(of_run(64)), {"the wide one", "spills?"});
  SessionCopy copy = session_of(bench);
  copy.settings = R"({"tab": "matrix", "bottom": 300})";
  ASSERT_TRUE(save_session(dir.path() / "s.json", copy));
  const std::string text = read_file(dir.path() / "s.json");
  EXPECT_TRUE(is_session(text));
  EXPECT_FALSE(is_session(R"({"schema": 1, "records": []})"));
  EXPECT_FALSE(is_session("no json"));

  Workbench other(options());
  other.pins.add(of_run(128));
  other.log.note(of_run(128));
  EXPECT_FALSE(session_from("{\"schema\": 99, \"pins\": [], \"tried\": []}", other, true));
  EXPECT_EQ(other.pins.all().size(), 1u) << "an error changes nothing";
  const auto settings = must(session_from(text, other, true));
  EXPECT_NE(settings->find("matrix"), std::string::npos);
  ASSERT_EQ(other.pins.all().size(), 1u);
  EXPECT_EQ(other.pins.all()[0].record->config.at("BLOCK_M"), 32);
  ASSERT_EQ(other.log.entries().size(), 2u);
  EXPECT_EQ(other.name_of(other.log.entries()[1]), "the wide one");
  // What is measured now is a run of its own, told once; what was read keeps its row.
  for (int i = 0; i < 2; ++i) other.log.note(of_run(64));
  ASSERT_EQ(other.log.entries().size(), 3u);
  EXPECT_TRUE(other.log.entries()[1].earlier);
  EXPECT_FALSE(other.log.entries()[2].earlier);
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
  Workbench bench(options());
  bench.pins.add(of_run(32));
  const std::string path = dir.path() / "s.json";
  ASSERT_TRUE(save_session(path, session_of(bench)));
  const std::string before = read_file(path);
  bench.pins.add(of_run(64));
  EXPECT_TRUE(fails(save_session(path, session_of(bench), before.size()), "remove some of the 2"));
  EXPECT_EQ(read_file(path), before);
  EXPECT_TRUE(save_session(path, session_of(bench), 2 * before.size() + 1000));
}

TEST(SessionTest, ARemovedRunComesBackByUndoAndGoesByRedo) {
  Workbench bench(options());
  bench.log.note(of_run(32));
  bench.log.note(of_run(64));
  bench.remove_runs({2});
  EXPECT_EQ(bench.log.entries().size(), 1u);
  bench.undo();
  EXPECT_EQ(bench.log.entries().size(), 2u);
  bench.redo();
  EXPECT_EQ(bench.log.entries().size(), 1u);
}

/// All of these against each other; a test's own patience, no synchronization.
void settle(Comparisons& comparisons, const std::vector<Pin>& pins) {
  for (int i = 0; i < 5000; ++i) {
    bool all = true;
    for (const Pin& a : pins)
      for (const Pin& b : pins) all = (a.id == b.id || comparisons.of(a.record, b.record)) && all;
    if (all) return;
    comparisons.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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
  EXPECT_EQ(of(0, 1), nullptr);
  settle(comparisons, pins.all());
  ASSERT_NE(of(0, 1), nullptr);
  EXPECT_EQ(of(0, 1)->word.relation, Relation::faster);
  EXPECT_NEAR(of(0, 1)->ratio, 0.5, 0.01);
  EXPECT_EQ(cell_text(*of(1, 0)), "SLOWER 2.00\u00d7");
  EXPECT_TRUE(has(of(0, 2)->why_not, "two problems"));
  EXPECT_EQ(of(0, 2)->ratio, 0);
  EXPECT_TRUE(has(of(3, 0)->why_not, "Other GPU"));
  EXPECT_NEAR(of(3, 0)->ratio, 4, 1e-9) << "a ratio, and no word";
  EXPECT_EQ(comparisons.made(), 12u);
  settle(comparisons, pins.all());
  EXPECT_EQ(comparisons.made(), 12u) << "nothing is made twice";
  const auto held = pins.all()[0].record.use_count();
  for (int i = 0; i < 1000; ++i) comparisons.step();
  EXPECT_LT(pins.all()[0].record.use_count(), held) << "what nobody asks for is forgotten";
}

TEST(ReproduceTest, TheCommandNamesAllThatSetsTheRunApart) {
  Record r = of_run(64, 1e6, "1x32x8192x128:q=1:kv=8:f16");
  r.seed = 7;
  r.protocol.cache = CacheMode::cold;
  const std::string plain = command_line_of(r, {});
  for (const char* part : {"attnscope bench", "--device 'Test GPU'", "--variant tiled", "BLOCK_M=64", "--seed 7",
                           "--cold", "1x32x8192x128"})
    EXPECT_TRUE(has(plain, part)) << part << "\n" << plain;
  const Places places{{"/my shaders"}, {"/src"}, {"", "'ssh' box attnscope worker"}};
  const std::string there = command_line_of(r, places, 1);
  EXPECT_TRUE(has(there, "--shaders '/my shaders'", "--sources /src", "--worker"));
  EXPECT_FALSE(has(command_line_of(r, places, 0), "--worker"));
  r.environment.program_version = "PyTorch 2.11";
  EXPECT_EQ(command_line_of(r, {}), "") << "what another program measured is not ours to repeat";
}

TEST(PastRunsTest, ThisProblemsRunsAreReadOnAnotherThreadAndFiltered) {
  const TempDir dir;
  const auto file = dir.path() / "history.sqlite";
  {
    auto history = must(attnscope::History::open(file));
    const std::vector<Record> records = {of_run(16, 1e6), of_run(32, 2e6), of_run(64, 3e6, "1x4x64x32")};
    ASSERT_TRUE(history->add(records));
  }
  PastRuns past;
  past.file = file;
  const auto read = [&](const PastQuery& q) {
    past.selection(q);
    for (int i = 0; i < 5000 && past.loading(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      past.step();
    }
    return past.entries().size();
  };
  EXPECT_EQ(read({*parse_problem("1x4x32x32"), ""}), 2u) << past.error();
  EXPECT_EQ(read({std::nullopt, ""}), 3u);
  EXPECT_EQ(read({std::nullopt, "BLOCK_M=64 word"}), 1u) << "words are looked for in the rows";
  EXPECT_EQ(read({std::nullopt, "colour=3"}), 0u);
  EXPECT_TRUE(has(past.error(), "colour"));
  EXPECT_EQ(read({std::nullopt, "median_ns<1.5e6"}), 1u) << past.error();
  EXPECT_EQ(past.error(), "");
  past.read(past.entries()[0].id);
  std::vector<Result<Record>> whole;
  for (int i = 0; i < 5000 && whole.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    whole = past.take_whole();
  }
  ASSERT_EQ(whole.size(), 1u);
  ASSERT_TRUE(whole[0]);
  EXPECT_EQ(whole[0]->samples_ns.size(), 40u) << "with its samples";
  EXPECT_EQ(plain_words("tiled variant=x !slow"), "tiled !slow");
}

TEST(SheetsTest, TablesHaveWhatTheWindowHas) {
  Workbench bench(options());
  bench.pins.add(of_run(32, 1e6));
  bench.pins.add(of_run(64, 2e6));
  bench.log.note(of_run(32));
  bench.log.remarks.set(identity_of(of_run(64)), {"wide", "a, \"quoted\" note"});
  bench.tick(1);
  const auto rows = [&](const char* table) { return find_out(tables_out(), table)->table(bench).rows; };
  EXPECT_EQ(rows("pins").size(), 2u);
  EXPECT_EQ(rows("pins")[1][1], "wide");
  EXPECT_EQ(rows("log").size(), 1u);
  EXPECT_EQ(rows("matrix")[0].size(), 5u);
}

}  // namespace
}  // namespace attnscope::gui
