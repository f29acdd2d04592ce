#version 460
// The store never happens, which the compiler cannot know, so the loop stays.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Sink { float sink[]; };
layout(push_constant) uniform Push { uint iterations; };
void main() {
  float a = float(gl_GlobalInvocationID.x) * 1e-6;
  for (uint i = 0; i < iterations; ++i) a = fma(a, 0.999, 0.001);
  if (a < -1.0) sink[0] = a;
}
