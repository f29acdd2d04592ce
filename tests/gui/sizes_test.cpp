// The window at the sizes it must be usable at, and with long lists: where things lie, off screen, with a fake session.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/gui/offscreen.hpp"
#include "engine/record/json.hpp"
#include "engine/record/results.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {
namespace {

namespace fs = std::filesystem;

class Sizes : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  fs::path dir;
  GuiOptions options;

  void SetUp() override {
    dir = fs::temp_directory_path() / fmt::format("attnscope-sizes-{}-{}", ::getpid(),
                                                  testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir);
    options.data_dir = fs::path(ATTNSCOPE_EXECUTABLE).parent_path().parent_path() / "assets";
    options.presets = {{"quick", "small ones", {*parse_problem("1x4x32x32")}}};
    options.script_timeout_s = 120;
  }
  void TearDown() override { fs::remove_all(dir); }

  Json state_after(const std::string& script) {
    const std::string dump = (dir / "state.json").string();
    std::ofstream(dir / "script.txt") << script << "wait frames 4\ndump " << dump << "\n";
    options.script = (dir / "script.txt").string();
    const auto done = render_offscreen(options, test::fake_links(world), dir / "out.png");
    EXPECT_TRUE(done) << done.error().message;
    return done ? *parse_json(*read_text(dump), dump) : Json();
  }
};

struct Box {
  double x0, y0, x1, y1;
};
Box box(const Json& state, const std::string& id) {
  const Json& w = state.at("widgets").at(id);
  return {w["x"], w["y"], w["x"].get<double>() + w["w"].get<double>(), w["y"].get<double>() + w["h"].get<double>()};
}
bool overlap(const Box& a, const Box& b) {
  return a.x0 < b.x1 - 1 && b.x0 < a.x1 - 1 && a.y0 < b.y1 - 1 && b.y0 < a.y1 - 1;
}

constexpr const char* kPins =
    "wait samples 20\npin\nset BLOCK_M 16\nwait samples 20\npin\nvariant naive\nwait samples 20\npin\nvariant "
    "tiled\nwait samples 40\n"
    "wait seconds 0.2\n";

TEST_F(Sizes, WhatIsNeededIsOnScreenAndApart) {
  struct Size {
    int width, height;
    float scale;
  };
  for (const Size size : {Size{1024, 640, 1}, Size{1280, 800, 1}, Size{1600, 1000, 2}, Size{2560, 1440, 1}}) {
    SCOPED_TRACE(fmt::format("{}x{} at {}", size.width, size.height, size.scale));
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
    const Json s = state_after(kPins);
    ASSERT_FALSE(s.is_null());
    const std::vector<std::string> needed = {"device",
                                             "measure",
                                             "cache.cold",
                                             "launch.back_to_back",
                                             "quiet",
                                             "help",
                                             "problem.text",
                                             "problem.seq",
                                             "variants.search",
                                             "variant.tiled",
                                             "config.default",
                                             "config.text",
                                             "timing.median",
                                             "pin",
                                             "metric.gbps",
                                             "timing.plot",
                                             "tab.compare",
                                             "tab.across",
                                             "tab.tried",
                                             "tab.messages",
                                             "pins.head.config",
                                             "pins.head.median",
                                             "pin.1.show",
                                             "pin.1.remove",
                                             "pins.clear",
                                             "results.export",
                                             "verdict.light"};
    // In a window as low as this the list of pins and the plot may have to be scrolled to.
    const bool low = float(size.height) < 550 * size.scale;
    const auto asked = [&](const std::string& id) {
      return !low || (!id.starts_with("pin.1.") && id != "timing.plot");
    };
    // What has no room in the row of tabs is behind "more", and no name is cut.
    const auto asked_tab = [&](const std::string& id) {
      return !(low && id.starts_with("tab.") && s["widgets"].contains("tabs.more.compare"));
    };
    for (const std::string& id : needed) {
      if (!asked(id) || !asked_tab(id)) continue;
      ASSERT_TRUE(s["widgets"].contains(id)) << id;
      EXPECT_TRUE(s["widgets"][id]["visible"]) << id;
      const Box b = box(s, id);
      EXPECT_GE(b.x0, 0) << id;
      EXPECT_GE(b.y0, 0) << id;
      EXPECT_LE(b.x1, size.width) << id;
      EXPECT_LE(b.y1, size.height) << id;
      for (const std::string& other : needed)
        EXPECT_TRUE(other == id || !asked(other) || !asked_tab(other) || !overlap(b, box(s, other)))
            << id << " lies over " << other;
    }
    EXPECT_GT(box(s, "timing.plot").y1 - box(s, "timing.plot").y0, (low ? 30 : 55) * size.scale)
        << "a plot is of a size to be read";
    // The name is the last to give way.
    EXPECT_GT(box(s, "pins.head.median").x0 - box(s, "pins.head.config").x0, 90 * size.scale);
  }
}

