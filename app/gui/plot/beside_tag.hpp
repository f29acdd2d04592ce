// Ticks of an axis on which something stands already: the tag of a value.
#pragma once

#include "app/gui/plot/axis.hpp"

namespace attnscope::gui {

/// A part of an axis' length, from 0 at the low end to 1; none: a reach below 0.
struct Taken {
  double at = 0, reach = -1;
};
/// As metric_ticks(), but none where `taken` is. Two at the least, closer to each other than round steps where need be:
/// one value tells no scale.
std::vector<Tick> ticks_beside(const Range&, bool log, Metric, int most, const Taken& taken);
/// Without those that lie less than `least` of the axis' length below the next one: their words would run into it.
std::vector<Tick> apart(std::vector<Tick>, const Range&, bool log, double least);

}  // namespace attnscope::gui
