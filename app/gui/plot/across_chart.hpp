// The bars of the chart across problems: plain numbers, in the metric shown.
#pragma once

#include <string>
#include <vector>

#include "app/gui/plot/axis.hpp"
#include "app/gui/plot/style.hpp"
#include "app/gui/state/across.hpp"
#include "app/gui/state/tried.hpp"

namespace attnscope::gui {

/// The pins whose curves are wanted: those shown, of this problem (nullptr: of any), no more than there are styles, the
/// newest ones. `left_out` counts the others.
std::vector<const Pin*> drawn_pins(const Pins&, const Problem* only, size_t* left_out = nullptr);

/// Of a longer list the first ones: more groups of bars would be narrower than anybody can see, and cost every frame.
inline constexpr size_t kChartProblems = 64;

struct AcrossBar {
  const Pin* pin = nullptr;
  size_t problem = 0;                   ///< index into the list
  const Record* record = nullptr;       ///< measured; nullptr: there is no bar, see why_missing()
  double x = 0;                         ///< middle; problem i stands around i
  double value = 0, low = 0, high = 0;  ///< median, p20 and p80 (the other way round as a rate)
};
struct AcrossChart {
  std::vector<AcrossBar> bars;
  double bar_width = 0.8;
  Range y;
  bool log = false;  ///< problems so different that short bars would vanish on a linear axis
};

AcrossChart across_chart(const std::vector<const Pin*>&, const Across&, Metric);
/// The bar, or the place of one that is missing, at x; nullptr between the groups.
const AcrossBar* bar_at(const AcrossChart&, double x);
/// Why this pin has no bar on that problem.
std::string why_missing(const Pin&, const Problem&, const Tried&, bool measuring);

}  // namespace attnscope::gui
