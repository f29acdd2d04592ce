#version 460
#include "check.glsl"

// All of shared memory, by as many invocations as a workgroup may have: each reads what others wrote.
layout(constant_id = 1) const uint WORDS = 4096;
shared uint memory[WORDS];

void main() {
    uint lane = gl_LocalInvocationIndex;
    for (uint i = lane; i < WORDS; i += SIZE) memory[i] = i * 2654435761u + given[0];
    barrier();
    uint wrong = 0;
    for (uint i = lane; i < WORDS; i += SIZE) {
        uint other = WORDS - 1 - i;
        if (memory[other] != other * 2654435761u + given[0]) ++wrong;
    }
    put(lane, wrong);
}
