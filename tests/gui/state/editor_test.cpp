// The editor without a window: texts, colours, errors at their lines, versions, files on disk.

#include <sys/stat.h>

#include "app/gui/workbench/workbench.hpp"
#include "tests/has.hpp"

namespace attnscope::gui::editor_test {

TEST(TextBuffer, TypingReplacesWhatIsSelectedAndOneUndoTakesAWordBack) {
  TextBuffer b("one two\nthree\n");
  b.move_to({0, 4});
  b.move_to({0, 7}, true);
  EXPECT_EQ(b.selection(), "two");
  for (const char* c : {"f", "o", "u", "r"}) b.insert(c);
  EXPECT_EQ(b.text(), "one four\nthree\n");
  b.undo();
  b.undo();
  EXPECT_EQ(b.text(), "one two\nthree\n");
  EXPECT_FALSE(b.can_undo());
  b.redo();
  b.redo();
  EXPECT_EQ(b.text(), "one four\nthree\n");
}

TEST(TextBuffer, ANewLineIsIndentedAsTheOneBeforeAndDeeperAfterABrace) {
  TextBuffer b("    if (x) {");
  b.move_to({0, 99});
  b.new_line();
  b.insert("y");
  EXPECT_EQ(b.text(), "    if (x) {\n        y");
  b.undo();
  b.undo();
  EXPECT_EQ(b.text(), "    if (x) {");
}

TEST(TextBuffer, TabIndentsLinesAndShiftTabTakesItBackAsOneStep) {
  TextBuffer b("a\nb\n\nc");
  b.select_all();
  b.tab(false);
  EXPECT_EQ(b.text(), "    a\n    b\n\n    c");
  b.tab(true);
  EXPECT_EQ(b.text(), "a\nb\n\nc");
  b.undo();
  EXPECT_EQ(b.text(), "    a\n    b\n\n    c");
  b.undo();
  EXPECT_EQ(b.text(), "a\nb\n\nc");
}

TEST(TextBuffer, CharactersOfSeveralBytesAreOneStepAndLineEndsOfWindowsStay) {
  TextBuffer b("a\u00e9\u2192z");
  b.move_to({0, 0});
  b.right(false, false);
  b.right(false, false);
  EXPECT_EQ(b.caret().column, 3u);
  b.erase(false);
  EXPECT_EQ(b.text(), "a\u00e9z");
  b.backspace(false);
  EXPECT_EQ(b.text(), "az");
  TextBuffer of_windows("a\r\nb\r\n");
  of_windows.move_to({0, 1});
  of_windows.insert("x");
  EXPECT_EQ(of_windows.text(), "ax\r\nb\r\n");
  EXPECT_EQ(TextBuffer("a\r\nb\nc").text(), "a\r\nb\nc");
}

TEST(TextBuffer, ReplacingAllOfItIsOneStepAndKeepsTheCaretNear) {
  const std::string before = "a\nb\nc\nd\n";
  for (const std::string after : {"a\nX\nY\nc\nd\n", "a\n", "", "a\nb\nc\nd\ne\nf", "Z\na\nb\nc\nd\n", "a\nb\nc\nd"}) {
    TextBuffer b(before);
    b.move_to({3, 1});
    b.replace(after);
    EXPECT_EQ(b.text(), after);
    b.undo();
    EXPECT_EQ(b.text(), before) << after;
    b.redo();
    EXPECT_EQ(b.text(), after);
  }
}

TEST(TextBuffer, FindsForwardAndBackAroundTheEnd) {
  TextBuffer b("alpha\nBeta alpha\n");
  using Step = std::tuple<const char*, bool, TextPlace>;
  for (const auto& [what, forward, found] : {Step{"alpha", true, {0, 0}},
                                             {"alpha", true, {1, 5}},
                                             {"alpha", true, {0, 0}},
                                             {"alpha", false, {1, 5}},
                                             {"beta", true, {1, 0}}}) {
    EXPECT_TRUE(b.find(what, forward));
    EXPECT_EQ(b.anchor(), found) << what;
  }
  EXPECT_FALSE(b.find("ALPHA")) << "capitals count";
}

std::vector<Ink> inks(Highlighter& h, const std::vector<std::string>& lines, size_t line) {
  static uint64_t version = 0;
  return mapped(h.spans(lines, ++version, line), &InkSpan::ink);
}

TEST(Highlighter, KnowsGlslAndTomlAndColoursTheLinesBelowAnOpenedCommentUntilItIsClosed) {
  Highlighter glsl(Language::glsl), toml(Language::toml);
  std::vector<std::string> lines{"float a; /* one", "two", "three */ uint b;"};
  EXPECT_EQ(inks(glsl, lines, 2), (std::vector<Ink>{Ink::comment, Ink::type, Ink::plain}));
  EXPECT_EQ(inks(glsl, lines, 1), (std::vector<Ink>{Ink::comment}));
  lines[0] = "float a;";
  EXPECT_EQ(inks(glsl, lines, 1), (std::vector<Ink>{Ink::plain}));
  EXPECT_EQ(inks(glsl, {"#include \"common/mask.glsl\""}, 0), (std::vector<Ink>{Ink::directive, Ink::text}));
  EXPECT_EQ(
      inks(glsl, {"const f16vec4 x = max(1.5e-3, y); // z"}, 0),
      (std::vector<Ink>{Ink::keyword, Ink::type, Ink::plain, Ink::builtin, Ink::number, Ink::plain, Ink::comment}));
  EXPECT_EQ(inks(toml, {"[[pass]] # x"}, 0), (std::vector<Ink>{Ink::section, Ink::comment}));
  EXPECT_EQ(inks(toml, {"values = [32, 64]"}, 0), (std::vector<Ink>{Ink::keyword, Ink::number, Ink::number}));
  EXPECT_EQ(inks(toml, {"c = { N = \"1\" }"}, 0), (std::vector<Ink>{Ink::keyword, Ink::keyword, Ink::text}));
}

TEST(Diagnostics, AreFoundAtTheirLinesInTheVariantsOwnFilesAndInIncludes) {
  const auto all = diagnostics_of(
      "mine",
      "mine/mine.comp:20: '' :  syntax error, unexpected IDENTIFIER\ncommon/mask.glsl:3: 'x' : undeclared identifier");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], (Diagnostic{"mine.comp", 20, "syntax error, unexpected IDENTIFIER"}));
  EXPECT_EQ(all[1], (Diagnostic{"common/mask.glsl", 3, "'x' : undeclared identifier"}));
  const std::string longest(1 << 20, 'x');  // as long as a source may be
  EXPECT_EQ(diagnostics_of("mine", "mine.comp:7: " + longest), (std::vector<Diagnostic>{{"mine.comp", 7, longest}}));
}

