// Two devices at once in the real window: two local workers, one of which is killed.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

class DevicesWindow : public DesktopTest {
 protected:
  void open(const std::string& script) {
    fs::remove(dir / "state.json");
    open_window(script, {"--problem", "1x2x64x32", "--variant", "tiled", "--settings", (dir / "window.json").string()});
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
  json s = see([](const json& j) { return compared(j, 0); });
  EXPECT_EQ(row(s, 0)["reading"]["config"], s["beside"]["first"]["config"]) << "the very same config";
  EXPECT_EQ(row(s, 0)["reading"]["problem"], s["beside"]["first"]["problem"]);
  EXPECT_GT(row(s, 0)["reading"]["ratio"], 0);
  EXPECT_NE(row(s, 0)["reading"]["word"], "");
  EXPECT_FALSE(row(s, 0)["device"].get<std::string>().empty());
  ASSERT_EQ(s["beside"]["notes"].size(), 1u) << "both are the CPU of this machine";
  EXPECT_TRUE(has(s["beside"]["notes"][0].get<std::string>(), "disturb"));

  // Another config: both leave the one before.
  click("config.v2");
  s = see([](const json& j) {
    return compared(j, 0) && row(j, 0)["reading"]["config"]["THREAD_N"] == 2 && j["beside"]["first"].is_object() &&
           j["beside"]["first"]["config"] == row(j, 0)["reading"]["config"];
  });

  // The second one dies: that is said at it alone. The program's own worker was started first.
  std::vector<pid_t> workers = children_of(window->pid(), "worker");
  ASSERT_EQ(workers.size(), 2u);
  ASSERT_EQ(::kill(*std::max_element(workers.begin(), workers.end()), SIGKILL), 0);
  s = see([](const json& j) { return listed(j, 1) && row(j, 0)["state"] == "lost"; });
  EXPECT_TRUE(has(row(s, 0)["why"].get<std::string>(), "signal 9"));
  EXPECT_TRUE(row(s, 0)["reading"].is_null()) << "what was lost shows no number";
  EXPECT_EQ(s["live"]["failure"], "");
  const int samples = s["live"]["samples"];
  EXPECT_FALSE(until([&](const json& j) { return j["live"]["samples"] > samples + 20; }).is_null())
      << "the first goes on. " << said();
  click("devices.1.again");
  see([](const json& j) { return compared(j, 0); });

  // One that is no worker at all.
  click("devices.command");
  hand("type --delay 60 no-such-worker");
  hand("key Return");
  s = see([](const json& j) { return listed(j, 2) && row(j, 1)["state"] == "not reached" && compared(j, 0); });
  EXPECT_TRUE(has(row(s, 1)["why"].get<std::string>(), "no-such-worker"));
  // The mouse is over the panel: it fills the window, so that all rows are in view.
  hand("key F11");
  see([](const json& j) { return j["layout"]["full"] == "compare"; });
  click("devices.2.remove");
  see([](const json& j) { return listed(j, 1); });
  hand("key ctrl+q");
  ASSERT_EQ(window->wait(30), 0) << said();

  // The next start lists it, and starts nothing until asked.
  open("dump state.json every=0.2\nwait samples 20 timeout=120\n");
  s = see([](const json& j) { return listed(j, 1) && j["live"]["samples"] >= 20; });
  EXPECT_EQ(row(s, 0)["state"], "disconnected");
  EXPECT_EQ(children_of(window->pid(), "worker").size(), 1u);
  click("devices.1.connect");
  see([](const json& j) { return compared(j, 0); });
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
}

}  // namespace
}  // namespace attnscope::gui
