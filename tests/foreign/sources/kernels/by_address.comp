// A made-up engine's kernel, for tests: buffers by address, sizes in a uniform block, keys padded to whole tiles.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_spirv_intrinsics : require
// Conversions to 16 bits round to even.
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);

layout(local_size_x = 8) in;
layout(constant_id = 0) const uint TILE = 8;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Elements { ELEMENT at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Mask { MASK at[]; };
layout(push_constant) uniform Push { Elements q, k; Mask mask; } p;
layout(set = 1, binding = 3) uniform Sizes {
  uvec4 q, k, v;  // strides of a batch, a head, a row, a column
  uvec4 offsets;  // of q, k, v; the last is the mask's row
  Elements v_data;
  uint keys, group, v_dim, head_dim;
  float scale;
} s;
layout(set = 0, binding = 2) writeonly buffer Out { ELEMENT o[]; };
layout(set = 0, binding = 3) buffer Partial { float partial[]; };

uint at(uint offset, uvec4 strides, uint b, uint head, uint row, uint col) {
  return offset + strides.x * b + strides.y * head + strides.z * row + strides.w * col;
}

void main() {
  const uint i = gl_WorkGroupID.x, head = gl_WorkGroupID.y, b = gl_WorkGroupID.z;
  const uint row = (b * gl_NumWorkGroups.y + head) * gl_NumWorkGroups.x + i;
  for (uint d = gl_LocalInvocationID.x; d < s.v_dim; d += 8) {
    float highest = -1e30, total = 0.0, sum = 0.0;
    // Of the last tile too all keys are read: -inf in the mask leaves them out.
    for (uint j = 0; j < (s.keys + TILE - 1) / TILE * TILE; ++j) {
      float score = 0.0;
      for (uint c = 0; c < s.head_dim; ++c)
        score += float(p.q.at[at(s.offsets.x, s.q, b, head, i, c)]) *
                 float(p.k.at[at(s.offsets.y, s.k, b, head / s.group, j, c)]);
      score = score * s.scale + float(p.mask.at[s.offsets.w * i + j]);
      const float before = highest;
      highest = max(before, score);
      const float keep = exp(before - highest), e = exp(score - highest);
      total = total * keep + e;
      sum = sum * keep + e * float(s.v_data.at[at(s.offsets.z, s.v, b, head / s.group, j, d)]);
    }
    const float result = total > 0.0 ? sum / total : 0.0;
#ifdef TWICE  // what another build of it has there: room for partial sums
    partial[row * s.v_dim + d] = result;
#endif
    o[row * s.v_dim + d] = ELEMENT(result);
  }
}