Texts texts(const std::string& body) {
  return {{"manifest.toml", std::make_shared<const std::string>("m")},
          {"a.comp", std::make_shared<const std::string>(body)}};
}

TEST(Versions, AreNumberedByWhatTheyAreAndAnOldTextIsItsOldNumber) {
  Versions v;
  v.note("mine", "h1", texts("1"));
  v.note("mine", "h2", texts("2"));
  v.note("mine", "h1", texts("1"));
  EXPECT_EQ(v.number("mine", "h1"), 1);
  EXPECT_EQ(v.number("mine", "h2"), 2);
  EXPECT_EQ(v.history("mine").order, (std::vector<std::string>{"h2", "h1"}));
  v.note("mine", "", texts("x"));
  EXPECT_EQ(v.of("mine").size(), 2u) << "what does not load has no number";
}

std::vector<LoadedVariant> loaded(const std::string& shader, bool writable = true) {
  const auto text = [](const std::string& t) { return std::make_shared<const std::string>(t); };
  return {{"mine",
           "/x/mine",
           {{"manifest.toml", "/x/mine/manifest.toml", true, writable, text("m")},
            {"a.comp", "/x/mine/a.comp", true, writable, text(shader)}}}};
}
std::vector<VariantInfo> infos(const std::string& hash, const std::string& error = "") {
  return {{.name = "mine", .hash = hash, .error = error}};
}

