// How the height of a column is shared by what stands in it. Numbers in, numbers out.
#pragma once

namespace attnscope::gui {

/// Pixels at scale 1.
struct Rows {
  float most_parameters = 0;  ///< what is as high as its content scrolls when it needs more
  float least_plot = 0;
  float soft_bottom = 0;  ///< what the pane at the bottom keeps before the content above it scrolls
  float most_bottom = 0;  ///< and may take at the most
};
/// Of a column `height` high that has a plot and a pane below it.
Rows rows_of(float height);

}  // namespace attnscope::gui
