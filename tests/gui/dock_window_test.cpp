// The real window on a display of its own: a tab dragged with the mouse, a command found with the keyboard.
#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

constexpr double kPatience = 90;  ///< seconds for anything that a loaded machine has to get done

class DockWindow : public testing::Test {
 protected:
  fs::path dir;
  std::unique_ptr<Display> display;
  std::unique_ptr<Child> window;

  void SetUp() override {
    if (!in_path("Xvfb") || !in_path("xdotool")) GTEST_SKIP() << "needs Xvfb and xdotool";
    dir = fs::temp_directory_path() / ("attnscope-dock-window-" + std::to_string(::getpid()));
    fs::create_directories(dir);
    display = std::make_unique<Display>(dir);
    ASSERT_FALSE(display->name().empty()) << read_file(dir / "xvfb.log");
  }
  void TearDown() override {
    window.reset();
    display.reset();
    if (!HasFailure() && !dir.empty()) fs::remove_all(dir);
  }

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
  static std::string at(const json& s, const std::string& widget, int dx = 0, int dy = 0) {
    const json& w = s["widgets"][widget];
    return std::to_string(int(w["x"].get<double>() + w["w"].get<double>() / 2) + dx) + " " +
           std::to_string(int(w["y"].get<double>() + w["h"].get<double>() / 2) + dy);
  }
};

TEST_F(DockWindow, ATabIsDraggedACommandIsTypedTheWindowIsZoomedAndAllIsThereAgain) {
  const std::string settings = (dir / "settings.json").string();
  const auto open = [&] {
    std::ofstream(dir / "script.txt") << "measure off\ndump state.json every=0.2\n";
    window = std::make_unique<Child>(
        std::vector<std::string>{ATTNSCOPE_EXECUTABLE, "--device", "cpu", "--problem", "1x4x64x32", "--variant",
                                 "tiled", "--script", (dir / "script.txt").string(), "--settings", settings},
        std::vector<std::pair<std::string, std::string>>{{"DISPLAY", display->name()},
                                                         {"XDG_CACHE_HOME", (dir / "cache").string()},
                                                         {"XDG_DATA_HOME", (dir / "data").string()}},
        dir, dir / "window.log");
  };
  open();
  const auto said = [&] { return read_file(dir / "window.log"); };
  json s = until([](const json& j) { return j["variants_known"] == true && j["widgets"].contains("tab.why"); });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_EQ(s["welcome"]["open"], true) << "a first start";
  const json before = s["layout"]["tree"];
  hand("mousemove " + at(s, "tab.verdict") +
       " sleep 0.3 mousedown 1 sleep 0.2 mousemove_relative 0 30 sleep 0.2 mousemove " + at(s, "group.timing") +
       " sleep 0.3 key Escape sleep 0.3 mouseup 1 sleep 0.3");
  const double then = s["seconds"];
  s = until([&](const json& j) { return j["seconds"] > then + 1; });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_EQ(s["layout"]["tree"], before) << "Escape took the drag back";
  // To the right side of the group of Resources.
  const int aside = int(s["widgets"]["group.resources"]["w"].get<double>() / 2) - 20;
  hand("mousemove " + at(s, "tab.why") +
       " sleep 0.3 mousedown 1 sleep 0.2 mousemove_relative 0 -30 sleep 0.2 mousemove " + at(s, "group.timing") +
       " sleep 0.2 mousemove " + at(s, "group.resources", aside) + " sleep 0.4 mouseup 1");
  s = until([](const json& j) {
    return j["widgets"].contains("tab.why") && j["widgets"]["tab.why"]["x"] > j["widgets"]["tab.resources"]["x"];
  });
  ASSERT_FALSE(s.is_null()) << said() << state()["layout"];
  hand("key ctrl+p");
  ASSERT_FALSE(until([](const json& j) { return j["palette"]["open"] == true; }).is_null()) << said();
  hand("type --delay 30 'show across'");
  hand("sleep 0.3 key Return");
  ASSERT_FALSE(until([](const json& j) { return j["tab"] == "across"; }).is_null()) << state()["palette"];
  hand("key ctrl+plus");
  ASSERT_FALSE(until([](const json& j) { return j["zoom"] > 1.05; }).is_null()) << said();
  const json layout = until([](const json& j) { return j["zoom"] > 1.05; })["layout"]["tree"];
  hand("key ctrl+q");
  ASSERT_EQ(window->wait(30), 0) << said();
  fs::remove(dir / "state.json");
  open();
  s = until([](const json& j) { return j["widgets"].contains("tab.why"); });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_EQ(s["layout"]["tree"], layout);
  EXPECT_GT(s["zoom"].get<double>(), 1.05);
  EXPECT_EQ(s["welcome"]["open"], false) << "once";
}

}  // namespace
}  // namespace attnscope::gui