TEST(Editor, UnsavedEditsSurviveAReloadAndAChangeOnDiskIsAskedAbout) {
  Editor e;
  e.loaded(loaded("one"), infos("h1"));
  Editor::Document* d = e.document("mine", "a.comp");
  ASSERT_TRUE(d);
  d->buffer.insert("my ");
  EXPECT_TRUE(d->dirty());
  e.loaded(loaded("one"), infos("h1"));
  EXPECT_EQ(d->buffer.text(), "my one");
  EXPECT_FALSE(d->theirs);
  // Its folder is away for a while.
  e.loaded({}, {});
  EXPECT_EQ(e.unsaved(), std::vector<std::string>{"/x/mine/a.comp"});
  e.loaded(loaded("one"), infos("h1"));
  EXPECT_EQ(e.document("mine", "a.comp"), d);
  EXPECT_EQ(d->buffer.text(), "my one");
  EXPECT_FALSE(d->gone);
  e.loaded(loaded("two"), infos("h2"));
  EXPECT_EQ(d->buffer.text(), "my one");
  ASSERT_TRUE(d->theirs);
  EXPECT_EQ(e.save(*d)->expected, "one") << "what is on disk now is not overwritten unasked";
  d->saving = false;
  EXPECT_FALSE(e.save(*d, true)->expected);
  d->saving = false;
  e.discard(*d);
  EXPECT_EQ(d->buffer.text(), "two");
  EXPECT_FALSE(d->dirty());
  // Without edits what is on disk is taken.
  e.loaded(loaded("three"), infos("h3"));
  EXPECT_EQ(d->buffer.text(), "three");
}

TEST(Editor, AnOldVersionIsPutIntoTheEditorUnsaved) {
  Editor e;
  e.loaded(loaded("one"), infos("h1"));
  e.loaded(loaded("two"), infos("h2"));
  EXPECT_EQ(e.restore("mine", *e.versions.find("mine", "h1")), 1u);
  Editor::Document* d = e.document("mine", "a.comp");
  EXPECT_EQ(d->buffer.text(), "one");
  EXPECT_TRUE(d->dirty());
  EXPECT_EQ(e.chosen("mine"), "a.comp");
  d->buffer.undo();
  EXPECT_FALSE(d->dirty());
}

struct OnDisk : testing::Test {
  TempDir dir;
  OnDisk() {
    write("mine/manifest.toml", "[[pass]]\nshader = \"a.comp\"\n");
    write("mine/a.comp", "one");
  }
  void write(const std::string& name, const std::string& text) const { write_file(dir / name, text); }
  std::string read(const std::string& name) const { return read_file(dir / name); }
};

TEST_F(OnDisk, SavingKeepsPermissionsFollowsLinksAndOverwritesNothingOfOthersUnasked) {
  ::chmod((dir / "mine/a.comp").c_str(), 0640);
  fs::create_directories(dir / "links");
  fs::create_symlink(dir / "mine/a.comp", dir / "links/b.comp");
  const SaveOutcome out = save_file({dir / "links/b.comp", "two", "one"});
  EXPECT_EQ(out.error, "");
  EXPECT_FALSE(out.theirs);
  EXPECT_EQ(read("mine/a.comp"), "two");
  EXPECT_TRUE(fs::is_symlink(dir / "links/b.comp"));
  struct stat s {};
  ::stat((dir / "mine/a.comp").c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777, 0640u);
  write("mine/a.comp", "theirs");
  EXPECT_EQ(save_file({dir / "mine/a.comp", "two", "one"}).theirs, "theirs");
  EXPECT_EQ(read("mine/a.comp"), "theirs");
  EXPECT_FALSE(save_file({dir / "mine/a.comp", "two", std::nullopt}).theirs);
  EXPECT_EQ(read("mine/a.comp"), "two");
}

