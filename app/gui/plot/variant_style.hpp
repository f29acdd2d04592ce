// How the curves of variants differ from each other where no pin is drawn.
#pragma once

#include "app/gui/plot/style.hpp"

namespace attnscope::gui {

/// As many as can be told apart.
inline constexpr size_t kVariantStyles = 8;
/// By shade and dash alone: a colour is a pin's, wherever it is seen.
SeriesStyle variant_style(size_t number);

}  // namespace attnscope::gui
