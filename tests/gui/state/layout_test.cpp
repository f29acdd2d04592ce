// Where panels lie: columns of groups, their fit into windows, and what is kept of it.

#include "app/gui/panels/panel.hpp"
#include "tests/has.hpp"

namespace attnscope::gui::layout_test {

using Names = std::vector<std::string>;

Needs needs(const TabGroup& group) {
  const std::string& panel = group.panels.front();
  if (panel == "parameters" || panel == "resources") return {188, 150};
  return panel == "timing" ? Needs{400, 140} : Needs{300, 80};
}

Fitted fitted(PanelLayout& l, float w, float h) { return fit(l, {12, 50, w, h}, 8, needs); }

Rectangle box_of(const Fitted& f, const std::string& panel) {
  for (const GroupBox& g : f.groups)
    if (contains(g.group.panels, panel)) return g.box;
  return {};
}

const SplitterBox& splitter_of(const Fitted& f, const std::string& name) {
  return *must(find_by(f.splitters, name, &SplitterBox::name), name);
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
          << f.groups[i].group.active << " over " << f.groups[k].group.active;
    }
  }
}

const size_t kAll = panel_names().size();

TEST(LayoutTree, TheDefaultHasAColumnAtTheLeftAndTabsBelowTheTiming) {
  PanelLayout tree = default_layout();
  EXPECT_EQ(panels_of(tree).size(), kAll);
  const Fitted f = fitted(tree, 1256, 700);
  EXPECT_EQ(box_of(f, "parameters"), (Rectangle{12, 50, kLeftPixels, 700 - 8 - kResourcesPart * 700}));
  EXPECT_EQ(box_of(f, "resources").bottom(), 750);
  EXPECT_EQ(box_of(f, "timing").right(), 12 + 1256);
  EXPECT_NEAR(box_of(f, "compare").h, kBottomPart * 700, 0.5f);
  EXPECT_EQ(splitter_of(f, "timing").box.x, 12 + kLeftPixels);
  splitter_of(f, "compare");
}

TEST(LayoutTree, TheSideGivesWayBeforeTheCentreIsOfNoUse) {
  PanelLayout tree = default_layout();
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
  EXPECT_NEAR(box_of(fitted(tree, 700, 560), "timing").w, 460, 1) << "before the side has all it asks for";
  EXPECT_EQ(fitted(tree, 1256, 700).groups.front().box.w, kLeftPixels) << "as chosen where there is room";
}

TEST(LayoutTree, ThePaneAtTheBottomHasItsPartUntilSomebodyChoosesItsHeight) {
  PanelLayout tree = default_layout();
  const auto height = [&] { return box_of(fit(tree, {12, 50, 1256, 700}, 8, needs), "compare").h; };
  EXPECT_NEAR(height(), kBottomPart * 700, 0.5f);
  group_of(tree, "compare")->height = 230;
  EXPECT_NEAR(height(), 230, 0.5f);
  // What leads keeps its height until then, too.
  const auto leads = [](const TabGroup& group) { return Needs{188, 80, group.active == "timing" ? 330.f : 0.f}; };
  const auto timing = [&] { return box_of(fit(tree, {12, 50, 1000, 500}, 8, leads), "timing").h; };
  EXPECT_NEAR(timing(), 500 - 8 - 230, 0.5f);
  tree = default_layout();
  EXPECT_NEAR(timing(), 330, 0.5f);
}

TEST(LayoutTree, ATabGoesToAnotherGroupAndIsShownThere) {
  PanelLayout tree = default_layout();
  const size_t tabs = group_of(tree, "compare")->panels.size();
  move_to_group(tree, "why", "timing");
  EXPECT_EQ(group_of(tree, "timing")->panels, (Names{"timing", "why"}));
  EXPECT_EQ(group_of(tree, "timing")->active, "why");
  EXPECT_EQ(group_of(tree, "compare")->panels.size(), tabs - 1);
  move_to_group(tree, "search", "compare", "compare");
  EXPECT_EQ(group_of(tree, "compare")->panels.front(), "search") << "before that tab";
  move_to_group(tree, "search", "compare");
  EXPECT_EQ(group_of(tree, "compare")->panels.back(), "search") << "and last";
  move_to_group(tree, "timing", "nosuch");
  EXPECT_EQ(panels_of(tree).size(), kAll);
}

