// The editor without a window: texts, colours, errors at their lines, versions, files on disk.

#include <sys/stat.h>

#include "app/gui/workbench/workbench.hpp"
#include "engine/record/run.hpp"
#include "tests/files.hpp"
#include "tests/has.hpp"

namespace attnscope::gui::editor_test {

namespace fs = std::filesystem;

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
  std::vector<Ink> out;
  for (const InkSpan& s : h.spans(lines, ++version, line)) out.push_back(s.ink);
  return out;
}

TEST(Highlighter, AnOpenedCommentColoursTheLinesBelowUntilItIsClosed) {
  Highlighter h(Language::glsl);
  std::vector<std::string> lines{"float a; /* one", "two", "three */ uint b;"};
  EXPECT_EQ(inks(h, lines, 2), (std::vector<Ink>{Ink::comment, Ink::type, Ink::plain}));
  EXPECT_EQ(inks(h, lines, 1), (std::vector<Ink>{Ink::comment}));
  lines[0] = "float a;";
  EXPECT_EQ(inks(h, lines, 1), (std::vector<Ink>{Ink::plain}));
}

TEST(Highlighter, KnowsGlslAndToml) {
  Highlighter glsl(Language::glsl), toml(Language::toml);
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
  VariantInfo v;
  v.name = "mine";
  v.hash = hash;
  v.error = error;
  return {v};
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
  e.take_theirs(*d);
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

DeviceEvent heard(WorkerEvent news) { return {0, std::move(news)}; }

DeviceInfo device() {
  DeviceInfo d;
  d.name = "Some GPU";
  d.driver = "1";
  return d;
}

struct Bench {
  Workbench bench;
  Bench() : bench(options()) {
    bench.apply(heard(DeviceOpened{device()}), false, 0);
    load("one", "h1", 0);
    bench.request.set_variant("mine");
    bench.tick(0);
  }
  static GuiOptions options() {
    GuiOptions o;
    o.variant = "mine";
    return o;
  }
  void load(const std::string& shader, const std::string& hash, uint64_t sources, const std::string& error = "") {
    bench.apply(heard(VariantsKnown{infos(hash, error), sources,
                                    std::make_shared<const std::vector<LoadedVariant>>(loaded(shader))}),
                false, 0);
    bench.tick(0);
  }
  void measure(const std::string& hash, double ns, bool pass = true) {
    Record run;
    run.problem = bench.request.selection.problem;
    run.variant = "mine";
    run.config = bench.request.selection.config;
    run.environment.device = device();
    run.environment.shader_hash = hash;
    const Record r = make_record(run);
    Verdict v;
    v.pass = pass;
    v.reason = pass ? "" : "it is wrong";
    bench.apply(heard(RunStarted{bench.request.selection, bench.request.modes}), false, 0);
    bench.apply(heard(RunEvent{bench.request.selection, RunBegan{std::make_shared<const Record>(r)}}), false, 0);
    bench.apply(heard(RunEvent{bench.request.selection, v}), false, 0);
    if (pass) bench.apply(heard(RunEvent{bench.request.selection, SampleBatch{std::vector<double>(40, ns)}}), false, 0);
    bench.tick(0);
  }
  void end(const std::string& hash, Outcome outcome = Outcome::cancelled, const std::string& why = "") {
    Record r = *bench.live.newest.began;
    r.environment.shader_hash = hash;
    conclude(r, outcome, why);
    bench.apply(heard(RunEnded{bench.request.selection, r}), false, 0);
    bench.tick(0);
  }
};

TEST(EditedVariant, ShowsNoNumberOfAnotherVersionFromTheSaveOn) {
  Bench b;
  b.measure("h1", 1000);
  ASSERT_TRUE(b.bench.live.timed());
  b.bench.editor.changing.insert("mine");
  EXPECT_FALSE(b.bench.live.shown()) << "what is on disk is no more what was measured";
  b.bench.sources_changed({"mine"});
  const uint64_t sources = b.bench.request_of(0)->sources;
  EXPECT_EQ(sources, 1u);
  b.end("h1");
  b.load("two", "h1", 0);
  EXPECT_FALSE(b.bench.live.shown()) << "that was an older reading";
  b.load("syntax error", "", sources, "mine/a.comp:1: 'x' : undeclared");
  EXPECT_FALSE(b.bench.live.shown());
  EXPECT_FALSE(b.bench.request_of(0)->selection) << "nothing of it is dispatched";
  ASSERT_EQ(b.bench.editor.errors("mine").size(), 1u);
  EXPECT_EQ(b.bench.views.versions.value().current(), nullptr);
  ASSERT_TRUE(b.bench.views.versions.value().before());
  EXPECT_EQ(b.bench.views.versions.value().before()->number, 1) << "the last good one, by its number";
  EXPECT_EQ(b.bench.views.versions.value().before()->record->statistics->median, 1000);
  b.bench.sources_changed({"mine"});
  b.load("three", "h3", 2);
  EXPECT_FALSE(b.bench.live.timed());
  b.measure("h3", 500);
  ASSERT_TRUE(b.bench.live.timed());
  EXPECT_EQ(b.bench.views.versions.value().current()->number, 2);
}

TEST(EditedVariant, TheLastGoodVersionPassesOverAWrongOne) {
  Bench b;
  b.measure("h1", 1000);
  b.end("h1");
  b.load("wrong", "h2", 0);
  b.measure("h2", 0, false);
  b.end("h2", Outcome::failed_verdict);
  b.load("three", "h3", 0);
  b.measure("h3", 500);
  ASSERT_TRUE(b.bench.views.versions.value().before());
  EXPECT_EQ(b.bench.views.versions.value().before()->hash, "h1");
  const auto job = b.bench.race_version("h1");
  ASSERT_TRUE(job && job->as<Job::Race>());
  EXPECT_EQ(job->as<Job::Race>()->first.files.at("a.comp"), "one");
  EXPECT_EQ(job->as<Job::Race>()->second.files.at("a.comp"), "three");
  EXPECT_TRUE(b.bench.jobs.runs(JobKind::versions));
  EXPECT_FALSE(b.bench.race_version("h1")) << "one at a time";
  b.bench.apply(heard(JobNews{.id = job->id, .over = true, .error = "It was cancelled."}), false, 0);
  EXPECT_FALSE(b.bench.jobs.runs(JobKind::versions));
}

TEST(EditedVariant, APinOfAnOlderVersionIsNamedByItsNumber) {
  Bench b;
  b.measure("h1", 1000);
  b.bench.pin();
  b.end("h1");
  b.load("two", "h2", 0);
  b.measure("h2", 900);
  b.bench.pin();
  b.bench.tick(10);
  EXPECT_TRUE(has(b.bench.name_of(b.bench.pins.all()[0]), "#1"));
  EXPECT_TRUE(has(b.bench.name_of(b.bench.pins.all()[1]), "#2"));
}

TEST(EditedVariant, ASaveElsewhereWaitsForASearchAndIsReadThen) {
  Bench b;
  b.bench.search.begin({.id = 7, .problem = b.bench.request.selection.problem}, 0);
  if (!b.bench.search.measuring()) GTEST_SKIP();
  b.bench.sources_changed({"other"});
  EXPECT_EQ(b.bench.request_of(0)->sources, 0u);
  b.bench.apply(heard(SearchNews{7, SearchEnded{"", nullptr}}), false, 0);
  b.bench.tick(1);
  EXPECT_EQ(b.bench.request_of(0)->sources, 1u);
}

}  // namespace attnscope::gui::editor_test
