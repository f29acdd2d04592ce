// The real window on a display of its own, driven by real events; measured by real workers on the software device.

#include "tests/gui/desktop.hpp"

namespace attnscope::gui::window_test {

struct Window : DesktopTest {
  std::string problem = "1x4x64x32";

  void open(const std::string& script, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--problem", problem, "--variant", "tiled"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    open_window(script, arguments);
  }
};

TEST_F(Window, ADragWithTheMouseChangesBlockMWhichIsVerifiedAndSampledAnew) {
  open("dump state.json every=0.2\n");
  const json before = see([](const json& s) { return sampled(s, 20); });
  const int was = before["ask"]["config"]["BLOCK_M"], wanted = another_block_m(before);
  ASSERT_NE(wanted, 0);
  const std::string from = at(before, "param.BLOCK_M." + std::to_string(was)),
                    to = at(before, "param.BLOCK_M." + std::to_string(wanted));
  hand("mousemove " + from + " sleep 0.3 mousedown 1 sleep 0.3 mousemove " + to + " sleep 0.3 mouseup 1");
  const json after = see([&](const json& s) {
    return s["ask"]["config"]["BLOCK_M"] == wanted && s["live"]["config"]["BLOCK_M"] == wanted && sampled(s, 20);
  });
  EXPECT_EQ(after["live"]["verdict"]["pass"], true);
  EXPECT_EQ(after["log"].size(), 1u) << "the config before went into the session log";

  hand("key ctrl+shift+s");
  const fs::path picture = dir / "attnscope-window.png";
  EXPECT_TRUE(soon([&] { return fs::exists(picture) && fs::file_size(picture) > 20000; }));
  click("param.BLOCK_M." + std::to_string(was));
  EXPECT_FALSE(until([&](const json& s) { return s["ask"]["config"]["BLOCK_M"] == was; }).is_null());
  hand("keydown ctrl keydown z sleep 3 keyup z keyup ctrl");
  EXPECT_FALSE(until([&](const json& s) { return s["can_undo"] == false; }).is_null()) << "held, it undoes all";
  quit();
}

TEST_F(Window, WhatIsTypedTakesEffectByTabByAClickElsewhereAndHoweverFastOneTypes) {
  open("measure off\ndump state.json every=0.2\n");
  const json first =
      see([](const json& s) { return s["widgets"].contains("problem.presets") && s["variants_known"] == true; });
  const std::string open_fields = "mousemove " + at(first, "problem.presets") + " click 1";
  hand(open_fields);
  const json before = see([](const json& s) { return s["widgets"].contains("problem.seq"); });
  hand("mousemove " + at(before, "problem.seq") + " click 1 sleep 0.3 key ctrl+a type 96");
  hand("sleep 0.3 key Tab");
  EXPECT_FALSE(until([](const json& s) { return s["ask"]["problem"] == "1x4x96x32:q=64:f32"; }).is_null())
      << state()["ask"];
  hand("mousemove " + at(before, "problem.q") + " click 1 sleep 0.3 key ctrl+a type 48");
  hand("sleep 0.3 mousemove " + at(before, "config.default") + " click 1");
  EXPECT_FALSE(until([](const json& s) { return s["ask"]["problem"] == "1x4x96x32:q=48:f32"; }).is_null())
      << state()["ask"];
  see([](const json& s) { return !s["widgets"].contains("problem.seq"); });
  for (const int seq : {40, 56, 72}) {
    const std::string text = "1x4x" + std::to_string(seq) + "x32:f32";
    hand("mousemove " + at(before, "problem.text") + " click 1 sleep 0.2 key --delay 1 ctrl+a type --delay 1 " + text);
    hand("key --delay 1 Return");
    see([&](const json& s) { return s["ask"]["problem"] == text; }, 15);
  }
  hand("key --delay 1 ctrl+p type --delay 1 naive");
  hand("key --delay 1 Return");
  see([&](const json& s) { return s["ask"]["variant"] == "naive"; }, 15);
  hand(open_fields);
  see([](const json& s) { return s["widgets"].contains("problem.seq"); });
  hand("mousemove " + at(before, "problem.q") + " click 1 sleep 0.3 key ctrl+a type 7");
  hand("sleep 0.3 key Escape sleep 0.3 key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
  EXPECT_EQ(state()["ask"]["problem"], "1x4x72x32:f32") << "Escape takes an edit back";
}

TEST_F(Window, ASignalOrAServerThatGoesAwayIsNoFailedVerdictAndCostsNoPins) {
  for (const bool by_signal : {true, false}) {
    SCOPED_TRACE(by_signal);
    fs::remove(dir / "state.json");
    fs::remove(dir / "window.session.json");
    open("wait samples 20 timeout=90\npin\ndump state.json every=0.05\nwait seconds 300 timeout=400\n",
         {"--settings", (dir / "window.json").string()});
    see([](const json& s) { return s["pins"].size() == 1; });
    by_signal ? void(::kill(window->pid(), SIGHUP)) : display.reset();
    EXPECT_EQ(window->wait(30), by_signal ? 130 : 4) << said();
    EXPECT_EQ(read_json(dir / "window.session.json")["pins"].size(), 1u) << said();
  }
  EXPECT_TRUE(has(said(), "The display went away"));
}

TEST_F(Window, WithoutADisplayItSaysWhatToDoInstead) {
  for (const auto& [x11, wayland, told] :
       {std::tuple{":nosuch", "", "attnscope screenshot"}, {"", "nosuch", "Wayland"}}) {
    start({"--settings", "-"}, {{"DISPLAY", x11}, {"WAYLAND_DISPLAY", wayland}});
    EXPECT_EQ(window->wait(30), 3) << said();
    EXPECT_TRUE(has(said(), told));
  }
}

/// Lines of trials in the journals of a folder.
size_t kept_trials(const fs::path& data) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(data / "attnscope" / "trials"))
    for (const std::string& line : lines_of(read_file(entry.path())))
      count += line.find("\"outcome\"") != std::string::npos;
  return count;
}

