// The frame around the panels: what is news for how long, that commands, keys and layouts name each other, settings,
// scripts, and the entry in a desktop's menu.

#include "app/gui/panels/panel.hpp"
#include "app/gui/shell/commands.hpp"
#include "app/gui/shell/settings.hpp"
#include "app/gui/testing/script.hpp"
#include "tests/gui/desktop.hpp"

namespace attnscope::gui::shell_test {

TEST(MessagesLogTest, WhatFinishedIsNewsForSecondsAndStaysInTheLog) {
  MessagesLog log;
  log.now = 0, log.say(Level::info, "Opened a device.");
  EXPECT_EQ(log.news(0), nullptr) << "nothing finished";
  log.now = 1, log.say(Level::good, "The search is done.", "map");
  EXPECT_EQ(log.news(6)->panel, "map");
  EXPECT_EQ(log.news(8), nullptr);
  log.now = 8, log.say(Level::warning, "It throttles.");
  EXPECT_TRUE(log.news(20));
  log.now = 21, log.say(Level::info, "Opened another.");
  EXPECT_EQ(log.news(21)->text, "It throttles.") << "what is no news hides none";
  EXPECT_EQ(log.news(28), nullptr);
  EXPECT_EQ(log.lines().size(), 4u);
  for (int i = 0; i < 2; ++i) log.now = 30, log.say(Level::error, "It is wrong.", "timing");
  EXPECT_EQ(log.news(31)->panel, "timing");
  log.settle("timing");
  EXPECT_EQ(log.news(31), nullptr) << "not so any more";
  EXPECT_EQ(log.lines().size(), 5u);
  for (const char* about : {"tiled", "naive"}) log.now = 40, log.say(Level::error, about, "editor", about);
  log.settle("editor", "tiled");
  EXPECT_EQ(log.news(41)->about, "naive") << "the other is wrong still";
}

TEST(Commands, AreNamedOnceAndNoTwoHaveTheSameKeys) {
  std::set<std::string> ids, keys;
  for (const Command& c : fixed_commands()) {
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_FALSE(c.title.empty());
    EXPECT_TRUE(c.run) << c.id;
    for (const Chord& chord : c.chords) {
      const std::string text = std::to_string(int(chord.key)) + (chord.ctrl ? "c" : "") + (chord.shift ? "s" : "");
      EXPECT_TRUE(keys.insert(text).second) << c.id << " has the keys of another";
    }
  }
}

struct Kept {
  Workbench bench{GuiOptions{}};
  Layout layout;
  WindowSize window;
  Result<std::string> read(const std::string& text) { return settings_from(text, bench, layout, window); }
};

TEST(SettingsOfTheLayout, GoToAFileAndBack) {
  Kept was, is;
  was.layout.panels = default_layout();
  move_to_group(was.layout.panels, "why", "timing");
  ASSERT_TRUE(close(was.layout.panels, "log"));
  was.layout.theme = Theme::light;
  was.layout.zoom = 1.2f;
  was.layout.welcomed = true;
  was.layout.steps_done = {true, false, true, false, false};
  was.window = {1280, 800};
  was.bench.jobs.scaling.axis = ScaleAxis::kv;
  was.bench.jobs.scaling.chosen = {16, 48, 512};
  was.bench.jobs.scaling.log = false;
  const std::string path = testing::TempDir() + "attnscope-settings.json";
  ASSERT_TRUE(write_settings(path, settings_text(was.bench, was.layout, was.window)));
  EXPECT_EQ(load_settings(path, is.bench, is.layout, is.window), "");
  EXPECT_EQ(is.bench.jobs.scaling.axis, ScaleAxis::kv);
  EXPECT_EQ(is.bench.jobs.scaling.chosen, (std::vector<uint32_t>{16, 48, 512}));
  EXPECT_FALSE(is.bench.jobs.scaling.log);
  EXPECT_EQ(is.layout.panels, was.layout.panels);
  EXPECT_EQ(is.layout.theme, Theme::light);
  EXPECT_FLOAT_EQ(is.layout.zoom, 1.2f);
  EXPECT_TRUE(is.layout.welcomed);
  EXPECT_EQ(is.layout.steps_done, was.layout.steps_done);
}

TEST(SettingsOfWhatIsAsked, WhatCannotBeIsToldAndTheRestIsTaken) {
  Kept k;
  const std::string start = to_text(k.bench.request.selection.problem);
  const auto note = must(k.read(
      R"({"problem": "banana", "problems": ["1x1x8x16", "kiwi"], "scaling": {"axis": "x", "values": "16, x"},
          "width": 2147483647, "height": 400, "bottom": 1e300, "left": -5, "theme": "light", "zoom": 99,
          "layout": {"columns": 3}})"));
  EXPECT_TRUE(has(*note, "another problem is shown (problem 'banana'", "left out (problem 'kiwi'", "values of Scaling",
                  "so it is the default", "zoom was 99 and is 3", "width was 2.14748e+09 and is 8192"));
  EXPECT_EQ(to_text(k.bench.request.selection.problem), start);
  EXPECT_EQ(k.bench.jobs.problems.all().size(), 1u);
  EXPECT_TRUE(panels_of(k.layout.panels).empty()) << "the first frame makes it the default";
  EXPECT_EQ(k.layout.theme, Theme::light);
}

TEST(SettingsOfWhatIsAsked, AConfigThatWasKeptIsOfItsVariantAlone) {
  for (const auto& [named, kept] : {std::pair("tiled", true), {"mine", false}, {"auto", false}}) {
    Kept k;
    ASSERT_TRUE(k.read(R"({"variant": "tiled", "config": {"CAST_P": 1}})"));
    k.bench.request.variant_was_chosen(named);  // by --variant
    EXPECT_EQ(k.bench.request.config_to_keep() != nullptr, kept) << named;
  }
}

TEST(SettingsOfWhatIsAsked, ADeviceThatIsGoneIsToldOnceHoweverOftenItWasLookedFor) {
  Kept k;
  ASSERT_TRUE(k.read(R"({"device": "GPU of yesterday"})"));
  EXPECT_EQ(k.bench.request.device, "GPU of yesterday");
  const DeviceEvent heard{0, Failed{"open", bad_input("No device matches \"GPU of yesterday\"."), {}}};
  for (int i = 0; i < 2; ++i) k.bench.apply(heard, false, 0);
  EXPECT_EQ(k.bench.request.device, "");
  EXPECT_EQ(k.bench.device_state.device_failure, "") << "the default's is still to come";
  EXPECT_TRUE(has(only(k.bench.messages.lines()).text, "the default one is taken"));
}

TEST(Script, ReadsActionsSkipsCommentsAndNamesTheLineOfAMistakeAndWhatIsAllowed) {
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_TRUE(fails(parse_script(text), part)) << text;
  };
  for (const auto& [text, part] : {std::pair{"pin\nfly away", "line 2: there is no action 'fly'"},
                                   {"set BLOCK_M", "PARAMETER VALUE"},
                                   {"wait forever", "samples"},
                                   {"wait samples", "one number"},
                                   {"cache warm", "hot|cold"},
                                   {"scroll timing.plot", "WIDGET STEPS"},
                                   {"hover timing.plot 4", "whole numbers"},
                                   {"drag timing.plot nan 4", "whole numbers"},
                                   {"quit now", "takes nothing"},
                                   {"quit timeout=3", "timeout="}})
    says(text, part);
  for (const char* steps : {"up", "1.5", "-", "99999"})
    says(std::string("scroll timing.plot ") + steps, "whole numbers");
  for (const char* number : {"lots", "nan", "inf", "1e300", "-1", "0x10", "3,5"}) {
    says(std::string("wait seconds ") + number, "one number");
    says(std::string("wait ready timeout=") + number, "takes seconds");
  }
  EXPECT_TRUE(parse_script("scroll timing.plot -3\nhover timing.plot 4 -5\ndouble-click timing.plot\n"));
  EXPECT_TRUE(fails(read_script("/nonexistent/script.txt"), ErrorKind::bad_input, "/nonexistent/script.txt"));
  const auto script = must(
      parse_script("# a comment\n\nproblem 1x4x32x32\n  wait samples 20 timeout=5\ndump s.json every=0.2\nquit\n"));
  ASSERT_EQ(script->size(), 4u);
  EXPECT_EQ((*script)[0].line, 3);
  EXPECT_EQ((*script)[0].words, std::vector<std::string>{"1x4x32x32"});
  EXPECT_EQ((*script)[1].timeout_s, 5);
  EXPECT_EQ((*script)[2].every_s, 0.2);
  // A text is taken as it stands.
  const auto texts =
      must(parse_script("beside  sh -c 'echo  two   spaces; X timeout=3'  \ntype a  b\ncommand layout.explain\n"));
  EXPECT_EQ((*texts)[0].rest, "sh -c 'echo  two   spaces; X timeout=3'");
  EXPECT_EQ((*texts)[1].rest, "a  b");
  EXPECT_EQ((*texts)[2].rest, "layout.explain");
}

