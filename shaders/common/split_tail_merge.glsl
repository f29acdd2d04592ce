// The second pass of matrix_flash.glsl with SPLIT_KEYS: the splits of each row are brought to one maximum and added,
// always in the same order, so that two runs agree in every bit. Splits are few and rows many: a thread takes one
// vector of four dims of a row.
#ifndef ATTN_SPLIT_TAIL_MERGE_GLSL
#define ATTN_SPLIT_TAIL_MERGE_GLSL

layout(local_size_x = 128) in;
layout(constant_id = 25) const uint BLOCK_M = 64;
layout(constant_id = 26) const uint PADDED_DIM = 64;  // of a row of partial sums
layout(constant_id = 27) const uint CHUNK_ROWS = 16;  // and these of matrix_flash.glsl
layout(constant_id = 28) const uint PACKED = 1;

#define SOFTMAX_BASE_2
#include "common/bindings.glsl"
#include "common/softmax.glsl"
#include "common/options.glsl"
#include "common/split_tail.glsl"

OUTPUT(o, BINDING_O)
layout(set = 0, binding = 8, std430) readonly buffer PartialSums { vec4 partial_sums[]; };
layout(set = 0, binding = 9, std430) readonly buffer PartialSoftmax { vec2 partial_softmax[]; };

const uint ROW_VECTORS = (V_DIM + 3u) / 4u;
const uint HELD = SPLIT_COUNT < 4u ? SPLIT_COUNT : 4u;  // splits under way at once
const uint BLOCK_Q = BLOCK_M / PACKED;

void main() {
    const uint tiles = (seq_q + BLOCK_Q - 1u) / BLOCK_Q;
    const uint b = gl_WorkGroupID.y / heads_q, head = gl_WorkGroupID.y % heads_q;
    const uint unit = gl_WorkGroupID.x * 128u + gl_LocalInvocationID.x, column = unit % ROW_VECTORS;
    const uint query = (CAUSAL ? 0u : WHOLE_TILES * BLOCK_Q) + unit / ROW_VECTORS;
    if (query >= (CAUSAL ? min(seq_q, (tiles - WHOLE_TILES) * BLOCK_Q) : seq_q)) return;
    const uint tile_at = CAUSAL ? tiles - 1u - query / BLOCK_Q : query / BLOCK_Q;
#if defined(WHOLE_LAST_TILE) && WHOLE_LAST_TILE
    const uint place = query - min(query / BLOCK_Q * BLOCK_Q, seq_q - BLOCK_Q);  // in its tile
#else
    const uint place = query % BLOCK_Q;
#endif
    const uint seat = place / CHUNK_ROWS * PACKED + head % PACKED;
    const uint row = tail_row(tiles, gl_WorkGroupID.y / PACKED, tile_at, 0u) + seat * CHUNK_ROWS + place % CHUNK_ROWS;

    float top = -1e30, total = 0.0;
    vec4 sum = vec4(0.0);
    for (uint first = 0; first < SPLIT_COUNT; first += HELD) {
        vec2 softmax[HELD];
        vec4 part[HELD];
        [[unroll]] for (uint i = 0; i < HELD; ++i) {
            const uint at = row + min(first + i, SPLIT_COUNT - 1u) * BLOCK_M;
            softmax[i] = partial_softmax[at];
            part[i] = partial_sums[at * (PADDED_DIM / 4u) + column];
        }
        [[unroll]] for (uint i = 0; i < HELD; ++i)
            if (first + i < SPLIT_COUNT && softmax[i].y != 0.0) {  // else its sums were never written
                const float factor = softmax_raise(top, softmax[i].x);
                const float weight = softmax_exp(softmax[i].x - top);
                total = total * factor + weight * softmax[i].y;
                sum = sum * factor + weight * part[i];
            }
    }
#ifdef OPTION_SINKS
    total += sink_weight(head, top);
#endif
    store4_o(o_start(b, head, query), column, V_DIM, sum * softmax_norm(total));
}

#endif
