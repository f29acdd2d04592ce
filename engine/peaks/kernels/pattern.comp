#version 460

// Fills a buffer with words that differ everywhere, which no compression helps, or counts those that are not as filled.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 256;
layout(constant_id = 1) const bool CHECK = false;
layout(set = 0, binding = 0) buffer Words { uvec4 words[]; };
layout(set = 0, binding = 1) buffer Wrong { uint wrong; };
layout(push_constant) uniform Push { uint width; };  // workgroups along x

uvec4 expected(uint i) {
    uvec4 x = (uvec4(0, 1, 2, 3) + 4u * i) * 0x9e3779b9u;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    return x ^ (x >> 13);
}

void main() {
    uint i = (gl_WorkGroupID.y * width + gl_WorkGroupID.x) * WORKGROUP + gl_LocalInvocationIndex;
    if (!CHECK)
        words[i] = expected(i);
    else if (words[i] != expected(i))
        atomicAdd(wrong, 1u);
}