std::string names(const std::vector<ProblemPreset>& presets, bool software) {
  std::string out;
  for (const ProblemPreset* p : in_order(presets, software)) out += p->name + " ";
  return out;
}

TEST(PresetOrder, WhatSuitsTheDeviceComesFirstAndTheRestStaysAsItIs) {
  const std::vector<ProblemPreset> presets = {{"battery", "", {}},   {"long", "", {}},           {"quick", "", {}},
                                              {"start-gpu", "", {}}, {"start-software", "", {}}, {"zoo", "", {}}};
  EXPECT_EQ(names(presets, true), "start-software quick battery long start-gpu zoo ");
  EXPECT_EQ(names(presets, false), "start-gpu quick battery long start-software zoo ");
  EXPECT_EQ(names({{"mine", "", {}}}, true), "mine ");
}

TEST(PresetOrder, WordsNarrowTheListByTextNameAndSummary) {
  const std::vector<ProblemPreset> presets = {
      {"decode", "One new query", {*parse_problem("1x8x4096x64:q=1:f16"), *parse_problem("4x8x4096x128:q=1:f32")}},
      {"long", "Long sequences", {*parse_problem("1x8x65536x64:causal:f16")}}};
  const auto all = in_order(presets, true);
  const auto found = [&](const char* words) {
    std::string out;
    for (const PresetRow& row : find_presets(all, words)) out += fmt::format("{}.{} ", row.preset->name, row.problem);
    return out;
  };
  EXPECT_EQ(found(""), "decode.0 decode.1 long.0 ");
  EXPECT_EQ(found("F16"), "decode.0 long.0 ");
  EXPECT_EQ(found("new  f32"), "decode.1 ") << "of the summary, and of its own text";
  EXPECT_EQ(found("Long"), "long.0 ");
  EXPECT_EQ(found("causal f32"), "");
}

