#version 460
#include "element.glsl"

// An invocation takes whole rows of O. Each workgroup leaves one part; few enough to be put together by the host.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Got { uint got[]; };
layout(set = 0, binding = 1) readonly buffer Expected { float expected[]; };
// Largest error beyond the rounding of what is stored, where, not finite, the first; and the largest NMSE of a row.
layout(set = 0, binding = 2) writeonly buffer Parts { uvec4 parts[]; };
layout(push_constant) uniform Push { uint rows, v_dim, dtype; };
shared uvec4 all[256];
shared float nmse[256];
uvec4 both(uvec4 a, uvec4 b) {
  // Floats of one sign order as their bits do.
  const bool second = b.x > a.x;
  return uvec4(second ? b.xy : a.xy, a.z + b.z, min(a.w, b.w));
}
void main() {
  uvec4 mine = uvec4(0u, 0u, 0u, 0xffffffffu);
  float worst = 0.0;
  for (uint row = gl_GlobalInvocationID.x; row < rows; row += gl_NumWorkGroups.x * 256u) {
    float square = 0.0, expected_square = 0.0;
    for (uint i = row * v_dim; i < row * v_dim + v_dim; ++i) {
      const float value = element(got[dtype == 0 ? i : i >> 1], i, dtype), error = abs(value - expected[i]);
      if ((floatBitsToUint(value) & 0x7f800000u) == 0x7f800000u) {
        mine.z += 1u;
        mine.w = min(mine.w, i);
        continue;
      }
      square += error * error;
      expected_square += expected[i] * expected[i];
      // To which side a value near the middle of two is rounded is chance, as storage_rounding() has it.
      const float half_apart = uintBitsToFloat(floatBitsToUint(expected[i]) & 0x7f800000u) *
                               (dtype == 0 ? 0.0 : dtype == 1 ? exp2(-11.0) : exp2(-8.0));
      const float beyond = max(error - half_apart, 0.0);
      if (floatBitsToUint(beyond) > mine.x) mine.xy = uvec2(floatBitsToUint(beyond), i);
    }
    // As judge() has it.
    if (square > 1e-10 * float(v_dim)) worst = max(worst, square / max(expected_square, square));
  }
  const uint t = gl_LocalInvocationID.x;
  all[t] = mine;
  nmse[t] = worst;
  barrier();
  for (uint half_way = 128u; half_way > 0u; half_way >>= 1) {
    if (t < half_way) {
      all[t] = both(all[t], all[t + half_way]);
      nmse[t] = max(nmse[t], nmse[t + half_way]);
    }
    barrier();
  }
  if (t == 0u) {
    parts[2 * gl_WorkGroupID.x] = all[0];
    parts[2 * gl_WorkGroupID.x + 1] = uvec4(floatBitsToUint(nmse[0]));
  }
}
