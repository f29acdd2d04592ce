#include "app/gui/plot/style.hpp"

#include <array>

#include "app/gui/theme.hpp"

namespace attnscope::gui {
namespace {

// Searched for the greatest least distance (OKLab) among themselves and from the live colour, as seen with protanopia,
// deuteranopia, tritanopia and without; tests/gui/state/style_test.cpp measures it again.
constexpr std::array kOnDark = {IM_COL32(255, 236, 51, 255),  IM_COL32(201, 81, 155, 255),
                                IM_COL32(171, 255, 229, 255), IM_COL32(129, 101, 253, 255),
                                IM_COL32(167, 145, 73, 255),  IM_COL32(178, 203, 182, 255)};
constexpr std::array kOnLight = {IM_COL32(19, 160, 172, 255),  IM_COL32(255, 76, 89, 255), IM_COL32(13, 8, 169, 255),
                                 IM_COL32(167, 103, 255, 255), IM_COL32(127, 12, 0, 255),  IM_COL32(76, 13, 84, 255)};
constexpr std::array kDashes = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
static_assert(kOnLight.size() == kOnDark.size());
static_assert(kOnDark.size() * kDashes.size() == kSeriesStyles);

constexpr std::array dashed = {7.f, 4.f};
constexpr std::array dotted = {2.f, 3.f};
constexpr std::array dash_dot = {9.f, 3.f, 2.f, 3.f};

}  // namespace

std::span<const float> pattern(Dash dash) {
  switch (dash) {
    case Dash::solid: return {};
    case Dash::dashed: return dashed;
    case Dash::dotted: return dotted;
    case Dash::dash_dot: return dash_dot;
  }
  return {};
}

SeriesStyle series_style(size_t slot) {
  const auto& colours = theme_now() == Theme::dark ? kOnDark : kOnLight;
  return {colours[slot % colours.size()], kDashes[slot / colours.size() % kDashes.size()]};
}

SeriesStyle device_style(size_t number) { return series_style(kSeriesStyles - 1 - number % (kSeriesStyles / 3)); }

SeriesStyle live_style() { return {colours::accent, Dash::solid}; }

}  // namespace attnscope::gui
