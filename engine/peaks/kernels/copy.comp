#version 460
#extension GL_EXT_control_flow_attributes : require

// Every byte of one buffer into another: 16 bytes a load, neighbouring invocations next to each other, and ITEMS loads
// under way before the first store.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 256;
layout(constant_id = 1) const uint ITEMS = 1;
layout(set = 0, binding = 0) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uvec4 to[]; };
layout(push_constant) uniform Push { uint width; };  // workgroups along x

void main() {
    uint first = (gl_WorkGroupID.y * width + gl_WorkGroupID.x) * WORKGROUP * ITEMS + gl_LocalInvocationIndex;
    uvec4 items[ITEMS];
    [[unroll]] for (uint i = 0; i < ITEMS; ++i)
        items[i] = from[first + i * WORKGROUP];
    [[unroll]] for (uint i = 0; i < ITEMS; ++i)
        to[first + i * WORKGROUP] = items[i];
}
