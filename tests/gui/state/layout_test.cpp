// Where panels lie: the tree, its fit into windows, what a drop does, and what is kept of it.
#include <algorithm>

#include "app/gui/panels/panel.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {
namespace {

using Extent = Area::Extent;
using Names = std::vector<std::string>;

const std::vector<Placed> kPanels = {{"top", DockSide::top},
                                     {"problem", DockSide::left, 230},
                                     {"variants", DockSide::left},
                                     {"parameters", DockSide::centre, 180},
                                     {"timing", DockSide::centre},
                                     {"compare", DockSide::bottom},
                                     {"map", DockSide::bottom},
                                     {"why", DockSide::bottom},
                                     {"verdict", DockSide::right, 150},
                                     {"resources", DockSide::right},
                                     {"status", DockSide::status}};

Needs needs(const Area& group) {
  Needs n;
  const std::string& panel = group.panels.front();
  if (panel == "problem" || panel == "variants") n = {188, 150};
  if (panel == "parameters" || panel == "timing") n = {400, panel == "timing" ? 140.f : 96.f};
  if (panel == "verdict" || panel == "resources") n = {178, 80};
  if (panel == "compare" || panel == "map" || panel == "why") n = {300, 80};
  return n;
}

Fitted fitted(const Area& tree, float w, float h) { return fit(tree, {12, 50, w, h}, 8, needs); }

Rectangle box_of(const Fitted& f, const std::string& panel) {
  for (const GroupBox& g : f.groups)
    if (std::find(g.group->panels.begin(), g.group->panels.end(), panel) != g.group->panels.end()) return g.box;
  return {};
}

const SplitterBox& splitter_of(const Fitted& f, const std::string& name) {
  for (const SplitterBox& s : f.splitters)
    if (s.name == name) return s;
  ADD_FAILURE() << "no splitter " << name;
  static const SplitterBox none;
  return none;
}

/// Each panel in one group at the most, no empty group, no split of one, no row in a row.
void expect_sound(const Area& a, std::set<std::string>& met) {
  for (const std::string& name : a.panels) EXPECT_TRUE(met.insert(name).second) << name << " lies in two groups";
  EXPECT_GT(a.size, 0);
  if (a.kind == Area::Kind::tabs) {
    EXPECT_FALSE(a.panels.empty());
    EXPECT_NE(std::find(a.panels.begin(), a.panels.end(), a.active), a.panels.end()) << a.active;
    EXPECT_TRUE(a.parts.empty());
    return;
  }
  EXPECT_TRUE(a.panels.empty());
  EXPECT_GE(a.parts.size(), 2u);
  for (const Area& p : a.parts) {
    EXPECT_NE(p.kind, a.kind);
    expect_sound(p, met);
  }
}
std::set<std::string> sound(const Area& a) {
  std::set<std::string> met;
  expect_sound(a, met);
  return met;
}

/// Nothing lies over anything else or outside.
void expect_apart(const Fitted& f, float w, float h) {
  for (size_t i = 0; i < f.groups.size(); ++i) {
    const Rectangle& a = f.groups[i].box;
    EXPECT_GT(a.w, 0);
    EXPECT_GT(a.h, 0);
    EXPECT_GE(a.x, 12 - 0.1f);
    EXPECT_LE(a.right(), 12 + w + 0.1f);
    EXPECT_LE(a.bottom(), 50 + h + 0.1f);
    for (size_t k = 0; k < i; ++k) {
      const Rectangle& b = f.groups[k].box;
      EXPECT_FALSE(a.x < b.right() - 0.1f && b.x < a.right() - 0.1f && a.y < b.bottom() - 0.1f &&
                   b.y < a.bottom() - 0.1f)
          << f.groups[i].group->active << " over " << f.groups[k].group->active;
    }
  }
}

TEST(LayoutTree, TheDefaultIsColumnsBesideACentreWithTabsBelow) {
  const Area tree = default_tree(kPanels);
  EXPECT_EQ(sound(tree).size(), 9u) << "all but the bars";
  ASSERT_EQ(tree.parts.size(), 3u);
  EXPECT_EQ(tree.parts[0].name, "left");
  EXPECT_EQ(tree.parts[0].parts[0].extent, Extent::pixels);
  EXPECT_EQ(tree.parts[1].parts.size(), 3u);
  EXPECT_EQ(tree.parts[1].parts[2].panels, (Names{"compare", "map", "why"}));
  const Fitted f = fitted(tree, 1256, 700);
  EXPECT_EQ(box_of(f, "problem"), (Rectangle{12, 50, 292, 230}));
  EXPECT_EQ(box_of(f, "variants").bottom(), 750);
  EXPECT_EQ(box_of(f, "resources").right(), 12 + 1256);
  EXPECT_NEAR(box_of(f, "compare").h, kBottomPart * 700, 0.5f);
  EXPECT_NEAR(box_of(f, "parameters").h, 180, 0.5f);
  EXPECT_EQ(splitter_of(f, "left").box.x, 12 + 292);
  splitter_of(f, "right");
  splitter_of(f, "bottom");
}

TEST(LayoutTree, SidesGiveWayBeforeTheCentreIsOfNoUse) {
  const Area tree = default_tree(kPanels);
  for (const float whole : {776.f, 900.f, 1000.f, 1256.f, 2536.f})
    for (const float height : {400.f, 560.f, 720.f, 1360.f}) {
      SCOPED_TRACE(whole);
      const Fitted f = fitted(tree, whole, height);
      expect_apart(f, whole, height);
      EXPECT_GE(box_of(f, "timing").w, 390);
      EXPECT_GE(box_of(f, "problem").w, 188);
      EXPECT_GE(box_of(f, "verdict").w, 178);
      EXPECT_GE(box_of(f, "timing").h, 135) << height;
      EXPECT_GE(box_of(f, "compare").h, 80) << height;
      EXPECT_GE(box_of(f, "variants").h, 150) << height;
    }
  EXPECT_EQ(fitted(tree, 1256, 700).groups.front().box.w, 292) << "as chosen where there is room";
}

TEST(LayoutTree, APaneThatShowsNothingIsLowUntilSomebodyChoosesItsHeight) {
  Area tree = default_tree(kPanels);
  const auto empty = [](const Area& group) {
    Needs n = needs(group);
    n.empty = group.active == "compare";
    return n;
  };
  const auto height = [&] { return box_of(fit(tree, {12, 50, 1256, 700}, 8, empty), "compare").h; };
  EXPECT_NEAR(height(), kEmptyPixels, 0.5f);
  ASSERT_TRUE(show(tree, "why"));
  EXPECT_NEAR(height(), kBottomPart * 700, 0.5f);
  ASSERT_TRUE(show(tree, "compare"));
  group_of(tree, "compare")->size = 230;
  EXPECT_NEAR(height(), 230, 0.5f);
}

TEST(LayoutTree, ATabGoesToAnotherGroupAndIsShownThere) {
  Area tree = default_tree(kPanels);
  ASSERT_TRUE(move_to_group(tree, "why", "timing"));
  EXPECT_EQ(group_of(tree, "timing")->panels, (Names{"timing", "why"}));
  EXPECT_EQ(group_of(tree, "timing")->active, "why");
  EXPECT_EQ(group_of(tree, "compare")->panels, (Names{"compare", "map"}));
  ASSERT_TRUE(move_to_group(tree, "map", "compare", "compare"));
  EXPECT_EQ(group_of(tree, "compare")->panels, (Names{"map", "compare"})) << "before that tab";
  ASSERT_TRUE(move_to_group(tree, "map", "compare"));
  EXPECT_EQ(group_of(tree, "compare")->panels, (Names{"compare", "map"})) << "and last";
  EXPECT_FALSE(move_to_group(tree, "timing", "nosuch"));
  EXPECT_EQ(sound(tree).size(), 9u);
}

TEST(LayoutTree, ATabGoesToAnEdgeAndItsOldGroupCloses) {
  Area tree = default_tree(kPanels);
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  Fitted f = fitted(tree, 1600, 900);
  EXPECT_GT(box_of(f, "why").x, box_of(f, "timing").right());
  EXPECT_EQ(box_of(f, "why").y, box_of(f, "timing").y);
  ASSERT_TRUE(move_to_side(tree, "verdict", "", Side::left));
  f = fitted(tree, 1600, 900);
  EXPECT_EQ(box_of(f, "verdict").x, 12);
  EXPECT_EQ(box_of(f, "resources").y, 50) << "what stayed behind has the whole column";
  ASSERT_TRUE(move_to_side(tree, "compare", "map", Side::left));
  f = fitted(tree, 1600, 900);
  EXPECT_EQ(box_of(f, "compare").y, box_of(f, "map").y);
  EXPECT_FALSE(move_to_side(tree, "timing", "timing", Side::left)) << "alone in its group";
  EXPECT_EQ(sound(tree).size(), 9u);
}

TEST(LayoutTree, WhatIsClosedComesBackAtItsPlace) {
  const Area whole = default_tree(kPanels);
  for (const Placed& p : kPanels) {
    if (p.place == DockSide::top || p.place == DockSide::status) continue;
    SCOPED_TRACE(p.name);
    Area tree = whole;
    ASSERT_TRUE(close(tree, p.name));
    EXPECT_EQ(sound(tree).size(), 8u);
    EXPECT_FALSE(close(tree, p.name)) << "it is closed";
    expect_apart(fitted(tree, 1256, 700), 1256, 700);
    reopen(tree, p.name, kPanels);
    EXPECT_EQ(sound(tree).size(), 9u);
    EXPECT_EQ(group_of(tree, p.name)->active, p.name);
    const Rectangle was = box_of(fitted(whole, 1256, 700), p.name), is = box_of(fitted(tree, 1256, 700), p.name);
    EXPECT_NEAR(was.x, is.x, 2);
    if (p.name != "map") {
      EXPECT_NEAR(was.y, is.y, 2);
    }
  }
}

TEST(LayoutTree, SplittersMoveWhatHasASizeAndShareTheRest) {
  Area tree = default_tree(kPanels);
  const auto pull = [&](const std::string& name, float by) {
    const Fitted f = fitted(tree, 1600, 900);
    const SplitterBox& s = splitter_of(f, name);
    resize(*area_at(tree, s.parent), s.part, by, s.extent, s.least);
  };
  pull("left", 60);
  EXPECT_EQ(box_of(fitted(tree, 1600, 900), "problem").w, 352);
  pull("left", -1000);
  EXPECT_EQ(box_of(fitted(tree, 1600, 900), "problem").w, 188) << "never less than it needs";
  pull("right", 40);
  EXPECT_EQ(box_of(fitted(tree, 1600, 900), "verdict").w, kRightPixels - 40);
  pull("bottom", -50);
  EXPECT_NEAR(box_of(fitted(tree, 1600, 900), "compare").h, kBottomPart * 900 + 50, 0.5f);
  EXPECT_NEAR(box_of(fitted(tree, 1600, 1200), "compare").h, kBottomPart * 900 + 50, 0.5f) << "as chosen";
  pull("variants", 30);
  EXPECT_EQ(box_of(fitted(tree, 1600, 900), "problem").h, 260);
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  const float before = box_of(fitted(tree, 1600, 900), "why").w;
  pull("why", 40);
  EXPECT_NEAR(box_of(fitted(tree, 1600, 900), "why").w, std::max(300.f, before - 40), 0.5);
  EXPECT_NEAR(box_of(fitted(tree, 2200, 900), "why").w / box_of(fitted(tree, 2200, 900), "timing").w,
              box_of(fitted(tree, 1600, 900), "why").w / box_of(fitted(tree, 1600, 900), "timing").w, 0.2)
      << "shares grow with the window";
}

TEST(LayoutDrop, TheMiddleTakesATabInAndTheSidesSplit) {
  Area tree = default_tree(kPanels);
  const Rectangle window{12, 50, 1256, 700};
  const Fitted f = fit(tree, window, 8, needs);
  const Rectangle timing = box_of(f, "timing");
  const auto at = [&](float x, float y) { return drop_at(tree, f, window, "why", x, y); };
  const auto middle = must(at(timing.x + timing.w / 2, timing.y + timing.h / 2));
  EXPECT_EQ(*middle, (Drop{"timing", std::nullopt, timing}));
  const auto right = at(timing.right() - 20, timing.y + timing.h / 2);
  ASSERT_TRUE(right);
  EXPECT_EQ(right->side, Side::right);
  EXPECT_EQ(right->highlight.w, timing.w / 2);
  const auto edge = must(at(14, 400));
  EXPECT_EQ(edge->target, "");
  EXPECT_EQ(edge->side, Side::left);
  EXPECT_FALSE(at(5, 5)) << "outside";
  const Rectangle own = box_of(f, "why");
  EXPECT_FALSE(at(own.x + own.w / 2, own.y + own.h / 2)) << "it lies there already";
  ASSERT_TRUE(drop(tree, "why", *right));
  EXPECT_GT(box_of(fit(tree, window, 8, needs), "why").x, timing.x);
  EXPECT_EQ(sound(tree).size(), 9u);
}

TEST(LayoutDrop, WhereverOneDropsTheTreeStaysSound) {
  for (const Placed& p : kPanels) {
    if (p.place == DockSide::top || p.place == DockSide::status) continue;
    for (float x = 13; x < 1268; x += 61)
      for (float y = 51; y < 750; y += 37) {
        Area tree = default_tree(kPanels);
        const Rectangle window{12, 50, 1256, 700};
        const Fitted f = fit(tree, window, 8, needs);
        const auto where = drop_at(tree, f, window, p.name, x, y);
        if (!where) continue;
        ASSERT_TRUE(drop(tree, p.name, *where)) << p.name << " at " << x << " " << y;
        ASSERT_EQ(sound(tree).size(), 9u);
        expect_apart(fit(tree, window, 8, needs), 1256, 700);
        if (HasFailure()) FAIL() << p.name << " at " << x << " " << y;
      }
  }
}

TEST(SavedLayouts, GoThroughJsonAndBack) {
  Area tree = default_tree(kPanels);
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  ASSERT_TRUE(close(tree, "map"));
  const SavedLayout saved{tree, {"map"}};
  const auto back = must(layout_from(*parse_json(to_json(saved).dump(), "it")));
  EXPECT_EQ(*back, saved);
}

TEST(SavedLayouts, WhatCannotBeIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text) {
    const auto l = layout_from(*parse_json(text, "it"));
    return l ? "" : l.error().message;
  };
  EXPECT_TRUE(has(refused("[]"), "layout: "));
  EXPECT_TRUE(has(refused(R"({"tree": {"kind": "spiral", "extent": "share"}})"), "no kind 'spiral'"));
  EXPECT_TRUE(has(refused(R"({"tree": {"kind": "row", "extent": "share", "parts": []}})"), "no parts"));
  EXPECT_TRUE(has(refused(R"({"tree": {"kind": "tabs", "extent": "pixels", "size": -3, "panels": ["a"]}})"), "-3"));
  EXPECT_TRUE(has(refused(R"({"tree": {"kind": "tabs", "extent": "share", "panels": [3]}})"), "panels"));
  std::string deep = R"({"kind": "tabs", "extent": "share", "panels": ["a"]})";
  for (int i = 0; i < 20; ++i) deep = R"({"kind": "row", "extent": "share", "parts": [)" + deep + "]}";
  EXPECT_TRUE(has(refused(R"({"tree": )" + deep + "}"), "within each other"));
}

