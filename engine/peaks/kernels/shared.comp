#version 460
#extension GL_EXT_control_flow_attributes : require

// Reads of shared memory, 16 bytes an invocation, neighbours next to each other: no two of them in one bank at a time.
// Where a round reads depends on the one before, so that nothing can be read once and kept.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 256;
const uint ROW = 128;
const uint ROWS = 8;
layout(set = 0, binding = 0) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint rounds; uint step; uint kept; };
shared vec4 tile[ROW * ROWS];

void main() {
    for (uint i = gl_LocalInvocationIndex; i < ROW * ROWS; i += WORKGROUP)
        tile[i] = vec4(i & 3u, i & 1u, (i >> 3) & 1u, 1);
    barrier();
    vec4 sum = vec4(0.0);
    uint at = gl_LocalInvocationIndex % ROW;
    for (uint r = 0; r < rounds; ++r) {
        [[unroll]] for (uint u = 0; u < ROWS; ++u)
            sum += tile[u * ROW + at];
        at = (at + step) % ROW;
    }
    sums[gl_GlobalInvocationID.x % kept] = sum.x + sum.y + sum.z + sum.w;
}
