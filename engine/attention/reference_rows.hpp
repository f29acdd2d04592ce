// The reference of rows that the caller chooses.
#pragma once

#include "engine/attention/reference.hpp"

namespace attnscope {

/// As make_reference(), of these rows (sorted, each once). Empty when `cancel` becomes true.
Reference make_reference_of(const Problem&, const Inputs&, const Precision&, std::vector<uint64_t> rows,
                            const std::atomic<bool>* cancel = nullptr);

/// Rows of one batch and head to compare, numbered as in Reference::rows: all where their double-precision work is
/// within `max_flops`, else the first, the last, `also` (row numbers; those of another head are passed over) and one
/// seeded row of each of as many stretches of equal length as the budget allows, two at least.
std::vector<uint64_t> rows_of_head(const Problem&, uint32_t batch, uint32_t head, uint64_t seed, double max_flops,
                                   const std::vector<uint64_t>& also = {});

}  // namespace attnscope
