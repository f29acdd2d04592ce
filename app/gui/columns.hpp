// Which columns of a table are shown in the room there is, and how wide: numbers in, numbers out.
#pragma once

#include <span>
#include <vector>

namespace attnscope::gui {

struct ColumnWish {
  float natural = 0;   ///< width that its widest content needs
  float least = 0;     ///< width below which it is of no use; at most `natural`
  int expendable = 0;  ///< where room is short the highest goes first; what is 0 always stays
  bool grows = false;  ///< takes what is left over when all have what they need
};

/// A width for each column, 0 for one that is left out. `padding` is what every column shown costs beside its width.
/// Columns go until the rest fit at their least widths; what room is left then is shared by what they lack. Columns
/// that always stay are never narrower than their least width, even where that does not fit.
std::vector<float> fit_columns(std::span<const ColumnWish>, float room, float padding);

}  // namespace attnscope::gui
