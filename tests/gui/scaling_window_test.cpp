// The panels Scaling and Correctness of the real window, by mouse and keyboard, measured on the software device.

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

class ScalingWindow : public DesktopTest {
 protected:
  static int measured(const json& s, const std::string& id) {
    int count = 0;
    for (const json& curve : s["scaling"]["curves"])
      for (const json& p : curve["points"]) count += curve["id"] == id && p["state"] == "measured";
    return count;
  }
};

TEST_F(ScalingWindow, PointsAreMeasuredAlongAnAxisAndAFileStandsBesideThem) {
  open_window("wait samples 20 timeout=120\nexport base.json\ndump state.json every=0.2\n",
              {"--problem", "1x2x32x32", "--variant", "tiled"});
  click("tab.across");
  click("view_of.across.scaling");
  click("scaling.values");
  hand("sleep 0.3 key ctrl+a type '16, 32, 48'");
  hand("sleep 0.3 key Return");
  json s = see([](const json& j) {
    return j["scaling"]["curves"].size() == 1 && j["scaling"]["curves"][0]["points"].size() == 3;
  });
  EXPECT_EQ(s["scaling"]["axis"], "seq");
  click("scaling.measure");
  s = see([](const json& j) { return measured(j, "live") == 3 && j["scaling"]["running"] == false; });
  EXPECT_EQ(s["scaling"]["due"], 0);
  EXPECT_EQ(s["scaling"]["curves"][0]["points"][2]["problem"], "1x2x48x32:f32");
  click("scaling.baseline");
  hand("sleep 0.3 type base.json");
  hand("sleep 0.3 key Return");
  s = see([](const json& j) { return j["scaling"]["baseline"] != "" && measured(j, "file0") == 1; });
  click("scaling.axis.head_dim");
  s = see([](const json& j) { return j["scaling"]["axis"] == "head_dim"; });
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
  open_window("dump state.json every=0.2\n",
              {"--problem", "1x3x40x32", "--variant", "last_head", "--shaders", (dir / "more").string()});
  click("tab.correctness");
  // Nobody asked for it: a wrong result is looked at as soon as the panel is open.
  json s = see([](const json& j) { return j["correctness"].value("failing", 0) > 0; });
  EXPECT_EQ(s["correctness"]["head"], 2) << "the worst one";
  EXPECT_EQ(s["correctness"]["run"]["outcome"], "failed");
  EXPECT_EQ(s["correctness"]["first_of_all"]["head"], 2);
  EXPECT_EQ(s["correctness"]["element"], s["correctness"]["first_of_all"]);
  hand("key n");
  s = see([](const json& j) { return j["correctness"]["at"] == 1; });
  click("correctness.previous");
  EXPECT_FALSE(until([](const json& j) { return j["correctness"]["at"] == 0; }).is_null());
  click("correctness.head.0.0");
  s = see([](const json& j) { return j["correctness"]["head"] == 0; });
  EXPECT_EQ(s["correctness"]["failing"], 0) << "the other heads are right";
  click("correctness.worst_head");
  EXPECT_FALSE(until([](const json& j) { return j["correctness"]["head"] == 2; }).is_null());
  // What was looked at is then verified again.
  s = see([](const json& j) { return j["live"].contains("verdict") && j["live"]["verdict"]["pass"] == false; });
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(30), 1) << "a scripted window that ends on a wrong result says so. " << said();
}

}  // namespace
}  // namespace attnscope::gui
