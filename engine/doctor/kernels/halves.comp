#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "check.glsl"

// Sums and products in f16, of one number and of pairs. Up to 2,048 integers are exact.
void main() {
    uint i = gl_LocalInvocationIndex;
    float16_t x = float16_t(uintBitsToFloat(given[i])), one = float16_t(uintBitsToFloat(given[SIZE]));
    float16_t sum = x;
    f16vec2 pair = f16vec2(x, -x);
    for (uint k = 0; k < 1000; ++k) {
        sum += one;
        pair = fma(f16vec2(one), f16vec2(one, -one), pair);
    }
    put(i * 6, float(sum));
    put(i * 6 + 1, float(x * x));
    put(i * 6 + 2, float(pair.x));
    put(i * 6 + 3, float(pair.y));
    put(i * 6 + 4, float(max(-x, x)));
    put(i * 6 + 5, packFloat2x16(f16vec2(x, one)));
}
