// Where the panes lie: widths and heights from the window's size and what a person chose. Numbers in, numbers out.
#pragma once

namespace attnscope::gui {

/// Pixels at scale 1, as all that follow.
struct Chosen {
  float left = 0, right = 0, bottom = 0;
};

struct Columns {
  float left = 0, centre = 0, right = 0;
};
/// Of a window `whole` wide with two splitters of `gap`: the sides are as chosen unless the centre then is too narrow
/// to work in; then they give way, in proportion, down to what they need.
Columns columns_of(float whole, float gap, const Chosen&);

struct Rows {
  float most_parameters = 0;  ///< the parameters' card scrolls when it needs more
  float least_plot = 0;
  float most_bottom = 0;  ///< what the pane at the bottom may take at the most
};
/// Of a centre `height` high.
Rows rows_of(float height);

}  // namespace attnscope::gui
