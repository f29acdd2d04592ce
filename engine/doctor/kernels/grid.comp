#version 460
#include "check.glsl"

// Every workgroup once: a count, and a sum of hashes of their places.
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    uint place = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
    atomicAdd(found[0], 1);
#if FAULT
    if (place == 1) return;
#endif
    atomicAdd(found[1], place * 2654435761u + given[0]);
}
