// The score matrix in memory: [batch * heads_q, seq_q, KEY_COUNT] floats.
#ifndef NAIVE_SCRATCH_GLSL
#define NAIVE_SCRATCH_GLSL

#include "common/mask.glsl"
#include "common/softmax.glsl"
#include "common/options.glsl"

layout(set = 0, binding = 8, std430) buffer Scores { float score_matrix[]; };

uint score_start(uint batch_head, uint i) { return (batch_head * seq_q + i) * KEY_COUNT; }

#endif