TEST_F(OnDisk, AVariantIsCopiedUnderANewNameAlone) {
  const auto made = must(copy_variant(dir / "mine", dir / "user", "yours"));
  EXPECT_EQ(read("user/yours/a.comp"), "one");
  ASSERT_TRUE(copy_variant(dir / "mine", dir / "user", "edited", {{"a.comp", "two"}}));
  EXPECT_EQ(read("user/edited/a.comp"), "two");
  EXPECT_EQ(read("mine/a.comp"), "one");
  EXPECT_FALSE(copy_variant(dir / "mine", dir / "user", "yours"));
  for (const char* bad : {"", "a/b", "..", "common", "auto", "a b"})
    EXPECT_FALSE(copy_variant(dir / "mine", dir / "user", bad));
}

TEST_F(OnDisk, SavesOfEveryKindAreToldByTheVariantsName) {
  Watch watch({dir.path()}, {});
  double now = 0;
  const auto told = [&] {
    std::vector<std::string> names;
    for (int i = 0; i < 5 && names.empty(); ++i) names = watch.take(now += Watch::kPoll);
    return names;
  };
  EXPECT_TRUE(told().empty());
  // In place.
  write("mine/a.comp", "changed in place");
  EXPECT_EQ(told(), std::vector<std::string>{"mine"});
  // By rename, as most editors do.
  write("mine/.a.comp.swp", "changed by rename!");
  fs::rename(dir / "mine/.a.comp.swp", dir / "mine/a.comp");
  EXPECT_EQ(told(), std::vector<std::string>{"mine"});
  // A new variant, made as a whole.
  ASSERT_TRUE(copy_variant(dir / "mine", dir.path(), "yours"));
  EXPECT_EQ(told(), std::vector<std::string>{"yours"});
  // In a folder that came later.
  write("yours/a.comp", "and in the new one");
  EXPECT_EQ(told(), std::vector<std::string>{"yours"});
  // An include of both.
  fs::create_directories(dir / "common");
  write("common/x.glsl", "float x;");
  EXPECT_EQ(told(), (std::vector<std::string>{"mine", "yours"}));
  // Asked for, whatever changed.
  watch.look({"mine"});
  EXPECT_EQ(told(), std::vector<std::string>{"mine"});
}

// --- the workbench ---------------------------------------------------------------------------------------------------

const DeviceInfo kDevice{.name = "Some GPU", .driver = "1"};

struct EditedVariant : testing::Test {
  Workbench bench{GuiOptions{.variant = "mine"}};

  EditedVariant() {
    hear(DeviceOpened{kDevice});
    load("one", "h1");
    bench.request.set_variant("mine");
    bench.tick(0);
  }
  void hear(WorkerEvent news) { bench.apply({0, std::move(news)}, false, 0); }
  void load(const std::string& shader, const std::string& hash, uint64_t sources = 0, const std::string& error = "") {
    hear(VariantList{infos(hash, error), sources, std::make_shared<const std::vector<LoadedVariant>>(loaded(shader))});
    bench.tick(0);
  }
  void measure(const std::string& hash, double ns, bool pass = true) {
    const Selection asked = bench.request.selection;
    Record run{.problem = asked.problem, .variant = "mine", .config = asked.config};
    run.environment = {.device = kDevice, .shader_hash = hash};
    hear(RunStarted{asked, bench.request.modes});
    hear(RunEvent{asked, RunBegan{std::make_shared<const Record>(make_record(run))}});
    hear(RunEvent{asked, Verdict{.pass = pass, .reason = pass ? "" : "it is wrong"}});
    if (pass) hear(RunEvent{asked, SampleBatch{std::vector<double>(40, ns)}});
    bench.tick(0);
  }
  void end(const std::string& hash, Outcome outcome = Outcome::cancelled) {
    Record r = *bench.live.newest.began;
    r.environment.shader_hash = hash;
    conclude(r, outcome);
    hear(RunEnded{bench.request.selection, r});
    bench.tick(0);
  }
  const auto& versions() { return bench.views.versions.value(); }
};