TEST(DesktopEntry, NamesTheProgramItsIconAndItsWindow) {
  const fs::path source = ATTNSCOPE_SOURCE_DIR;
  const std::vector<std::string> lines = lines_of(read_file(source / "assets" / "desktop" / "attnscope.desktop"));
  std::map<std::string, std::string> entry;
  EXPECT_EQ(lines.at(0), "[Desktop Entry]");
  for (const std::string& line : lines)
    if (const size_t at = line.find('='); at != std::string::npos) entry[line.substr(0, at)] = line.substr(at + 1);
  EXPECT_EQ(entry["Type"], "Application");
  EXPECT_EQ(entry["Exec"], fs::path(ATTNSCOPE_EXECUTABLE).filename());
  EXPECT_TRUE(fs::exists(source / "assets" / "icons" / (entry["Icon"] + ".svg"))) << entry["Icon"];
  EXPECT_TRUE(entry["Categories"].ends_with(";")) << "a list";
  // The window's own class, so that a desktop shows it under this entry.
  const std::string window = read_file(source / "app" / "gui" / "shell" / "window.cpp");
  EXPECT_TRUE(has(window, "GLFW_X11_CLASS_NAME, \"" + entry["StartupWMClass"] + "\""));
  const std::string desktop = (source / "assets" / "desktop").string();
  const auto accepts = [](const char* program, const std::string& arguments) {
    return !in_path(program) || std::system((program + (" " + arguments)).c_str()) == 0;
  };
  EXPECT_TRUE(accepts("desktop-file-validate", desktop + "/attnscope.desktop"));
  EXPECT_TRUE(accepts("appstreamcli", "validate --no-net " + desktop + "/*.metainfo.xml"));
}

}  // namespace attnscope::gui::shell_test
