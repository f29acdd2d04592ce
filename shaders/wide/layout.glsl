// Where the scores lie between the passes. Declare before including: SLICES, the slices of the head dim.
#ifndef WIDE_LAYOUT_GLSL
#define WIDE_LAYOUT_GLSL

#include "common/bindings.glsl"
#include "common/mask.glsl"

// Partial scores lie as [batch, head][slice][query][key], probabilities as [batch, head][query][key], rows padded to
// vectors of four keys. Index in vectors:
uint kv_fours() { return (seq_kv + 3u) / 4u; }
uint partial_row(uint bh, uint slice, uint row) { return ((bh * SLICES + slice) * seq_q + row) * kv_fours(); }
uint probability_row(uint bh, uint row) { return (bh * seq_q + row) * kv_fours(); }

#endif
