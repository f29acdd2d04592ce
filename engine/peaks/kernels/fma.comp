#version 460
#extension GL_EXT_control_flow_attributes : require
#if HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

// Chains of fused multiply-adds that do not depend on each other. With a = b = 1, which the compiler cannot know, each
// chain counts its own steps, in whole numbers that all types here hold exactly.
#if PAIRS
#define T f16vec2
#define TOTAL(v) (float(v.x) + float(v.y))
#elif HALF
#define T float16_t
#define TOTAL(v) float(v)
#else
#define T float
#define TOTAL(v) v
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 256;
layout(constant_id = 1) const uint CHAINS = 8;
layout(constant_id = 2) const uint UNROLL = 16;
layout(set = 0, binding = 0) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint rounds; float a; float b; float start; uint kept; };

void main() {
    T chain[CHAINS];
    T factor = T(a), step = T(b);
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        chain[c] = T(start + float((gl_LocalInvocationIndex & 7u) + c));
    for (uint r = 0; r < rounds; ++r)
        [[unroll]] for (uint u = 0; u < UNROLL; ++u)
            [[unroll]] for (uint c = 0; c < CHAINS; ++c)
                chain[c] = fma(chain[c], factor, step);
    float sum = 0.0;
    [[unroll]] for (uint c = 0; c < CHAINS; ++c)
        sum += TOTAL(chain[c]);
    sums[gl_GlobalInvocationID.x % kept] = sum;
}
