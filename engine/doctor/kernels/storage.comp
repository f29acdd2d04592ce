#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Small elements read and written one by one, in reverse.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint SIZE = 32;
layout(set = 0, binding = 0) readonly buffer Given { TYPE given[]; };
layout(set = 0, binding = 1) buffer Found { TYPE found[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, all = SIZE * gl_NumWorkGroups.x;
#if FAULT
    if (i == 1) return;
#endif
    found[i] = given[all - 1 - i];
}
