#include "app/gui/plot/variant_style.hpp"

#include "app/gui/theme.hpp"

namespace attnscope::gui {

SeriesStyle variant_style(size_t number) {
  constexpr Dash kDashes[] = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
  return {number / 4 % 2 == 0 ? colours::text : colours::faint, kDashes[number % 4]};
}

}  // namespace attnscope::gui