TEST_F(Sizes, WhatOpensLiesBesideWhatOpenedIt) {
  struct Size {
    int width, height;
    float scale;
  };
  for (const Size size : {Size{1024, 640, 1}, Size{1600, 1000, 2}}) {
    SCOPED_TRACE(fmt::format("{}x{} at {}", size.width, size.height, size.scale));
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
    const Json files = state_after("wait ready\nclick files\nwait frames 4\n");
    for (const char* id : {"files.path", "files.export"}) {
      EXPECT_GE(box(files, id).y0, box(files, "files").y1) << id;
      EXPECT_LE(box(files, id).x1, size.width) << id;
    }
    const Json view = state_after("wait ready\nclick view\nwait frames 4\n");
    for (const char* id : {"view.panel.problem", "view.panel.messages", "view.reset"}) {
      EXPECT_TRUE(view["widgets"][id]["visible"]) << id;
      EXPECT_LE(box(view, id).y1, size.height) << id;
    }
  }
}

TEST_F(Sizes, ALowWindowStillHasACurveWithTheControlsInItsLine) {
  options.width = 1600;
  options.height = 1000;
  options.scale = 2;
  const Json s = state_after(std::string(kPins) + "tab across\nwait frames 4\n");
  EXPECT_GT(box(s, "timing.data").y1 - box(s, "timing.data").y0, 20 * 2)
      << "of a plot that gave some to the panel below";
  EXPECT_LT(box(s, "pin").y0, box(s, "timing.median").y1) << "one line";
  EXPECT_GE(box(s, "pin").x0, box(s, "timing.median").x1);
  for (const char* id : {"metric.gbps", "pin", "timing.log"}) EXPECT_TRUE(s["widgets"][id]["visible"]) << id;
}

TEST_F(Sizes, ASmallWindowDoesNotForgetTheChosenLayout) {
  options.settings_path = (dir / "settings.json").string();
  options.width = 1024;
  options.height = 640;
  EXPECT_LT(box(state_after("wait ready\n"), "splitter.left").x0, 292);
  options.width = 1600;
  options.height = 1000;
  EXPECT_NEAR(box(state_after("wait ready\n"), "splitter.left").x0, 12 + 292, 2);
}

TEST_F(Sizes, ManyPinsAreNamedApartAndOnlyThoseInViewAreDrawn) {
  Results results;
  for (int i = 0; i < 10000; ++i) {
    attnscope::Run run;
    run.problem = *parse_problem("1x4x32x32");
    run.variant = "tiled";
    run.config = {{"BLOCK_M", 16 + i}, {"BLOCK_N", 32}};
    Record r = make_record(run);
    r.samples_ns = {1e6, 1.1e6, 1.2e6};
    conclude(r, Outcome::measured);
    results.records.push_back(r);
  }
  ASSERT_TRUE(write_results(dir / "many.json", results));
  options.results = {dir / "many.json"};
  options.measure = false;
  const Json s = state_after("wait ready\n");
  ASSERT_EQ(s["pins"].size(), 10000u);
  EXPECT_EQ(s["pins"][5]["label"], "tiled M=21");
  size_t drawn = 0;
  for (const auto& [id, widget] : s["widgets"].items()) drawn += id.ends_with(".show");
  EXPECT_GE(drawn, 3u);
  EXPECT_LE(drawn, 40u);
}