TEST(LayoutTree, WhatIsClosedComesBackAtItsPlace) {
  PanelLayout whole = default_layout();
  const Fitted was = fitted(whole, 1256, 700);
  for (const std::string& name : panels_of(whole)) {
    SCOPED_TRACE(name);
    PanelLayout tree = whole;
    ASSERT_TRUE(close(tree, name));
    EXPECT_FALSE(close(tree, name)) << "it is closed";
    const Fitted without = fitted(tree, 1256, 700);
    expect_apart(without, 1256, 700);
    EXPECT_EQ(box_of(without, name), Rectangle{});
    show(tree, name);
    EXPECT_EQ(group_of(tree, name)->active, name);
    EXPECT_EQ(box_of(fitted(tree, 1256, 700), name), box_of(was, name));
  }
  // The next one comes to the front; whole columns and groups go; the last one open stays.
  ASSERT_TRUE(close(whole, "compare"));
  EXPECT_EQ(group_of(whole, "search")->active, "search");
  const std::string last = panels_of(whole).back();
  for (const std::string& name : panels_of(whole)) EXPECT_EQ(close(whole, name), name != "compare" && name != last);
  const Fitted alone = fitted(whole, 1256, 700);
  EXPECT_EQ(only(alone.groups).box, (Rectangle{12, 50, 1256, 700}));
}

TEST(LayoutTree, SplittersMoveWhatHasASize) {
  PanelLayout tree = default_layout();
  const auto pull = [&](const std::string& name, float by) {
    const Fitted f = fitted(tree, 1600, 900);
    resize(splitter_of(f, name), by);
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
  EXPECT_NEAR(box("resources").h, kResourcesPart * 900 - 30, 0.5f);
}

TEST(SavedLayouts, GoThroughJsonAndBackAndWhatCannotBeIsRefusedWithItsPlace) {
  PanelLayout saved = default_layout();
  move_to_group(saved, "why", "timing");
  ASSERT_TRUE(close(saved, "search"));
  const auto read = [](const std::string& text) { return layout_from(*parse_json(text, "it")); };
  EXPECT_EQ(*must(read(to_json(saved).dump())), saved);
  const auto group = [](const std::string& text) { return R"({"columns": [{"groups": [)" + text + "]}]}"; };
  std::string many = R"({"panels": ["a"]})";
  for (size_t i = 0; i < kMostGroups; ++i) many += R"(, {"panels": ["a"]})";
  for (const auto& [text, says] : {std::pair<std::string, const char*>{"[]", "an object"},
                                   {R"({"closed": []})", "columns"},
                                   {group(R"({"height": -3, "panels": ["a"]})"), "-3"},
                                   {group(R"({"panels": [3]})"), ".columns[0].groups[0].panels[0]"},
                                   {group(many), "groups"}})
    EXPECT_TRUE(fails(read(text), says));
}

TEST(SavedLayouts, UnknownPanelsGoAndNewOnesComeToTheirPlace) {
  PanelLayout l = default_layout();
  ASSERT_TRUE(close(l, "search"));
  auto& tabs = group_of(l, "compare")->panels;
  std::erase(tabs, "log");
  tabs.push_back("of another version");
  tabs.push_back("timing");
  complete(l, panel_names());
  const Names all = panels_of(l);
  EXPECT_EQ(all.size(), kAll);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), kAll);
  EXPECT_EQ(l.closed, std::set<std::string>{"search"}) << "it was closed and stays so";
  EXPECT_EQ(group_of(l, "log"), group_of(l, "compare"));
  EXPECT_EQ(group_of(l, "compare")->active, "compare") << "what is new does not push itself forward";
  PanelLayout nothing{{}, {panel_names().begin(), panel_names().end()}};
  complete(nothing, panel_names());
  EXPECT_EQ(nothing, default_layout()) << "no panel of these: the default";
}

TEST(SavedLayouts, TheShippedOnesHoldEveryPanelThatThereIs) {
  for (const ShippedLayout& shipped : shipped_layouts()) {
    SCOPED_TRACE(shipped.name);
    PanelLayout l = shipped.make();
    const Names all = panels_of(l);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()),
              std::set<std::string>(panel_names().begin(), panel_names().end()));
    EXPECT_EQ(all.size(), kAll);
    for (const float whole : {776.f, 1256.f, 2536.f})
      for (const float height : {400.f, 700.f, 1360.f}) expect_apart(fitted(l, whole, height), whole, height);
  }
}

}  // namespace attnscope::gui::layout_test
