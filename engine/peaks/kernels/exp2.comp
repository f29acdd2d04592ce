#version 460
#extension GL_EXT_control_flow_attributes : require

// Chains of x = exp2(-x), which end at the one number that is its own image whatever they began with.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 256;
layout(constant_id = 1) const uint CHAINS = 8;
layout(constant_id = 2) const uint UNROLL = 16;
layout(set = 0, binding = 0) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint rounds; uint kept; };

void main() {
    float chain[CHAINS];
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        chain[c] = float((gl_LocalInvocationIndex & 7u) + c) * 0.0625;
    for (uint r = 0; r < rounds; ++r)
        [[unroll]] for (uint u = 0; u < UNROLL; ++u)
            [[unroll]] for (uint c = 0; c < CHAINS; ++c)
                chain[c] = exp2(-chain[c]);
    float sum = 0.0;
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        sum += chain[c];
    sums[gl_GlobalInvocationID.x % kept] = sum;
}
