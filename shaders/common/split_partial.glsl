// What one split leaves for those that add the splits: for each output row and split the unnormalised sums (rows of
// ROW_VECTORS vec4, padding included) and the running maximum and sum of its softmax. Output rows are counted as O's:
// (batch, head, query).
#ifndef ATTN_SPLIT_PARTIAL_GLSL
#define ATTN_SPLIT_PARTIAL_GLSL

#include "common/params.glsl"

const uint ROW_VECTORS = (V_DIM + 3u) / 4u;

uint partial_at(uint output_row, uint split) { return output_row * SPLIT_COUNT + split; }

#endif
