// Problems as people run them, drawn at random: what a model is fitted to, and what a choice is judged by.
#pragma once

#include "app/cli/random_problem.hpp"

namespace attnscope::cli {

/// Prefill, cross-attention and decoding of 4 to 64 heads, head dims 32 to 256, up to 16,384 queries and 131,072 keys,
/// f16 and bf16, one in ten f32; at most about `most_flops`. 0 = as much as 5 ms of a fast device.
Problem draw_problem(Random&, double most_flops = 0);

}  // namespace attnscope::cli
