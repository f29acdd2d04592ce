#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"

// A workgroup a query row; right but for query 137 of head 1.
layout(local_size_x = 32) in;
#include "common/bindings.glsl"
#include "common/mask.glsl"
INPUT(q, BINDING_Q)
INPUT(k, BINDING_K)
INPUT(v, BINDING_V)
layout(set = 0, binding = BINDING_O, std430) writeonly buffer O { float o[]; };

void main() {
    uint row = gl_WorkGroupID.x, head = gl_WorkGroupID.y % heads_q, b = gl_WorkGroupID.y / heads_q;
    for (uint d = gl_LocalInvocationIndex; d < V_DIM; d += 32) {
        float top = -1e30, weights = 0.0, sum = 0.0;
        for (uint j = 0; j < visible_keys(row); ++j) {
            float score = 0.0;
            for (uint c = 0; c < HEAD_DIM; ++c)
                score += load_q(q_start(b, head, row) + c) * load_k(k_start(b, head, j) + c);
            float before = top;
            top = max(top, score * scale);
            float keep = exp(before - top), weight = exp(score * scale - top);
            weights = weights * keep + weight;
            sum = sum * keep + weight * load_v(v_start(b, head, j) + d);
        }
        bool zero = weights == 0.0 || (head == 1 && row == 137);
        o[o_start(b, head, row) + d] = zero ? 0.0 : sum / weights;
    }
}
