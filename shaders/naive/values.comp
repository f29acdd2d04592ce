#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// Pass 3: O = P V, one thread four neighbouring outputs.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;

#include "common/bindings.glsl"
#include "common/quantized.glsl"
#include "scratch.glsl"

KV_INPUT(v, BINDING_V)
OUTPUT(o, BINDING_O)

const uint V_VECTORS = (V_DIM + 3u) / 4u;

void main() {
    uint at = gl_WorkGroupID.x * WORKGROUP + gl_LocalInvocationIndex;
    uint i = at / V_VECTORS;
    uint c = at % V_VECTORS;
    uint b = gl_WorkGroupID.y / heads_q;
    uint head = gl_WorkGroupID.y % heads_q;
    if (i >= seq_q)
        return;
    uint p_at = score_start(gl_WorkGroupID.y, i);
    vec4 sum = vec4(0.0);
    for (uint j = 0; j < KEY_COUNT; ++j)
        sum = fma(vec4(score_matrix[p_at + j]), row4_v(v_start(b, head, listed_key(b, head, i, j)), c, V_DIM, true),
                  sum);
    store4_o(o_start(b, head, i), c, V_DIM, sum);
}
