// What the words of the plots and of the headline mean, for a hover: one or two plain sentences each.
#pragma once

namespace attnscope::gui::explain::timing {

inline constexpr const char* median =
    "The middle sample of those kept (the newest 4,000): half took longer. A few disturbed samples do not move it.";
inline constexpr const char* p20_p80 =
    "A fifth of the samples lie below the first, a fifth above the second: where the middle three fifths are.";
inline constexpr const char* min = "The shortest sample: what the config can do when nothing is in its way.";
inline constexpr const char* mean =
    "Sum of the samples over their number. Disturbed samples pull it up, unlike the median; far from the median means "
    "that "
    "something gets in the way now and then.";
inline constexpr const char* samples =
    "Executions timed so far, or groups of them when one is too short to time. Those that met a frame of this window "
    "on the "
    "same processor are left out.";
inline constexpr const char* noise =
    "How uncertain the median still is: its standard error, from the p20\u2013p80 spread and the number of samples, "
    "relative "
    "to the median. Differences smaller than about twice this mean nothing.";
inline constexpr const char* drift =
    "Median of the last third of the samples against that of the first third, of those that the median is of: the "
    "newest 4,000. Beyond 5 % the device changes its pace: it throttles, warms up or does something else.";
inline constexpr const char* live =
    "What is measured now. Dots: samples; line: their rolling median; band: p20\u2013p80 around it; the thin line "
    "across is "
    "the median of all.";
inline constexpr const char* pin =
    "A pinned config: the rolling median of its last 600 samples, over the width of the plot; of fewer than 20 their "
    "median alone. Click to show or hide it.";
inline constexpr const char* log =
    "Logarithmic value axis: equal distances are equal ratios, so that a config ten times slower leaves room for the "
    "others.";
inline constexpr const char* follow =
    "Back to the newest samples (double click does the same). Wheel and drag choose a stretch, over an axis along that "
    "axis "
    "alone; the view then stays where it is, whatever comes.";
inline constexpr const char* outside =
    "Samples beyond the edge, far from the others: not drawn to scale so that the rest keeps its shape. They count in "
    "every "
    "statistic; the wheel over the value axis, or its logarithm, brings them in.";

}  // namespace attnscope::gui::explain::timing

namespace attnscope::gui::explain::across {

inline constexpr const char* bar = "Height: median. Mark: p20\u2013p80.";

}  // namespace attnscope::gui::explain::across
