// Shaders edited in the real window and from outside it: it says what happened, with no number of another version.

#include "tests/gui/desktop.hpp"

namespace attnscope::gui::editor_window_test {

/// The shader with this before its result is stored.
std::string with(const std::string& more) {
  std::string text = documented("mine.comp");
  text.insert(text.find("    store4_o("), "    " + more + "\n");
  return text;
}

struct EditorWindow : DesktopTest {
  void SetUp() override {
    DesktopTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (const char* file : {"manifest.toml", "mine.comp"})
      write_file(dir / "more" / "mytile" / file, documented(file));
  }
  void open(const std::string& script = "") {
    open_window("dump state.json every=0.2\n" + script,
                {"--problem", "1x4x64x32", "--variant", "mytile", "--shaders", (dir / "more").string(), "--deadline",
                 "10", "--settings", (dir / "settings.json").string()});
  }
  std::string said() const { return DesktopTest::said() + state().dump(1).substr(0, 4000); }
  fs::path shader() const { return dir / "more" / "mytile" / "mine.comp"; }
  /// As most editors save: beside it, then renamed over it.
  void save_outside(const std::string& text) const {
    std::ofstream(dir / "more" / "mytile" / ".saved") << text;
    fs::rename(dir / "more" / "mytile" / ".saved", shader());
  }
  static bool correct(const json& s) {
    return s["live"]["current"] == true && s["live"]["samples"] >= 10 && s["live"].contains("verdict") &&
           s["live"]["verdict"]["pass"] == true && s["editor"]["versions"].is_array();
  }
  /// Line, from 1, and column in the shader.
  static json caret(const json& s) {
    for (const json& tab : s["editor"]["tabs"])
      if (tab["name"] == "mine.comp" && tab.contains("caret")) return tab["caret"];
    return {0, 0};
  }
  static int current_version(const json& s) {
    for (const json& v : s["editor"]["versions"])
      if (v["current"] == true) return v["number"];
    return 0;
  }
  static bool shows_a_time(const json& s) { return s["live"]["current"] == true && s["live"].contains("statistics"); }
};

TEST_F(EditorWindow, ASyntaxErrorAWrongResultAndAnEndlessLoopSavedOutsideLeaveTheWindowAndTheNextSaveWorks) {
  open("tab editor\ncommand layout.shader\n");
  json s = see([](const json& j) { return correct(j); });
  const std::string good = read_file(shader());
  EXPECT_EQ(current_version(s), 1);

  save_outside(good + "\nthis is no GLSL\n");
  s = see([](const json& j) { return !j["editor"]["errors"].empty(); });
  EXPECT_FALSE(shows_a_time(s)) << s["live"];
  s = see([](const json& j) { return j["verdict_word"] == "Not run"; });
  EXPECT_EQ(s["editor"]["errors"][0]["file"], "mine.comp");
  EXPECT_GT(s["editor"]["errors"][0]["line"], 10);
  EXPECT_EQ(current_version(s), 0);
  EXPECT_EQ(only(s["editor"]["versions"])["good"], true) << "what stays in view is called the last good version";

  save_outside(with("sum += 1.0;"));
  s = see([](const json& j) {
    return j["live"]["current"] == true && j["live"].contains("verdict") && j["live"]["verdict"]["pass"] == false;
  });
  EXPECT_FALSE(shows_a_time(s)) << s["live"];
  EXPECT_EQ(current_version(s), 2);

  // More work than anyone waits for; llvmpipe leaves every endless loop after 65,535 turns in all.
  save_outside(
      with("float x = sum.x; for (uint y = 0; y < 60000; ++y) [[unroll]] for (uint z = 0; z < 256; ++z) x = sin(x + "
           "float(y ^ z)); if (x > 2.0) return;"));
  s = see([](const json& j) { return j["live"]["current"] == true && j["live"]["failure"] != ""; }, 150);
  EXPECT_TRUE(has(s["live"]["failure"].get<std::string>(), "deadline")) << s["live"]["failure"];
  EXPECT_FALSE(shows_a_time(s)) << s["live"];
  EXPECT_EQ(current_version(s), 3);

  save_outside(good + "\n// again\n");
  s = see([](const json& j) { return correct(j) && current_version(j) == 4; });
  EXPECT_TRUE(shows_a_time(s));

  // The last good version against this one: they differ by a comment.
  const json& rows = s["editor"]["versions"];
  for (const json& v : rows) EXPECT_EQ(v["good"].get<bool>(), v["number"] == 1) << v;
  click("version.1.race");
  s = see([](const json& j) {
    return j["editor"].contains("before_after") && j["editor"]["before_after"]["running"] == false;
  });
  const json& race = s["editor"]["before_after"];
  ASSERT_TRUE(race.contains("word")) << race;
  EXPECT_EQ(race["before"], "#1");
  EXPECT_EQ(race["after"], "#4");
  // Afterwards the window goes on with what it showed.
  EXPECT_FALSE(until([](const json& j) { return correct(j) && current_version(j) == 4; }).is_null()) << said();
  quit();
}

TEST_F(EditorWindow, TypingInTheEditorAndCtrlSCompileVerifyAndMeasureAndErrorsStandAtTheirLine) {
  open("tab editor\ncommand full.editor\n");
  json s = see([](const json& j) { return correct(j) && j["widgets"].contains("editor.text"); });
  const std::string good = read_file(shader());
  click("editor.text");
  // What is typed after Ctrl+F is looked for and not written.
  hand("key ctrl+f");
  hand("type --delay 60 softmax_norm");
  hand("key Return");
  const auto norm = good.begin() + std::ptrdiff_t(good.find("softmax_norm"));
  s = see([&](const json& j) { return caret(j)[0] == std::count(good.begin(), norm, '\n') + 1; });
  EXPECT_TRUE(s["editor"]["unsaved"].empty()) << s["editor"]["unsaved"];
  hand("key Escape");
  click("editor.text");
  // Keys that lead to the same place however long a loaded machine holds them down.
  hand("key ctrl+End sleep 0.2 type --delay 60 'float a = oops;'");
  const auto last_line = std::count(good.begin(), good.end(), '\n') + 1;
  s = see([](const json& j) { return j["editor"]["unsaved"].size() == 1 && correct(j); });
  EXPECT_EQ(read_file(shader()), good) << "nothing is written before it is saved";
  EXPECT_EQ(s["paused"], false) << "keys are the text's";
  hand("key ctrl+s");
  s = see([](const json& j) { return !j["editor"]["errors"].empty(); });
  EXPECT_NE(read_file(shader()), good);
  EXPECT_FALSE(shows_a_time(s)) << s["live"];
  EXPECT_EQ(s["editor"]["errors"][0]["line"], last_line) << s["editor"]["errors"];
  EXPECT_FALSE(fs::exists(dir / "attnscope-window.png")) << "Ctrl+S in the text saves the text";
  click("editor.error.0");
  s = see([&](const json& j) { return caret(j) == json({last_line, 0}); });
  // It is taken back, and a comment is another version of the same shader.
  hand("key --delay 150 ctrl+z ctrl+z ctrl+z ctrl+z ctrl+z ctrl+z ctrl+z ctrl+z sleep 0.5");
  s = see([](const json& j) { return j["editor"]["unsaved"].size() == 1; });
  hand("key ctrl+End sleep 0.3 type --delay 60 '// x'");
  hand("sleep 0.3 key ctrl+s");
  s = see([](const json& j) { return correct(j) && current_version(j) == 2; });
  EXPECT_EQ(read_file(shader()), good + "// x");
  click("editor.text");
  hand("key ctrl+End sleep 0.3 type --delay 60 y");
  s = see([](const json& j) { return j["editor"]["unsaved"].size() == 1; });
  // Unsaved edits are kept over the end of the window.
  hand("key Escape sleep 0.5 key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
  const json kept = read_json(dir / "settings.session.json");
  ASSERT_TRUE(kept.is_object());
  EXPECT_EQ(only(kept["unsaved"])["text"], good + "// xy");
  fs::remove(dir / "state.json");
  open("tab editor\ncommand full.editor\n");
  see([](const json& j) { return correct(j) && j["editor"]["unsaved"].size() == 1; });
}

TEST_F(EditorWindow, ANewVariantFromThisOneIsCopiedAndTaken) {
  open("tab editor\n");
  json s = see([](const json& j) { return correct(j) && j["widgets"].contains("editor.new"); });
  click("editor.new");
  s = see([](const json& j) { return j["widgets"].contains("editor.name"); });
  hand("type --delay 60 'mine2'");
  click("editor.create");
  s = see([](const json& j) { return correct(j) && j["live"]["variant"] == "mine2"; });
  EXPECT_TRUE(fs::exists(dir / "more" / "mine2" / "manifest.toml")) << "beside the folder of --shaders";
  EXPECT_EQ(s["ask"]["variant"], "mine2");
}

}  // namespace attnscope::gui::editor_window_test