TEST_F(EditedVariant, ShowsNoNumberOfAnotherVersionFromTheSaveOn) {
  measure("h1", 1000);
  ASSERT_TRUE(bench.live.timed());
  bench.editor.changing.insert("mine");
  EXPECT_FALSE(bench.live.shown()) << "what is on disk is no more what was measured";
  bench.sources_changed({"mine"});
  const uint64_t sources = bench.request_of(0)->sources;
  EXPECT_EQ(sources, 1u);
  end("h1");
  load("two", "h1");
  EXPECT_FALSE(bench.live.shown()) << "that was an older reading";
  load("syntax error", "", sources, "mine/a.comp:1: 'x' : undeclared");
  EXPECT_FALSE(bench.live.shown());
  EXPECT_FALSE(bench.request_of(0)->selection) << "nothing of it is dispatched";
  ASSERT_EQ(bench.editor.errors("mine").size(), 1u);
  EXPECT_EQ(versions().current(), nullptr);
  EXPECT_EQ(must(versions().before())->number, 1) << "the last good one, by its number";
  EXPECT_EQ(versions().before()->record->statistics->median, 1000);
  bench.sources_changed({"mine"});
  load("three", "h3", 2);
  EXPECT_FALSE(bench.live.timed());
  measure("h3", 500);
  ASSERT_TRUE(bench.live.timed());
  EXPECT_EQ(versions().current()->number, 2);
}

TEST_F(EditedVariant, TheLastGoodVersionPassesOverAWrongOne) {
  measure("h1", 1000);
  end("h1");
  load("wrong", "h2");
  measure("h2", 0, false);
  end("h2", Outcome::failed_verdict);
  load("three", "h3");
  measure("h3", 500);
  EXPECT_EQ(must(versions().before())->hash, "h1");
  const auto job = bench.race_version("h1");
  ASSERT_TRUE(job && job->as<Job::Race>());
  EXPECT_EQ(job->as<Job::Race>()->first.files.at("a.comp"), "one");
  EXPECT_EQ(job->as<Job::Race>()->second.files.at("a.comp"), "three");
  EXPECT_TRUE(bench.jobs.runs(JobKind::versions));
  EXPECT_FALSE(bench.race_version("h1")) << "one at a time";
  hear(JobEvent{.id = job->id, .over = true, .error = "It was cancelled."});
  EXPECT_FALSE(bench.jobs.runs(JobKind::versions));
}

TEST_F(EditedVariant, APinOfAnOlderVersionIsNamedByItsNumber) {
  measure("h1", 1000);
  bench.pin();
  end("h1");
  load("two", "h2");
  measure("h2", 900);
  bench.pin();
  bench.tick(10);
  EXPECT_TRUE(has(bench.name_of(bench.pins.all()[0]), "#1"));
  EXPECT_TRUE(has(bench.name_of(bench.pins.all()[1]), "#2"));
}

TEST_F(EditedVariant, ASaveElsewhereWaitsForASearchAndIsReadThen) {
  bench.search.begin({.id = 7, .problem = bench.request.selection.problem}, 0);
  ASSERT_TRUE(bench.search.measuring());
  bench.sources_changed({"other"});
  EXPECT_EQ(bench.request_of(0)->sources, 0u);
  hear(SearchEvent{7, SearchEnded{"", nullptr}});
  bench.tick(1);
  EXPECT_EQ(bench.request_of(0)->sources, 1u);
}

}  // namespace attnscope::gui::editor_test
