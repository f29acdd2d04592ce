// Two devices at once in the real window: two local workers, one of which is killed.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

constexpr double kPatience = 120;  ///< seconds for anything that a loaded machine has to get done

class DevicesWindow : public testing::Test {
 protected:
  fs::path dir;
  std::unique_ptr<Display> display;
  std::unique_ptr<Child> window;

  void SetUp() override {
    for (const char* needed : {"Xvfb", "xdotool"})
      if (!in_path(needed)) GTEST_SKIP() << needed << " is not installed";
    dir = fs::temp_directory_path() / ("attnscope-devices-" + std::to_string(::getpid()) + "-" +
                                       testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir);
    display = std::make_unique<Display>(dir);
    ASSERT_FALSE(display->name().empty()) << read_file(dir / "xvfb.log");
  }
  void TearDown() override {
    window.reset();
    display.reset();
    if (!HasFailure() && !dir.empty()) fs::remove_all(dir);
  }
  void open(const std::string& script) {
    std::ofstream(dir / "script.txt") << script;
    fs::remove(dir / "state.json");
    window = std::make_unique<Child>(
        std::vector<std::string>{ATTNSCOPE_EXECUTABLE, "--device", "cpu", "--problem", "1x2x64x32", "--variant",
                                 "tiled", "--settings", (dir / "window.json").string(), "--script",
                                 (dir / "script.txt").string()},
        std::vector<std::pair<std::string, std::string>>{{"DISPLAY", display->name()},
                                                         {"XDG_CACHE_HOME", (dir / "cache").string()},
                                                         {"XDG_DATA_HOME", (dir / "data").string()}},
        dir, dir / "window.log");
  }
  std::string said() { return read_file(dir / "window.log"); }
  json state() { return read_json(dir / "state.json"); }
  json until(const std::function<bool(const json&)>& wanted) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    while (std::chrono::steady_clock::now() < limit && window->wait(0) == -1) {
      const json s = state();
      if (s.is_object() && wanted(s)) return s;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
  }
  void hand(const std::string& events) {
    const std::string command = "DISPLAY=" + display->name() + " timeout 20 xdotool " + events;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  /// Once the widget is on screen and stays where it is.
  void click(const std::string& widget) {
    json last;
    const json s = until([&](const json& now) {
      if (!now["widgets"].contains(widget) || now["widgets"][widget]["enabled"] != true) return false;
      const json seen = {now["widgets"][widget], now["frames"]["count"]};
      const bool still = last.is_array() && last[0] == seen[0] && last[1] != seen[1];
      last = seen;
      return still;
    });
    ASSERT_FALSE(s.is_null()) << widget << " is not on screen. " << said();
    const json& w = s["widgets"][widget];
    hand("mousemove " + std::to_string(int(w["x"].get<double>() + w["w"].get<double>() / 2)) + " " +
         std::to_string(int(w["y"].get<double>() + w["h"].get<double>() / 2)) +
         " sleep 0.3 mousedown 1 sleep 0.2 mouseup 1");
  }
  static const json& row(const json& s, size_t i) { return s["beside"]["devices"][i]; }
  static bool listed(const json& s, size_t count) {
    return s["beside"].is_object() && s["beside"]["devices"].size() == count;
  }
  static bool compared(const json& s, size_t i) {
    return s["beside"].is_object() && s["beside"]["devices"].size() > i && row(s, i)["reading"].is_object() &&
           row(s, i)["reading"].contains("ratio");
  }
};

TEST_F(DevicesWindow, ASecondWorkerMeasuresTheSameAndEitherMayDie) {
  open("dump state.json every=0.2\ntab devices\nwait samples 20 timeout=120\nbeside sh -c 'exec " ATTNSCOPE_EXECUTABLE
       " worker'\n");
  json s = until([](const json& j) { return compared(j, 0); });
  ASSERT_FALSE(s.is_null()) << said() << state()["beside"];
  EXPECT_EQ(row(s, 0)["reading"]["config"], s["beside"]["first"]["config"]) << "the very same config";
  EXPECT_EQ(row(s, 0)["reading"]["problem"], s["beside"]["first"]["problem"]);
  EXPECT_GT(row(s, 0)["reading"]["ratio"], 0);
  EXPECT_NE(row(s, 0)["reading"]["word"], "");
  EXPECT_FALSE(row(s, 0)["device"].get<std::string>().empty());
  ASSERT_EQ(s["beside"]["notes"].size(), 1u) << "both are the CPU of this machine";
  EXPECT_NE(s["beside"]["notes"][0].get<std::string>().find("disturb"), std::string::npos);

  // Another config: both leave the one before.
  click("config.v2");
  s = until([](const json& j) {
    return compared(j, 0) && row(j, 0)["reading"]["config"]["THREAD_N"] == 2 && j["beside"]["first"].is_object() &&
           j["beside"]["first"]["config"] == row(j, 0)["reading"]["config"];
  });
  ASSERT_FALSE(s.is_null()) << said() << state()["ask"] << state()["beside"];

  // The second one dies: that is said at it alone. The program's own worker was started first.
  std::vector<pid_t> workers = children_of(window->pid(), "worker");
  ASSERT_EQ(workers.size(), 2u);
  ASSERT_EQ(::kill(*std::max_element(workers.begin(), workers.end()), SIGKILL), 0);
  s = until([](const json& j) { return listed(j, 1) && row(j, 0)["state"] == "lost"; });
  ASSERT_FALSE(s.is_null()) << said() << state()["beside"];
  EXPECT_NE(row(s, 0)["why"].get<std::string>().find("signal 9"), std::string::npos) << row(s, 0);
  EXPECT_TRUE(row(s, 0)["reading"].is_null()) << "what was lost shows no number";
  EXPECT_EQ(s["live"]["failure"], "");
  const int samples = s["live"]["samples"];
  EXPECT_FALSE(until([&](const json& j) { return j["live"]["samples"] > samples + 20; }).is_null())
      << "the first goes on. " << said();
  click("devices.1.again");
  ASSERT_FALSE(until([](const json& j) { return compared(j, 0); }).is_null()) << said() << state()["beside"];

  // One that is no worker at all.
  click("devices.command");
  hand("type --delay 60 no-such-worker");
  hand("key Return");
  s = until([](const json& j) { return listed(j, 2) && row(j, 1)["state"] == "not reached" && compared(j, 0); });
  ASSERT_FALSE(s.is_null()) << said() << state()["beside"];
  EXPECT_NE(row(s, 1)["why"].get<std::string>().find("no-such-worker"), std::string::npos) << row(s, 1);
  // The mouse is over the panel: it fills the window, so that all rows are in view.
  hand("key F11");
  ASSERT_FALSE(until([](const json& j) { return j["layout"]["full"] == "devices"; }).is_null()) << said();
  click("devices.2.remove");
  ASSERT_FALSE(until([](const json& j) { return listed(j, 1); }).is_null()) << said();
  hand("key ctrl+q");
  ASSERT_EQ(window->wait(30), 0) << said();

  // The next start lists it, and starts nothing until asked.
  open("dump state.json every=0.2\nwait samples 20 timeout=120\n");
  s = until([](const json& j) { return listed(j, 1) && j["live"]["samples"] >= 20; });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_EQ(row(s, 0)["state"], "disconnected");
  EXPECT_EQ(children_of(window->pid(), "worker").size(), 1u);
  click("devices.1.connect");
  ASSERT_FALSE(until([](const json& j) { return compared(j, 0); }).is_null()) << said() << state()["beside"];
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
}

}  // namespace
}  // namespace attnscope::gui
