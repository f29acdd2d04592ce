// The history and the report as a person uses them: the real binary, each test with a history of its own.

#include "tests/cli/run_binary.hpp"

namespace attnscope::history_test {

struct HistoryCommand : testing::Test {
  std::string file() const { return (dir_.path() / "h" / "history.sqlite").string(); }
  std::string in(const char* name) const { return (dir_.path() / name).string(); }
  std::string here() const { return "ATTNSCOPE_HISTORY=" + quoted(file()); }
  Finished run(const std::vector<std::string>& arguments) const { return run_binary(arguments, here()); }
  static std::vector<std::string> bench(std::vector<std::string> more = {}) {
    return with(
        typed("bench --device cpu --variant row --problem 1x1x8x8 --min-ms 1 --max-ms 20 --min-samples 5 --quiet"),
        more);
  }
  std::vector<Record> kept() const {
    return must(results_from_json(run_ok(typed("history --json --limit 1000"), here()).out, "history"))->records;
  }
  const TempDir dir_;
};

TEST_F(HistoryCommand, KeepsEveryRunAsItsFileHasIt) {
  const Finished benched = run_ok(bench({"--output", in("out.json")}), here());
  EXPECT_EQ(benched.err, "");
  EXPECT_EQ(encode(kept()), encode(must(read_results(in("out.json")))->records));
  EXPECT_EQ(run(typed("verify --device cpu --variant row --problem 1x1x8x8 --quiet")).code, 0);
  EXPECT_EQ(kept().size(), 2u);
  EXPECT_TRUE(has(run_ok(typed("history variant=row outcome=measured dtype=f32"), here()).out, "1x1x8x8:f32"));
  EXPECT_EQ(run({"history", "import", in("out.json")}).err, in("out.json") + ": 1 records, 0 of them new\n");
}

TEST_F(HistoryCommand, KeepsWhatSearchesAndComparisonsMeasured) {
  const auto kept_after = [&](const std::string& line) {
    run_ok(typed(line + " --device cpu --problem 1x1x8x8 --min-ms 1 --max-ms 20 --quiet"),
           here() + " XDG_DATA_HOME=" + quoted(in("data")));
    return kept().size();
  };
  EXPECT_EQ(kept_after("bench --variant row --ab default default"), 2u);
  EXPECT_EQ(kept_after("sweep --variant row --budget 3 --full"), 5u);
  EXPECT_EQ(kept_after("sweep --variant row --budget 3 --full"), 5u) << "what the journal has is not a run of this one";
  const size_t all = kept_after("tune --variant row --budget 6");
  EXPECT_GE(all, 6u);
  EXPECT_EQ(kept_after("sweep --variant row --budget 9 --full --no-history"), all);
}

TEST_F(HistoryCommand, KeepsNothingWhenToldSoAndWhatCannotBeKeptIsOneWarning) {
  EXPECT_EQ(run(bench({"--no-history"})).code, 0);
  EXPECT_FALSE(fs::exists(file()));
  EXPECT_EQ(run_binary(bench(), "ATTNSCOPE_HISTORY=off XDG_DATA_HOME=" + quoted(in("data"))).code, 0);
  EXPECT_FALSE(fs::exists(in("data"))) << "what only reads makes no folder";
  EXPECT_EQ(run_binary(bench(), "ATTNSCOPE_HISTORY= XDG_DATA_HOME=" + quoted(in("data"))).code, 0);
  EXPECT_TRUE(fs::exists(in("data/attnscope/history.sqlite"))) << "else it is in the user's data folder";
  EXPECT_EQ(run({"history"}).out, "No run in " + file() + ".\n");
  EXPECT_FALSE(fs::exists(file())) << "looking makes none";
  const Finished benched = run_ok(bench({"--problem", "1x1x16x8"}), "ATTNSCOPE_HISTORY=/dev/null/history.sqlite");
  EXPECT_TRUE(benched.err.starts_with("attnscope bench: note: The history '/dev/null/history.sqlite' cannot be used"))
      << benched.err;
  EXPECT_EQ(std::ranges::count(benched.err, '\n'), 1) << benched.err;
}

TEST_F(HistoryCommand, AFolderThatCannotBeWrittenToIsReadAndNamed) {
  const std::string place = "ATTNSCOPE_HISTORY= XDG_DATA_HOME=" + quoted(in("data")) + " ";
  // Modes say nothing to root.
  const std::string as_nobody =
      ::geteuid() == 0 ? place + "setpriv --reuid=65534 --regid=65534 --clear-groups " : place;
  run_ok(bench({"--output", in("out.json")}), place);
  fs::permissions(in("data/attnscope/history.sqlite"), fs::perms(0444));
  for (const std::string& folder : {in("data/attnscope"), in("data"), in("")}) fs::permissions(folder, fs::perms(0555));
  if (run_binary({"--version"}, as_nobody).code != 0) GTEST_SKIP() << "another user cannot run the program";
  EXPECT_TRUE(has(run_ok({"history"}, as_nobody).out, "1x1x8x8:f32"));
  EXPECT_TRUE(has(run_ok(bench(), as_nobody).err, "data/attnscope/history.sqlite' cannot be written to"));
  fs::permissions(in("data/attnscope/history.sqlite"), fs::perms(0666));
  EXPECT_TRUE(ends(run_binary({"history", "import", in("out.json")}, as_nobody), 2,
                   "the folder '" + in("data/attnscope") + "' cannot be written to", "ATTNSCOPE_HISTORY"));
  for (const std::string& folder : {in("data/attnscope"), in("data"), in("")}) fs::permissions(folder, fs::perms(0755));
}

TEST_F(HistoryCommand, GoesToAFileAndBack) {
  const auto shipped_file = shipped("docs/results/2026-11-21-h200-speed.json").string();
  ASSERT_EQ(run({"history", "import", shipped_file}).code, 0);
  ASSERT_EQ(run(typed("history export {} --where variant=coopmat", in("a.json"))).code, 0);
  ASSERT_EQ(run(typed("history export {} --where variant=coopmat", in("a.csv"))).code, 0);
  const auto exported = must(read_results(in("a.json")));
  EXPECT_EQ(exported->records.size(), 18u);
  const auto all = must(read_results(shipped_file));
  for (const Record& r : exported->records)
    EXPECT_NE(std::ranges::find(all->records, r), all->records.end()) << to_text(r.problem);
  const std::string other = "ATTNSCOPE_HISTORY=" + quoted(in("other.sqlite"));
  EXPECT_EQ(run_binary({"history", "import", in("a.json")}, other).err,
            in("a.json") + ": 18 records, 18 of them new\n");
  EXPECT_EQ(run_binary({"history", "export", in("b.csv")}, other).code, 0);
  for (const char* file : {"a.csv", "b.csv"}) {
    EXPECT_EQ(lines_of(read_file(in(file))).size(), 19u);
    EXPECT_TRUE(read_file(in(file)).ends_with('\n'));
  }
}

TEST_F(HistoryCommand, AReportIsOnePage) {
  ASSERT_EQ(run({"history", "import", shipped("docs/results/2026-11-21-h200-dvtile.json").string()}).code, 0);
  const Finished made = run_ok({"report", shipped("docs/results/2026-11-21-h200-speed.json").string(), "--history",
                                "--where", "variant=dvtile", "--title", "Two <things>", "--output", in("r.html")},
                               here());
  EXPECT_EQ(made.err, "73 records are in " + in("r.html") + "\n");
  const std::string page = read_file(in("r.html"));
  EXPECT_TRUE(
      has(page, "<title>Two &lt;things&gt;</title>", "attnscope bench --device 'NVIDIA H200' --variant dvtile"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

}  // namespace attnscope::history_test
