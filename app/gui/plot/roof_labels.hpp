// Where the names of a roofline's roofs stand: each beside its own line. Numbers in, numbers out.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/gui/plot/roofline_plot.hpp"

namespace attnscope::gui {

/// The upper left corner of each roof's name, in pixels; nullopt where it would leave the picture, lie over another
/// name or be crossed by a roof wherever it stood. `sizes`: of the names, one a roof.
std::vector<std::optional<ImVec2>> roof_labels(const RooflinePlot&, const Frame&, std::span<const ImVec2> sizes);

}  // namespace attnscope::gui
