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
    const uint tiles = (seq_q + BLOCK_Q - 1u) / BLOCK_Q, packs = heads_q / PACKED;
    const uint tile = WHOLE_TILES + gl_WorkGroupID.x, pack = tile % PACKS, tile_at = tile / PACKS;
    const uint unit = gl_WorkGroupID.y * 128u + gl_LocalInvocationID.x, column = unit % ROW_VECTORS;
    const uint place = unit / ROW_VECTORS, seat = place / CHUNK_ROWS;
    const uint own_row = (CAUSAL ? tiles - 1u - tile_at : tile_at) * BLOCK_Q;  // the first that the tile stores
#if defined(WHOLE_LAST_TILE) && WHOLE_LAST_TILE
    const uint first_row = min(own_row, seq_q - BLOCK_Q);
#else
    const uint first_row = own_row;
#endif
    const uint query = first_row + seat / PACKED * CHUNK_ROWS + place % CHUNK_ROWS;
    if (place >= BLOCK_M || query < own_row || query >= seq_q) return;
    const uint b = pack / packs, head = pack % packs * PACKED + seat % PACKED;
    const uint row = tail_row(tile, 0u) + place;

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
