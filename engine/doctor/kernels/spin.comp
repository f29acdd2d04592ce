#version 460
#include "check.glsl"

// Work that takes as long as it is told.
void main() {
    uint x = given[0];
    for (uint k = 0; k < given[1]; ++k) x = x * 1664525u + 1013904223u;
    put(gl_LocalInvocationIndex, x);
}
