// Styles of series: told apart by everybody, on the ground they are drawn on, and never mistaken for a state.
#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "app/gui/plot/style.hpp"
#include "app/gui/theme.hpp"

namespace attnscope::gui {
namespace {

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

TEST(Styles, NoTwoOfThePinsAreTheSameAndNoneIsTheLiveOne) {
  static_assert(kSeriesStyles >= 16);
  std::set<std::pair<ImU32, Dash>> seen = {{live_style().colour, live_style().dash}};
  for (size_t slot = 0; slot < kSeriesStyles; ++slot) {
    const SeriesStyle s = series_style(slot);
    EXPECT_TRUE(seen.insert({s.colour, s.dash}).second) << "slot " << slot;
    EXPECT_NE(s.colour, live_style().colour);
  }
  EXPECT_EQ(series_style(kSeriesStyles), series_style(0));
}

TEST(Styles, ColoursStayApartWithEveryColourBlindness) {
  std::vector<ImU32> colours = {live_style().colour};
  for (size_t slot = 0; series_style(slot).dash == Dash::solid; ++slot) colours.push_back(series_style(slot).colour);
  ASSERT_GE(colours.size(), 6u);
  for (size_t a = 0; a < colours.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      for (size_t sight = 0; sight < kSights.size(); ++sight)
        EXPECT_GT(distance(colours[a], colours[b], kSights[sight]), 0.11) << a << " and " << b << ", sight " << sight;
}

TEST(Styles, ColoursAreSeenOnTheGroundAndMeanNoState) {
  for (size_t slot = 0; slot < kSeriesStyles; ++slot) {
    const ImU32 colour = series_style(slot).colour;
    EXPECT_GT((luminance(colour) + 0.05) / (luminance(colours::panel) + 0.05), 4) << "contrast of slot " << slot;
    for (ImU32 state : {colours::good, colours::warning, colours::bad})
      EXPECT_GT(distance(colour, state, kSights[0]), 0.12) << "slot " << slot;
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

}  // namespace
}  // namespace attnscope::gui
