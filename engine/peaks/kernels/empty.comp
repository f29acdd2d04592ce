#version 460

// Nothing, or with `add` a count of the times that it ran.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 32;
layout(set = 0, binding = 0) buffer Count { uint count; };
layout(push_constant) uniform Push { uint add; };

void main() {
    if (add != 0u && gl_LocalInvocationIndex == 0u)
        atomicAdd(count, add);
}
