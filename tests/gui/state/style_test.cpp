// Styles of series: told apart by everybody, on the ground they are drawn on, and never mistaken for a state.

#include <gtest/gtest.h>

#include <implot.h>

#include "app/gui/ui/code_view.hpp"

namespace attnscope::gui::style_test {

using Vec = std::array<double, 3>;
using Matrix = std::array<Vec, 3>;

// Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB.
constexpr std::array<Matrix, 4> kSights = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

Vec times(const Matrix& m, const Vec& v) {
  Vec out{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = 0; k < 3; ++k) out[i] += m[i][k] * v[k];
  return out;
}

Vec linear(ImU32 colour) {
  Vec out{};
  const ImU32 shifts[] = {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT};
  for (size_t i = 0; i < 3; ++i) {
    const double c = double((colour >> shifts[i]) & 255) / 255;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

/// OKLab: equal distances look about equally different.
Vec oklab(const Vec& rgb) {
  constexpr Matrix to_cones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                                {0.2119034982, 0.6806995451, 0.1073969566},
                                {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Matrix to_lab = {{{0.2104542553, 0.7936177850, -0.0040720468},
                              {1.9779984951, -2.4285922050, 0.4505937099},
                              {0.0259040371, 0.7827717662, -0.8086757660}}};
  Vec cones = times(to_cones, rgb);
  for (double& c : cones) c = std::cbrt(c);
  return times(to_lab, cones);
}

double distance(ImU32 a, ImU32 b, const Matrix& sight) {
  Vec seen[2] = {times(sight, linear(a)), times(sight, linear(b))};
  for (Vec& v : seen) {
    for (double& c : v) c = std::clamp(c, 0.0, 1.0);
    v = oklab(v);
  }
  return std::hypot(seen[0][0] - seen[1][0], seen[0][1] - seen[1][1], seen[0][2] - seen[1][2]);
}

double luminance(ImU32 colour) {
  const Vec c = linear(colour);
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

/// Each theme in turn; the dark one at the end, as the others expect.
struct Themes : testing::TestWithParam<Theme> {
  void SetUp() override { use_theme(GetParam()); }
  void TearDown() override { use_theme(Theme::dark); }
};
INSTANTIATE_TEST_SUITE_P(Both, Themes, testing::Values(Theme::dark, Theme::light),
                         [](const auto& each) { return each.param == Theme::dark ? "Dark" : "Light"; });

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

/// `over` with its opacity on an opaque ground.
ImU32 mixed(ImU32 over, ImU32 ground, float alpha = 1) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(over), b = ImGui::ColorConvertU32ToFloat4(ground);
  const float w = a.w * alpha;
  return ImGui::ColorConvertFloat4ToU32({a.x * w + b.x * (1 - w), a.y * w + b.y * (1 - w), a.z * w + b.z * (1 - w), 1});
}

TEST_P(Themes, EveryTextHasAContrastOfFourAndAHalfOnEveryGround) {
  using namespace colours;
  for (const ImU32 ground : {window, panel, popup, plot, raised, raised_hover, mixed(stripe, panel)}) {
    for (const ImU32 ink : {text, soft, faint, accent, second, good, warning, bad})
      EXPECT_GE(contrast(ink, ground), 4.5);
    EXPECT_GT(contrast(text, ground), 9);
  }
  for (const ImU32 ink : {text, soft}) EXPECT_GE(contrast(ink, chosen), 4.5);
  EXPECT_GE(contrast(text, accent_dim), 4.5);
  // A primary button, and an illegal value that is chosen.
  for (const ImU32 ground : {accent, accent_hover, bad}) EXPECT_GE(contrast(window, ground), 4.5);
  for (int i = 0; i <= 100; ++i) EXPECT_GE(contrast(heat_ink(i / 100.), heat_colour(i / 100.)), 4.5) << i;
  ImGui::CreateContext();
  ImPlot::CreateContext();
  apply_style(1);
  const float disabled = ImGui::GetStyle().DisabledAlpha;
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
  EXPECT_GE(contrast(mixed(text, panel, disabled), mixed(raised, panel, disabled)), 4.5) << "what cannot be done now";
}

TEST(Icons, LeaveWordsAloneWhereTheirFontIsMissing) {
  ImGui::CreateContext();
  EXPECT_FALSE(load_fonts({"no/fonts"}, 1));
  EXPECT_EQ(with_icon(icons::save, "Save"), "Save");
  EXPECT_STREQ(icon_or(icons::close, "x"), "x");
  ImGui::DestroyContext();
}

TEST_P(Themes, CodeIsReadAndItsPiecesAreApart) {
  const std::array inks = {Ink::plain,  Ink::keyword, Ink::type,    Ink::builtin,
                           Ink::number, Ink::text,    Ink::comment, Ink::directive};
  for (const Ink a : inks) {
    for (const ImU32 ground : {colours::window, colours::panel, mixed(colours::accent_dim, colours::window, kSelected)})
      EXPECT_GE(contrast(ink_colour(a), ground), 4.5) << int(a);
    for (const Ink b : inks)
      EXPECT_TRUE(a == b || distance(ink_colour(a), ink_colour(b), kSights[0]) > 0.04) << int(a) << " and " << int(b);
    for (const ImU32 state : {colours::good, colours::warning, colours::bad})
      EXPECT_GT(distance(ink_colour(a), state, kSights[0]), 0.05) << int(a);
  }
}

TEST_P(Themes, NoTwoPinsAreTheSameNorLikeTheLiveOne) {
  std::vector<SeriesStyle> seen = {live_style()};
  for (size_t slot = 0; slot < kSeriesStyles; ++slot) {
    EXPECT_FALSE(contains(seen, series_style(slot))) << slot;
    EXPECT_NE(series_style(slot).colour, live_style().colour);
    seen.push_back(series_style(slot));
  }
  EXPECT_EQ(series_style(kSeriesStyles), series_style(0));
}

TEST_P(Themes, ColoursStayApartWithEveryColourBlindnessAreSeenAndMeanNoState) {
  const std::array states = {colours::good, colours::warning, colours::bad, colours::accent};
  for (size_t a = 0; a < states.size(); ++a)
    for (size_t b = 0; b < a; ++b) EXPECT_GT(distance(states[a], states[b], kSights[0]), 0.1) << a << " and " << b;
  std::vector<ImU32> colours = {live_style().colour};
  for (size_t slot = 0; series_style(slot).dash == Dash::solid; ++slot) colours.push_back(series_style(slot).colour);
  ASSERT_GE(colours.size(), 6u);
  for (size_t a = 0; a < colours.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      for (size_t sight = 0; sight < kSights.size(); ++sight)
        EXPECT_GT(distance(colours[a], colours[b], kSights[sight]), 0.11) << a << " and " << b << ", sight " << sight;
  const auto hue = [](ImU32 colour) {
    const Vec seen = oklab(linear(colour));
    return std::atan2(seen[2], seen[1]) * 180 / M_PI;
  };
  for (size_t a = 1; a < colours.size(); ++a) {
    for (size_t b = 0; b < a; ++b)
      EXPECT_GT(std::abs(std::remainder(hue(colours[a]) - hue(colours[b]), 360)), b == 0 ? 44 : 20) << a << " " << b;
    for (const ImU32 ground : {colours::panel, colours::plot})
      EXPECT_GT(contrast(colours[a], ground), GetParam() == Theme::dark ? 4 : 3) << a;
    for (ImU32 state : {colours::good, colours::warning, colours::bad})
      EXPECT_GT(distance(colours[a], state, kSights[0]), 0.12) << a;
  }
}

TEST(Styles, PatternsDifferAndAreSeenWithinASwatch) {
  std::set<std::vector<float>> seen;
  for (Dash dash : {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot}) {
    const auto p = pattern(dash);
    EXPECT_TRUE(seen.insert({p.begin(), p.end()}).second);
    EXPECT_EQ(p.size() % 2, 0u) << "strokes and gaps in turn";
    float period = 0;
    for (float l : p) period += l;
    EXPECT_LE(period, 18) << "a swatch has 18 pixels";
  }
}

constexpr Box kBox = {{0, 0}, {100, 50}};

double drawn(const Strokes& s) {
  double sum = 0;
  size_t begin = 0;
  for (size_t end : s.ends) {
    for (size_t i = begin + 1; i < end; ++i)
      sum += std::hypot(s.points[i].x - s.points[i - 1].x, s.points[i].y - s.points[i - 1].y);
    begin = end;
  }
  return sum;
}

TEST(Dash, StrokesAndGapsHaveTheirLengthsAndRunOnOverAPoint) {
  const std::vector<ImVec2> line = {{0, 10}, {10, 10}, {22, 10}};  // dashed: 7 on, 4 off
  const Strokes s = strokes(line, Dash::dashed, 1, kBox);
  ASSERT_EQ(s.ends.size(), 2u);
  EXPECT_FLOAT_EQ(s.points[1].x, 7);
  EXPECT_FLOAT_EQ(s.points[2].x, 11) << "the gap goes on beyond the point";
  EXPECT_FLOAT_EQ(s.points[3].x, 18);
  EXPECT_NEAR(drawn(strokes(line, Dash::dashed, 2, kBox)), 14, 1e-4) << "twice the scale, twice the dash";
}

TEST(Dash, AnImmenseLineCostsNoMoreThanTheBox) {
  const std::vector<ImVec2> line = {{-3e7f, 10}, {50, 20}, {3e7f, 30}, {50, -4e7f}};
  const Strokes s = strokes(line, Dash::dotted, 1, kBox);
  EXPECT_GT(s.points.size(), 10u);
  EXPECT_LT(s.points.size(), 400u);
  for (ImVec2 p : s.points) {
    EXPECT_GE(p.x, -0.01f);
    EXPECT_LE(p.x, 100.01f);
  }
}

TEST(Dash, ASpikeIsTwoLinesAndAPointThatIsNoNumberBreaksTheLine) {
  const std::vector<ImVec2> spike = {{0, 45}, {2, 5}, {4, 45}, {60, 30}};
  EXPECT_EQ(strokes(spike, Dash::solid, 1, kBox).ends, (std::vector<size_t>{2, 5}))
      << "what turns back sharply would be drawn with gaps";
  const std::vector<ImVec2> line = {{0, 10}, {10, 10}, {20, NAN}, {30, 10}, {40, 10}};
  const Strokes s = strokes(line, Dash::solid, 1, kBox);
  EXPECT_EQ(s.ends.size(), 2u);
  EXPECT_NEAR(drawn(s), 20, 1e-4);
}

}  // namespace attnscope::gui::style_test
