// The panels Scaling and Correctness of the real window, by mouse and keyboard, measured on the software device.
#include <memory>

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

constexpr double kPatience = 120;  ///< seconds for anything that a loaded machine has to get done

class ScalingWindow : public testing::Test {
 protected:
  fs::path dir;
  std::unique_ptr<Display> display;
  std::unique_ptr<Child> window;

  void SetUp() override {
    for (const char* needed : {"Xvfb", "xdotool"})
      if (!in_path(needed)) GTEST_SKIP() << needed << " is not installed";
    dir = fs::temp_directory_path() / ("attnscope-scaling-" + std::to_string(::getpid()) + "-" +
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
  void open(const std::string& script, const std::vector<std::string>& more) {
    std::ofstream(dir / "script.txt") << script;
    std::vector<std::string> argv = {ATTNSCOPE_EXECUTABLE,         "--device", "cpu", "--settings", "-", "--script",
                                     (dir / "script.txt").string()};
    argv.insert(argv.end(), more.begin(), more.end());
    window = std::make_unique<Child>(
        argv,
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
  /// A widget that is on screen and stays where it is: what a click leads to may still move it.
  json shows(const std::string& widget) {
    json last;
    return until([&](const json& s) {
      if (!s["widgets"].contains(widget) || s["widgets"][widget]["enabled"] != true) return false;
      const json now = {s["widgets"][widget], s["frames"]["count"]};
      const bool still = last.is_array() && last[0] == now[0] && last[1] != now[1];
      last = now;
      return still;
    });
  }
  void hand(const std::string& events) {
    const std::string command = "DISPLAY=" + display->name() + " timeout 20 xdotool " + events;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void click(const std::string& widget) {
    const json s = shows(widget);
    ASSERT_FALSE(s.is_null()) << widget << " is not on screen. " << said();
    const json& w = s["widgets"][widget];
    hand("mousemove " + std::to_string(int(w["x"].get<double>() + w["w"].get<double>() / 2)) + " " +
         std::to_string(int(w["y"].get<double>() + w["h"].get<double>() / 2)) +
         " sleep 0.3 mousedown 1 sleep 0.2 mouseup 1");
  }
  static int measured(const json& s, const std::string& id) {
    int count = 0;
    for (const json& curve : s["scaling"]["curves"])
      for (const json& p : curve["points"]) count += curve["id"] == id && p["state"] == "measured";
    return count;
  }
};

TEST_F(ScalingWindow, PointsAreMeasuredAlongAnAxisAndAFileStandsBesideThem) {
  open("wait samples 20 timeout=120\nexport base.json\ndump state.json every=0.2\n",
       {"--problem", "1x2x32x32", "--variant", "tiled"});
  click("tab.scaling");
  click("scaling.values");
  hand("sleep 0.3 key ctrl+a type '16, 32, 48'");
  hand("sleep 0.3 key Return");
  json s = until([](const json& j) {
    return j["scaling"]["curves"].size() == 1 && j["scaling"]["curves"][0]["points"].size() == 3;
  });
  ASSERT_FALSE(s.is_null()) << said() << state()["scaling"];
  EXPECT_EQ(s["scaling"]["axis"], "seq");
  click("scaling.measure");
  s = until([](const json& j) { return measured(j, "live") == 3 && j["scaling"]["running"] == false; });
  ASSERT_FALSE(s.is_null()) << said() << state()["scaling"];
  EXPECT_EQ(s["scaling"]["due"], 0);
  EXPECT_EQ(s["scaling"]["curves"][0]["points"][2]["problem"], "1x2x48x32:f32");
  click("scaling.baseline");
  hand("sleep 0.3 type base.json");
  hand("sleep 0.3 key Return");
  s = until([](const json& j) { return j["scaling"]["baseline"] != "" && measured(j, "file0") == 1; });
  ASSERT_FALSE(s.is_null()) << said() << state()["scaling"];
  click("scaling.axis.head_dim");
  s = until([](const json& j) { return j["scaling"]["axis"] == "head_dim"; });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_EQ(measured(s, "live"), 1) << "of the head dim that is shown alone";
  // The point leads to its problem.
  click("scaling.axis.seq");
  click("scaling.values");
  hand("sleep 0.3 key ctrl+a type '16, 32, 48'");
  hand("sleep 0.3 key Return");
  click("scaling.point.live.48");
  s = until([](const json& j) { return j["ask"]["problem"] == "1x2x48x32:f32"; });
  EXPECT_FALSE(s.is_null()) << state()["ask"];
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
}

TEST_F(ScalingWindow, AWrongShadersFailingElementsAreShownAndSteppedThrough) {
  const fs::path folder = dir / "more" / "last_head";
  fs::create_directories(folder);
  fs::copy_file(fs::path(ATTNSCOPE_SOURCE_DIR) / "tests" / "wrong" / "wrong.comp", folder / "wrong.comp");
  std::ofstream(folder / "manifest.toml") << R"(
title = "Last head"
summary = "The last head is wrong."
dtypes = ["f32"]
[[pass]]
name = "work"
shader = "wrong.comp"
grid = ["seq_q", "batch * heads_q"]
defines = { LAST_HEAD = 1 }
)";
  open("dump state.json every=0.2\n",
       {"--problem", "1x3x40x32", "--variant", "last_head", "--shaders", (dir / "more").string()});
  click("tab.correctness");
  // Nobody asked for it: a wrong result is looked at as soon as the panel is open.
  json s = until([](const json& j) { return j["correctness"].value("failing", 0) > 0; });
  ASSERT_FALSE(s.is_null()) << said() << state()["correctness"];
  EXPECT_EQ(s["correctness"]["head"], 2) << "the worst one";
  EXPECT_EQ(s["correctness"]["run"]["outcome"], "failed");
  EXPECT_EQ(s["correctness"]["first_of_all"]["head"], 2);
  EXPECT_EQ(s["correctness"]["element"], s["correctness"]["first_of_all"]);
  hand("key n");
  s = until([](const json& j) { return j["correctness"]["at"] == 1; });
  ASSERT_FALSE(s.is_null()) << state()["correctness"];
  click("correctness.previous");
  EXPECT_FALSE(until([](const json& j) { return j["correctness"]["at"] == 0; }).is_null());
  click("correctness.head.0.0");
  s = until([](const json& j) { return j["correctness"]["head"] == 0; });
  ASSERT_FALSE(s.is_null()) << said() << state()["correctness"];
  EXPECT_EQ(s["correctness"]["failing"], 0) << "the other heads are right";
  click("correctness.worst_head");
  EXPECT_FALSE(until([](const json& j) { return j["correctness"]["head"] == 2; }).is_null());
  // What was looked at is then verified again.
  s = until([](const json& j) { return j["live"].contains("verdict") && j["live"]["verdict"]["pass"] == false; });
  ASSERT_FALSE(s.is_null()) << said() << state()["live"];
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(30), 1) << "a scripted window that ends on a wrong result says so. " << said();
}

}  // namespace
}  // namespace attnscope::gui
