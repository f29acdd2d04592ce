// The real window on a display of its own: a tab dragged with the mouse, a command found with the keyboard.
#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

using DockWindow = DesktopTest;

TEST_F(DockWindow, ATabIsDraggedACommandIsTypedTheWindowIsZoomedAndAllIsThereAgain) {
  const std::string settings = (dir / "settings.json").string();
  const auto open = [&] {
    open_window("measure off\ndump state.json every=0.2\n",
                {"--problem", "1x4x64x32", "--variant", "tiled", "--settings", settings});
  };
  open();
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
