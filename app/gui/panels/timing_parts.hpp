// What stands around the live curve: how its samples are distributed, the whole series, and what was measured before.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "app/gui/plot/axis.hpp"
#include "app/gui/ui.hpp"

namespace attnscope::gui {

// Pixels at scale 1.
inline constexpr float kSpreadWidth = 178, kStripHeight = 32;

/// Bars along the value axis of the curve beside it, with their marks.
void spread_beside(Ui&, const Frame& curve, ImVec2 min, ImVec2 max);
/// All samples of the run, first to last, with what the curve shows of them as a window to drag, and words at its
/// right: in `beside` pixels that are free there, as far as they suffice.
void overview_strip(Ui&, ImVec2 min, ImVec2 max, float beside);
/// The median of the run before, across the curve, or an arrow to where it is; within its plot.
void level_before(double value, const Frame&);
/// An arrow at the edge behind which something lies; `place`: the how-manieth there, from the left.
void beyond_axis(const Frame&, bool above, size_t place, ImU32 colour);
/// The curve of the run before, dimmed, while there is none of what is asked.
void curve_before(Ui&, const Record&, std::span<const double> samples_ns);
void dump_timing_parts(const Workbench&, nlohmann::ordered_json&);

}  // namespace attnscope::gui