TEST_F(Window, ClosedInASweepItHasTheMapBackAndGoesOnFromThere) {
  problem = "1x2x16x16";
  const std::vector<std::string> settings = {"--settings", (dir / "window.json").string()};
  open("dump state.json every=0.2\n", settings);
  see([](const json& s) { return sampled(s, 10); });
  hand("key p");
  see([](const json& s) { return s["pins"].size() == 1; });
  hand("key s");
  see([&](const json& s) {
    // Written every few seconds, so that this is not a matter of luck.
    const json session = read_json(dir / "window.session.json");
    return s["search"]["trials"] >= 5 && session.is_object() && session["pins"].size() == 1;
  });
  // As a crash would end it.
  ASSERT_EQ(::kill(window->pid(), SIGKILL), 0);
  EXPECT_EQ(window->wait(20), 128 + SIGKILL);
  const size_t kept = kept_trials(dir / "data");
  EXPECT_GE(kept, 5u);

  fs::remove(dir / "state.json");
  open("tab map\ndump state.json every=0.2\n", settings);
  const json back = see([&](const json& s) { return s["search"]["recalled"] == kept && !s["search"]["running"]; });
  EXPECT_TRUE(contains(back["sweep_map"]["cells"], json{{"state", "measured"}})) << "before anything is measured";
  EXPECT_GT(only(back["pins"])["samples"], 0) << "with its samples";
  hand("key s");
  const json on = see([&](const json& s) { return s["search"]["trials"] > kept; });
  EXPECT_EQ(on["search"]["recalled"], kept) << "what was tried is not tried again";
  quit();
  std::ofstream(dir / "window.session.json") << "{\"schema\": 1, \"pins\": [";
  open("measure off\nwait ready\ndump state.json\nquit\n", settings);
  ASSERT_EQ(window->wait(120), 0) << said();
  EXPECT_TRUE(state()["pins"].empty());
  EXPECT_TRUE(fs::exists(dir / "window.session.json.aside-1")) << "set aside, not lost and not in the way";
}

}  // namespace attnscope::gui::window_test
