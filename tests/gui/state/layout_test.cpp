// Where panels lie: the tree, its fit into windows, what a drop does, and what is kept of it.
#include <algorithm>

#include "app/gui/panels/panel.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {
namespace {

using Extent = Area::Extent;
using Names = std::vector<std::string>;

Needs needs(const Area& group) {
  const std::string& panel = group.panels.front();
  if (panel == "parameters" || panel == "resources") return {188, 150};
  return panel == "timing" ? Needs{400, 140} : Needs{300, 80};
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

constexpr size_t kAll = 10;

TEST(LayoutTree, TheDefaultHasAColumnAtTheLeftAndTabsBelowTheTiming) {
  const Area tree = default_tree();
  EXPECT_EQ(sound(tree).size(), kAll);
  ASSERT_EQ(tree.parts.size(), 2u);
  const Fitted f = fitted(tree, 1256, 700);
  EXPECT_EQ(box_of(f, "parameters"), (Rectangle{12, 50, kLeftPixels, 424}));
  EXPECT_EQ(box_of(f, "resources").bottom(), 750);
  EXPECT_EQ(box_of(f, "timing").right(), 12 + 1256);
  EXPECT_NEAR(box_of(f, "compare").h, kBottomPart * 700, 0.5f);
  EXPECT_EQ(splitter_of(f, "timing").box.x, 12 + kLeftPixels);
  splitter_of(f, "compare");
}

TEST(LayoutTree, TheSideGivesWayBeforeTheCentreIsOfNoUse) {
  const Area tree = default_tree();
  for (const float whole : {620.f, 776.f, 900.f, 1256.f, 2536.f})
    for (const float height : {400.f, 560.f, 720.f, 1360.f}) {
      SCOPED_TRACE(whole);
      const Fitted f = fitted(tree, whole, height);
      expect_apart(f, whole, height);
      EXPECT_GE(box_of(f, "timing").w, 390);
      EXPECT_GE(box_of(f, "parameters").w, 188);
      EXPECT_GE(box_of(f, "timing").h, 135) << height;
      EXPECT_GE(box_of(f, "compare").h, 80) << height;
      EXPECT_GE(box_of(f, "resources").h, 150) << height;
    }
  EXPECT_EQ(fitted(tree, 1256, 700).groups.front().box.w, kLeftPixels) << "as chosen where there is room";
}

TEST(LayoutTree, APaneThatShowsNothingIsLowUntilSomebodyChoosesItsHeight) {
  Area tree = default_tree();
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
  Area tree = default_tree();
  ASSERT_TRUE(move_to_group(tree, "why", "timing"));
  EXPECT_EQ(group_of(tree, "timing")->panels, (Names{"timing", "why"}));
  EXPECT_EQ(group_of(tree, "timing")->active, "why");
  EXPECT_EQ(group_of(tree, "compare")->panels.size(), 6u);
  ASSERT_TRUE(move_to_group(tree, "search", "compare", "compare"));
  EXPECT_EQ(group_of(tree, "compare")->panels.front(), "search") << "before that tab";
  ASSERT_TRUE(move_to_group(tree, "search", "compare"));
  EXPECT_EQ(group_of(tree, "compare")->panels.back(), "search") << "and last";
  EXPECT_FALSE(move_to_group(tree, "timing", "nosuch"));
  EXPECT_EQ(sound(tree).size(), kAll);
}

TEST(LayoutTree, ATabGoesToAnEdgeAndItsOldGroupCloses) {
  Area tree = default_tree();
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  Fitted f = fitted(tree, 1600, 900);
  EXPECT_GT(box_of(f, "why").x, box_of(f, "timing").right());
  EXPECT_EQ(box_of(f, "why").y, box_of(f, "timing").y);
  ASSERT_TRUE(move_to_side(tree, "parameters", "", Side::right));
  f = fitted(tree, 1600, 900);
  EXPECT_EQ(box_of(f, "parameters").right(), 12 + 1600);
  EXPECT_EQ(box_of(f, "resources").y, 50) << "what stayed behind has the whole column";
  ASSERT_TRUE(move_to_side(tree, "compare", "search", Side::left));
  f = fitted(tree, 1600, 900);
  EXPECT_EQ(box_of(f, "compare").y, box_of(f, "search").y);
  EXPECT_FALSE(move_to_side(tree, "timing", "timing", Side::left)) << "alone in its group";
  EXPECT_EQ(sound(tree).size(), kAll);
}

TEST(LayoutTree, WhatIsClosedComesBackAtItsPlace) {
  const Area whole = default_tree();
  const Fitted was = fitted(whole, 1256, 700);
  for (const std::string& name : panels_of(whole)) {
    SCOPED_TRACE(name);
    Area tree = whole;
    ASSERT_TRUE(close(tree, name));
    EXPECT_FALSE(close(tree, name)) << "it is closed";
    expect_apart(fitted(tree, 1256, 700), 1256, 700);
    reopen(tree, name);
    EXPECT_EQ(sound(tree).size(), kAll);
    EXPECT_EQ(group_of(tree, name)->active, name);
    const Fitted is = fitted(tree, 1256, 700);
    EXPECT_NEAR(box_of(was, name).x, box_of(is, name).x, 2);
    EXPECT_NEAR(box_of(was, name).y, box_of(is, name).y, 2);
  }
  // Whole columns and groups too.
  Area tree = whole;
  for (const std::string& name : panels_of(whole)) ASSERT_EQ(close(tree, name), name != "log");
  reopen(tree, "timing");
  ASSERT_TRUE(close(tree, "log"));
  for (const char* name : {"resources", "parameters", "log", "compare"}) reopen(tree, name);
  const Fitted is = fitted(tree, 1256, 700);
  EXPECT_EQ(sound(tree).size(), 5u);
  EXPECT_EQ(box_of(is, "parameters").right(), box_of(was, "parameters").right());
  EXPECT_LT(box_of(is, "parameters").y, box_of(is, "resources").y);
  EXPECT_GT(box_of(is, "log").y, box_of(is, "timing").y);
  EXPECT_EQ(group_of(tree, "log"), group_of(tree, "compare"));
}

TEST(LayoutTree, SplittersMoveWhatHasASizeAndShareTheRest) {
  Area tree = default_tree();
  const auto pull = [&](const std::string& name, float by) {
    const Fitted f = fitted(tree, 1600, 900);
    const SplitterBox& s = splitter_of(f, name);
    resize(*area_at(tree, s.parent), s.part, by, s.extent, s.least);
  };
  const auto box = [&](const char* panel, float height = 900) { return box_of(fitted(tree, 1600, height), panel); };
  pull("timing", 60);
  EXPECT_EQ(box("parameters").w, kLeftPixels + 60);
  pull("timing", -1000);
  EXPECT_EQ(box("parameters").w, 188) << "never less than it needs";
  pull("compare", -50);
  EXPECT_NEAR(box("compare").h, kBottomPart * 900 + 50, 0.5f);
  EXPECT_NEAR(box("compare", 1200).h, kBottomPart * 900 + 50, 0.5f) << "as chosen";
  pull("resources", 30);
  EXPECT_EQ(box("parameters").h, 454);
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  const float before = box_of(fitted(tree, 1600, 900), "why").w;
  pull("why", 40);
  EXPECT_NEAR(box_of(fitted(tree, 1600, 900), "why").w, std::max(300.f, before - 40), 0.5);
  EXPECT_NEAR(box_of(fitted(tree, 2200, 900), "why").w / box_of(fitted(tree, 2200, 900), "timing").w,
              box_of(fitted(tree, 1600, 900), "why").w / box_of(fitted(tree, 1600, 900), "timing").w, 0.2)
      << "shares grow with the window";
}

TEST(LayoutDrop, TheMiddleTakesATabInAndTheSidesSplit) {
  Area tree = default_tree();
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
  EXPECT_EQ(sound(tree).size(), kAll);
}

TEST(LayoutDrop, WhereverOneDropsTheTreeStaysSound) {
  for (const std::string& name : panels_of(default_tree()))
    for (float x = 13; x < 1268; x += 61)
      for (float y = 51; y < 750; y += 37) {
        Area tree = default_tree();
        const Rectangle window{12, 50, 1256, 700};
        const auto where = drop_at(tree, fit(tree, window, 8, needs), window, name, x, y);
        if (!where) continue;
        ASSERT_TRUE(drop(tree, name, *where)) << name << " at " << x << " " << y;
        ASSERT_EQ(sound(tree).size(), kAll);
        expect_apart(fit(tree, window, 8, needs), 1256, 700);
        if (HasFailure()) FAIL() << name << " at " << x << " " << y;
      }
}

TEST(SavedLayouts, GoThroughJsonAndBack) {
  Area tree = default_tree();
  ASSERT_TRUE(move_to_side(tree, "why", "timing", Side::right));
  ASSERT_TRUE(close(tree, "search"));
  const SavedLayout saved{tree, {"search"}};
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
  Area tree = default_tree();
  ASSERT_TRUE(close(tree, "search"));
  ASSERT_TRUE(close(tree, "log"));
  group_of(tree, "compare")->panels.push_back("of another version");
  group_of(tree, "compare")->panels.push_back("timing");
  complete(tree, Names{"search"}, panel_names());
  const auto met = sound(tree);
  EXPECT_EQ(met.size(), kAll - 1);
  EXPECT_FALSE(met.contains("search")) << "it was closed and stays so";
  EXPECT_EQ(group_of(tree, "log"), group_of(tree, "compare"));
  EXPECT_EQ(group_of(tree, "compare")->active, "compare") << "what is new does not push itself forward";
  Area nothing;
  complete(nothing, Names{}, panel_names());
  EXPECT_EQ(nothing, default_tree()) << "no panel of these: the default";
}

TEST(SavedLayouts, TheShippedOnesHoldEveryPanelThatThereIs) {
  for (const ShippedLayout& l : shipped_layouts()) {
    SCOPED_TRACE(l.name);
    const Area tree = l.make();
    EXPECT_EQ(sound(tree), std::set<std::string>(panel_names().begin(), panel_names().end()));
    for (const float whole : {776.f, 1256.f, 2536.f})
      for (const float height : {400.f, 700.f, 1360.f}) expect_apart(fitted(tree, whole, height), whole, height);
  }
}

}  // namespace
}  // namespace attnscope::gui
