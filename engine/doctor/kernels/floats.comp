#version 460
#include "check.glsl"

// Arithmetic that softmax is made of, of numbers that no compiler knows.
void main() {
    uint i = gl_LocalInvocationIndex;
    float x = uintBitsToFloat(given[i]), none = uintBitsToFloat(given[SIZE]);  // -Inf
    put(i * 8, fma(x, x, 1.0));
    put(i * 8 + 1, exp2(x));
    put(i * 8 + 2, 1.0 / x);
    put(i * 8 + 3, sqrt(abs(x)));
    put(i * 8 + 4, max(none, x));
    put(i * 8 + 5, exp2(none));
    put(i * 8 + 6, exp2(none - x));
    put(i * 8 + 7, exp(x));
}
