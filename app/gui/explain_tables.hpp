// What the words of the tables and of the facts at the right mean, for a hover: one or two plain sentences each.
#pragma once

namespace attnscope::gui::explain {

// Columns.
inline constexpr const char* config =
    "Variant and what sets its config apart: its name, or the parameters that differ from their defaults.";
inline constexpr const char* problem = "BATCHxHEADSxSEQxHEAD_DIM, then what departs from the usual.";
inline constexpr const char* median = "The middle sample: half took longer. A few disturbed samples do not move it.";
inline constexpr const char* mean =
    "Sum of all samples over their number. Disturbed samples pull it up, unlike the median.";
inline constexpr const char* min = "The shortest sample.";
inline constexpr const char* max = "The longest sample.";
inline constexpr const char* spread =
    "The 20th to the 80th percentile, over the median: how far apart the middle three fifths of the samples lie.";
inline constexpr const char* flops =
    "FLOPs of the two matrix products over the median time. Scores that the causal mask hides do not count.";
inline constexpr const char* bandwidth =
    "Q, K and V read once and O written once, over the median time: what the problem needs, not what the variant "
    "moves.";
inline constexpr const char* moved =
    "Q, K, V and O once, and what the algorithm reads or writes again, from caches too. Counted from the plan, not "
    "measured.";
inline constexpr const char* memory =
    "What the variant allocates beside Q, K, V and O, such as naive attention's scores.";
inline constexpr const char* live_is =
    "The live config against this one, on the same problem: FASTER, SLOWER, SAME within 2 %, or UNSURE when the "
    "samples "
    "cannot tell.";
inline constexpr const char* number = "In the order tried; the newest is on top.";
inline constexpr const char* verdict =
    "Whether the results match the CPU reference. What is wrong is never timed, and never ranked.";

inline constexpr const char* device = "Where it was measured.";
inline constexpr const char* when = "When it began, in UTC.";
inline constexpr const char* note =
    "What a person wrote about the run (the button at its end, or a right click on the row).";
inline constexpr const char* against =
    "The row against the column, on the same problem, device and in the same modes: FASTER, SLOWER, SAME within 2 %, "
    "or "
    "UNSURE.";

// Verdict.
inline constexpr const char* max_abs =
    "The largest difference from the double-precision CPU reference, of the rows that were compared.";
inline constexpr const char* allowed_max_abs =
    "Twice the error of a CPU run at the variant's own precision, plus 1e-5; for f16 and bf16 also half the distance "
    "between neighbours at the worst element.";
inline constexpr const char* mean_abs = "Differences from the reference, without their sign, on average.";
inline constexpr const char* nmse =
    "Normalized mean square error: squared differences over the squared reference. It sees an error of all outputs "
    "that no "
    "single one shows.";
inline constexpr const char* allowed_nmse =
    "A limit for each storage type, or four times that of a CPU run at the variant's own precision where that is more.";
inline constexpr const char* nan = "Outputs that are no finite number, of all that were written. None is allowed.";
inline constexpr const char* unwritten =
    "Outputs that still hold the poison they were filled with before the run. None is allowed.";
inline constexpr const char* padding =
    "Memory around the output is filled with a pattern before the run; a write past the end breaks it.";
inline constexpr const char* rows_checked =
    "Rows of the output compared with the reference. Of large problems a sample is compared, since the reference takes "
    "a "
    "CPU; that every element was written, and with a finite number, is checked of all.";
inline constexpr const char* worst = "Where the largest difference is: batch, head, query, element.";
inline constexpr const char* got = "What the device computed there.";
inline constexpr const char* expected = "What the reference computed there.";

// Resources.
inline constexpr const char* shared =
    "Shared memory of one workgroup, from the specialized SPIR-V, and the most that the device allows.";
inline constexpr const char* private_arrays =
    "Arrays of one invocation, from the specialized SPIR-V: what the compiler has to keep in registers, or spills.";
inline constexpr const char* registers = "Registers of one invocation, the largest over the passes.";
inline constexpr const char* spilled =
    "Local memory of one invocation beyond the driver's base: registers that did not fit.";
inline constexpr const char* code = "Size of the machine code, as the driver tells it.";
inline constexpr const char* compile = "Pipeline creation that no cache answered, of all passes.";
inline constexpr const char* grid = "Workgroups in three dimensions, and how many invocations each has.";
inline constexpr const char* per_core =
    "Workgroups of the largest pass over the device's cores: below 1, cores are idle; a small number that is no whole "
    "one "
    "leaves some idle at the end.";
inline constexpr const char* sums = "Type of the accumulators, and of P as it enters P V where that is another one.";
inline constexpr const char* scratch =
    "Intermediate memory beyond Q, K, V and O (naive's scores, split-KV's partial results).";
inline constexpr const char* work =
    "Multiplications and additions of the two matrix products, of the scores that are not masked.";
inline constexpr const char* least_traffic = "Q, K and V read once, O written once: no algorithm moves less.";
inline constexpr const char* extra_traffic = "What this variant reads and writes beyond that, counted from its plan.";
inline constexpr const char* intensity =
    "Work over least traffic. Above the device's ratio of FLOP/s to B/s it is compute that limits, below it the "
    "memory.";

}  // namespace attnscope::gui::explain
