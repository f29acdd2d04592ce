// The window at the sizes it must be usable at, and with long lists: where things lie, off screen, with a fake session.

#include "tests/gui/offscreen_fixture.hpp"

namespace attnscope::gui::sizes_test {

struct Size {
  int width, height;
  float scale = 1;
  double plot = 0;
};
struct Sizes : OffscreenTest {
  void take(const Size& size) {
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
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
  for (const Size size : {Size{1024, 640, 1}, Size{1280, 800, 1}, Size{1600, 1000, 2}, Size{2560, 1440, 1}}) {
    SCOPED_TRACE(fmt::format("{}x{} at {}", size.width, size.height, size.scale));
    take(size);
    const Json s = state_after(kPins);
    std::istringstream words(
        "device measure cache.cold launch.back_to_back help problem.text problem.presets variant config.default "
        "config.text timing.median pin metric.gbps timing.plot tab.compare tab.across tab.log status.messages "
        "pins.head.config pins.head.median pin.1.show pin.1.remove verdict.light");
    const std::vector<std::string> needed{std::istream_iterator<std::string>(words), {}};
    // In a window as low as this the list of pins and the plot may have to be scrolled to.
    const bool low = float(size.height) < 550 * size.scale;
    const auto asked = [&](const std::string& id) {
      return !low || (!id.starts_with("pin.1.") && id != "timing.plot");
    };
    for (const std::string& id : needed) {
      if (!asked(id)) continue;
      ASSERT_TRUE(s["widgets"].contains(id)) << id;
      EXPECT_TRUE(s["widgets"][id]["visible"]) << id;
      const Box b = box(s, id);
      EXPECT_GE(b.x0, 0) << id;
      EXPECT_GE(b.y0, 0) << id;
      EXPECT_LE(b.x1, size.width) << id;
      EXPECT_LE(b.y1, size.height) << id;
      for (const std::string& other : needed)
        EXPECT_TRUE(other == id || !asked(other) || !overlap(b, box(s, other))) << id << " lies over " << other;
    }
    EXPECT_GE(box(s, "timing.plot").y1 - box(s, "timing.plot").y0, 200) << "a plot is of a size to be read";
    // The name is the last to give way.
    EXPECT_GT(box(s, "pins.head.median").x0 - box(s, "pins.head.config").x0, 90 * size.scale);
  }
}

TEST_F(Sizes, WhatOpensLiesBesideWhatOpenedIt) {
  for (const Size size : {Size{1024, 640, 1}, Size{1600, 1000, 2}}) {
    SCOPED_TRACE(fmt::format("{}x{} at {}", size.width, size.height, size.scale));
    take(size);
    const Json files = state_after("wait ready\nclick files\nwait frames 4\n");
    for (const char* id : {"files.path", "files.export"}) {
      EXPECT_GE(box(files, id).y0, box(files, "files").y1) << id;
      EXPECT_LE(box(files, id).x1, size.width) << id;
    }
    const Json view = state_after("wait ready\nclick view\nwait frames 4\n");
    for (const char* id : {"view.panel.parameters", "view.panel.resources", "view.layout.tune"}) {
      EXPECT_TRUE(view["widgets"][id]["visible"]) << id;
      EXPECT_LE(box(view, id).y1, size.height) << id;
    }
    const Json devices = state_after("wait ready\ncommand compare-on\nwait frames 4\n");
    for (const char* id : {"devices.known.0.1", "devices.add"})
      EXPECT_LE(box(devices, id).y1, box(devices, "devices.choose").y0) << id;
  }
}

TEST_F(Sizes, TheLivePlotLeadsAndTheTabsAreOneRow) {
  options.settings_path = (dir / "settings.json").string();
  for (const Size size : {Size{1024, 640, 1, 200}, Size{1280, 800, 1, 300}, Size{1600, 1000, 1, 440}}) {
    SCOPED_TRACE(size.width);
    fs::remove(options.settings_path);
    take(size);
    const Json first = state_after("wait samples 20\n");
    EXPECT_EQ(first["welcome"]["open"], true) << "with the first steps above it";
    EXPECT_GE(first["widgets"]["timing.plot"]["h"].get<double>(), size.plot);
    const Json pinned = state_after("wait samples 60\npin\nset BLOCK_M 16\nwait samples 60\nwait frames 5\n");
    EXPECT_GE(pinned["widgets"]["timing.plot"]["h"].get<double>(), size.plot) << "and with a run to compare with";
    const Json used = state_after("wait samples 20\ntab why\nwait frames 4\n");
    EXPECT_GE(used["widgets"]["timing.plot"]["h"].get<double>(), size.plot) << "and with a high panel below it";
    EXPECT_EQ(used["widgets"]["tab.why"]["y"], pinned["widgets"]["tab.why"]["y"])
        << "the tabs stay when one is clicked";
    const Json back = state_after("wait samples 20\ntab why\nwait frames 4\ntab compare\nwait frames 4\n");
    EXPECT_EQ(used["widgets"]["tab.why"]["y"], back["widgets"]["tab.why"]["y"]) << "also before one that is empty";
    const Json beside = state_after("wait samples 20\ncommand layout.shader\nwait frames 4\n");
    EXPECT_GE(beside["widgets"]["timing.plot"]["h"].get<double>(), 0.4 * size.plot) << "beside the editor";
    if (size.width < 1280) continue;
    for (const char* tab : {"compare", "search", "why", "across", "editor", "correctness", "log"})
      EXPECT_EQ(pinned["widgets"].at(std::string("tab.") + tab)["y"], pinned["widgets"]["tab.compare"]["y"]) << tab;
  }
}

TEST_F(Sizes, WhatStandsBesideTheMapNeedsNoScrolling) {
  options.settings_path = (dir / "settings.json").string();
  take({1280, 800, 1});
  const Json s = state_after("wait samples 20\nkey S\nwait trials 4\nwait search\nwait frames 4\n");
  ASSERT_EQ(s["welcome"]["open"], true);
  EXPECT_LT(box(s, "search.progress").y1, box(s, "group.compare").y1 - 8) << "with the first steps above it";
}

TEST_F(Sizes, TheListOfVariantsOpensAtWholeRowsWithTheChosenOneAndOfManyOnlyThoseInViewAreDrawn) {
  world->more_variants = 100;
  take({1280, 800});
  for (const char* chosen : {"naive", "extra-40", "extra-99"}) {
    const Json s = state_after(fmt::format("wait ready\nvariant {}\nclick variant\nwait frames 4\n", chosen));
    EXPECT_TRUE(s["widgets"][fmt::format("variant.{}", chosen)]["visible"]) << chosen;
    const Box list = box(s, "variants.list");
    for (const auto& [id, w] : s["widgets"].items()) {
      if (!id.starts_with("variant.") || id == "variant.auto" || !w["visible"]) continue;
      EXPECT_GE(box(s, id).y0, list.y0 - 1) << id;
      EXPECT_LE(box(s, id).y1, list.y1 + 1) << id;
    }
  }
  world->more_variants = 1000;
  const Json s = state_after("wait ready\nclick variant\nwait frames 3\n");
  EXPECT_EQ(s["variant_list"]["open"].size(), 3u + 1000u) << "two that run, one that is broken";
  size_t drawn = 0;
  for (const auto& [id, widget] : s["widgets"].items()) drawn += id.starts_with("variant.");
  EXPECT_GE(drawn, 3u);
  EXPECT_LE(drawn, 60u);
  const Json found = state_after("wait ready\nclick variant\nwait frames 3\ntype extra-777\nwait frames 3\n");
  EXPECT_EQ(found["variant_list"]["open"], Json({"extra-777"}));
  EXPECT_TRUE(found["widgets"]["variant.extra-777"]["visible"]);
}

}  // namespace attnscope::gui::sizes_test