TEST(SavedLayouts, UnknownPanelsGoAndNewOnesComeToTheirPlace) {
  Area tree = default_tree(kPanels);
  ASSERT_TRUE(close(tree, "map"));
  group_of(tree, "compare")->panels.push_back("of another version");
  group_of(tree, "compare")->panels.push_back("timing");
  std::vector<Placed> now = kPanels;
  now.push_back({"scaling", DockSide::bottom});
  now.push_back({"heat", DockSide::right});
  complete(tree, Names{"map"}, now);
  const auto met = sound(tree);
  EXPECT_FALSE(met.contains("of another version"));
  EXPECT_FALSE(met.contains("map")) << "it was closed and stays so";
  EXPECT_EQ(group_of(tree, "scaling"), group_of(tree, "compare"));
  EXPECT_EQ(group_of(tree, "compare")->active, "compare") << "what is new does not push itself forward";
  const Fitted f = fitted(tree, 1256, 900);
  EXPECT_EQ(box_of(f, "heat").x, box_of(f, "resources").x);
  EXPECT_EQ(met.size(), 10u);
  Area nothing;
  complete(nothing, Names{}, now);
  EXPECT_EQ(nothing, default_tree(now)) << "no panel of these: the default";
}

TEST(SavedLayouts, TheShippedOnesHoldEveryPanelThatThereIs) {
  std::vector<Placed> all;
  for (const Panel* p : all_panels()) all.push_back({p->name, p->place});
  for (const ShippedLayout& l : shipped_layouts()) {
    SCOPED_TRACE(l.name);
    Area tree = l.make(all);
    complete(tree, Names{}, all);
    EXPECT_EQ(sound(tree).size(), all.size() - 2) << "all but the bars";
    for (const float whole : {776.f, 1256.f, 2536.f})
      for (const float height : {400.f, 700.f, 1360.f}) expect_apart(fitted(tree, whole, height), whole, height);
  }
}

}  // namespace
}  // namespace attnscope::gui