TEST_F(Sizes, InASmallWindowTheTopBarsPartsAreApartAndComparisonsHaveRows) {
  for (const int width : {640, 700, 760, 860}) {
    SCOPED_TRACE(width);
    options.width = width;
    options.height = 480;
    const Json s = state_after("wait samples 20\npin\nset BLOCK_M 16\nwait samples 20\n");
    ASSERT_FALSE(s.is_null());
    std::vector<std::string> bar = {"device", "measure", "cache", "launch", "files", "view", "help"};
    if (s["widgets"].contains("quiet")) bar.push_back("quiet");
    for (const std::string& id : bar) {
      const Box b = box(s, id);
      EXPECT_GE(b.x0, 0) << id;
      EXPECT_LE(b.x1, width) << id;
      for (const std::string& other : bar)
        EXPECT_TRUE(other == id || !overlap(b, box(s, other))) << id << " lies over " << other;
    }
    // With what is shown live and the pin below it.
    ASSERT_TRUE(s["widgets"].contains("pin.1.show"));
    EXPECT_LT(box(s, "pin.1.show").y0, box(s, "group.compare").y1 - 12);
  }
}

TEST_F(Sizes, ManyVariantsAreListedAndOnlyThoseInViewAreDrawn) {
  world->more_variants = 1000;
  const Json s = state_after("wait ready\n");
  EXPECT_EQ(s["variant_list"]["open"].size(), 3u + 1000u) << "two that run, one that is broken";
  size_t drawn = 0;
  for (const auto& [id, widget] : s["widgets"].items()) drawn += id.starts_with("variant.");
  EXPECT_GE(drawn, 3u);
  EXPECT_LE(drawn, 60u);
  const Json found = state_after("wait ready\nclick variants.search\ntype extra-777\nwait frames 3\n");
  EXPECT_EQ(found["variant_list"]["open"], Json({"extra-777"}));
  EXPECT_TRUE(found["widgets"]["variant.extra-777"]["visible"]);
}

TEST_F(Sizes, WhatCannotRunIsFoldedAwayUntilAskedFor) {
  const Json folded = state_after("wait ready\n");
  EXPECT_EQ(folded["variant_list"]["folded"], Json({"matrix"}));
  EXPECT_EQ(folded["variant_list"]["open"][0], "broken");
  EXPECT_TRUE(folded["widgets"]["variant.broken"]["visible"]) << "what did not load is not hidden";
  EXPECT_FALSE(folded["widgets"].contains("variant.matrix"));
  const Json open = state_after("wait ready\nclick variants.not_here\n");
  ASSERT_TRUE(open["widgets"].contains("variant.matrix"));
  EXPECT_FALSE(open["widgets"]["variant.matrix"]["enabled"]);
}

TEST_F(Sizes, ARemovalIsTakenBackByItsButton) {
  const Json before = state_after("wait samples 20\npin\nwait frames 2\n");
  EXPECT_FALSE(before["widgets"].contains("pins.undo"));
  const Json removed = state_after("wait samples 20\npin\nwait frames 2\nclick pins.clear\n");
  EXPECT_EQ(removed["pins"].size(), 0u);
  EXPECT_TRUE(removed["widgets"]["pins.undo"]["visible"]);
  const Json back = state_after("wait samples 20\npin\nwait frames 2\nclick pins.clear\nclick pins.undo\n");
  EXPECT_EQ(back["pins"].size(), 1u);
  EXPECT_FALSE(back["widgets"].contains("pins.undo"));
}

TEST_F(Sizes, AVerdictFromASampleSaysSo) {
  EXPECT_EQ(state_after("wait samples 20\n")["verdict_sample"], "");
  world->rows_total = 32768;
  EXPECT_EQ(state_after("wait samples 20\n")["verdict_sample"],
            "From a sample: 64 of 32,768 rows checked, every element checked for NaN and being written.");
}

}  // namespace
}  // namespace attnscope::gui
