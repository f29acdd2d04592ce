// What the words of the plots and of the headline mean, for a hover: one or two plain sentences each.
#pragma once

namespace attnscope::gui::explain {

inline constexpr const char* median =
    "The middle sample of those kept (the newest 4,000): half took longer. A few disturbed samples do not move it.";
inline constexpr const char* mean =
    "Sum of the samples over their number. Far above the median: something gets in the way now and then.";
inline constexpr const char* min = "The shortest sample: what the config can do when nothing is in its way.";

namespace timing {

inline constexpr const char* p20_p80 =
    "A fifth of the samples lie below the first, a fifth above the second: where the middle three fifths are.";
inline constexpr const char* samples =
    "Executions timed so far, or groups of short ones. Those that met a frame on the same processor are left out.";
inline constexpr const char* noise =
    "The standard error of the median, over it. Differences smaller than about twice this mean nothing.";
inline constexpr const char* drift =
    "Median of the last third of the newest 4,000 samples against that of their first third. Beyond 5 % the device "
    "changes its pace: it throttles, warms up or does something else.";
inline constexpr const char* live =
    "Dots: samples; line: their rolling median; band: p20\u2013p80; the thin line across: the median of all.";
inline constexpr const char* pin = "A pinned config: its median, and p20 to p80 as a band. Click: show or hide.";
inline constexpr const char* log = "Logarithmic value axis: equal distances are equal ratios.";
inline constexpr const char* follow =
    "Back to the newest samples (double click does the same). Wheel and drag choose a stretch, over an axis along that "
    "axis alone; the view then stays where it is, whatever comes.";
inline constexpr const char* outside =
    "Samples beyond the edge, far from the others: not drawn to scale so that the rest keeps its shape. They count in "
    "every statistic; the wheel over the value axis, or its logarithm, brings them in.";

}  // namespace timing

// Columns of tables.
inline constexpr const char* config = "Variant and its config: its name, or what differs from its defaults.";
inline constexpr const char* problem = "BATCHxHEADSxSEQxHEAD_DIM, then what departs from the usual.";
inline constexpr const char* spread =
    "The 20th to the 80th percentile, over the median: how far apart the middle three fifths of the samples lie.";
inline constexpr const char* flops = "FLOPs of both matrix products over the median, without masked scores.";
inline constexpr const char* bandwidth =
    "Q, K and V read once and O written once, over the median time: what the problem needs, not what is moved.";
inline constexpr const char* moved =
    "Q, K, V and O once, and what the algorithm reads or writes again, from caches too. Counted, not measured.";
inline constexpr const char* live_is =
    "This config against the live one (or the baseline), on the same problem: FASTER, SLOWER, SAME within 2 %, or "
    "UNSURE when the samples cannot tell. Race takes both in turn, which tells more.";
inline constexpr const char* in_turn =
    "Taken in turn (Race): this config, the live one, the live one, this config, and so on, so that what disturbs one "
    "disturbs the other. The word is of those samples: FASTER, SLOWER, SAME within 0.5 %, or UNSURE.";
inline constexpr const char* verdict = "Whether the results match the CPU reference. What is wrong is never timed.";

inline constexpr const char* against =
    "The row against the column, on one problem and device, in the same modes: FASTER, SLOWER, SAME (2 %) or UNSURE.";

// Verdict.
inline constexpr const char* max_abs =
    "The largest difference from the double-precision CPU reference. Allowed: twice that of a CPU run at the "
    "variant's own precision, plus 1e-5, and for f16 and bf16 half a unit in the last place.";
inline constexpr const char* mean_abs = "Differences from the reference, without their sign, on average.";
inline constexpr const char* nmse =
    "Normalized mean square error: squared differences over the squared reference. It sees an error of all outputs "
    "that no single one shows. Allowed: four times that of a CPU run at the variant's own precision, within limits.";
inline constexpr const char* row_nmse = "The same of the one row where it is largest.";
inline constexpr const char* nan = "Outputs that are no finite number, of all that were written. None is allowed.";
inline constexpr const char* unwritten = "Outputs that still hold the poison of before the run. None is allowed.";
inline constexpr const char* padding = "Memory around the output holds a pattern; a write past the end breaks it.";
inline constexpr const char* rows_checked =
    "Rows of the output compared with the CPU reference: of large problems a sample. That every element was written, "
    "with a finite number, is checked of all.";

// Resources.
inline constexpr const char* shared = "Shared memory of one workgroup, and the most that the device allows.";
inline constexpr const char* private_arrays = "Arrays of one invocation: kept in registers, or spilled.";
inline constexpr const char* registers = "Registers of one invocation, the largest over the passes.";
inline constexpr const char* spilled = "Local memory of one invocation: registers that did not fit.";
inline constexpr const char* compile = "Pipeline creation that no cache answered, of all passes.";
inline constexpr const char* grid = "Workgroups in three dimensions, and how many invocations each has.";
inline constexpr const char* per_core =
    "Workgroups of the largest pass over the cores: below 1 cores are idle, a little above some are at the end.";
inline constexpr const char* sums = "Type of the accumulators, and of P as it enters P V where that is another one.";
inline constexpr const char* scratch = "Memory beyond Q, K, V and O, such as the scores of naive.";
}  // namespace attnscope::gui::explain
