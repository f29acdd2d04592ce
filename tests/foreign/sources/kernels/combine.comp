#version 450
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint Width = 1;
layout(set = 0, binding = 0) readonly buffer In { float partial[]; };
layout(set = 0, binding = 3) writeonly buffer Out { float result[]; };
layout(push_constant) uniform P { uint rows; uint n_parts; } p;
void main() {
  const uint row = gl_GlobalInvocationID.x;
  if (row >= p.rows) return;
  const uint first = row * p.n_parts, width = Width + 2;
  float highest = -1e30, total = 0.0;
  for (uint part = 0; part < p.n_parts; ++part) highest = max(highest, partial[(first + part) * width + Width]);
  for (uint part = 0; part < p.n_parts; ++part) {
    const uint at = (first + part) * width + Width;
    total += exp(partial[at] - highest) * partial[at + 1];
  }
  for (uint d = 0; d < Width; ++d) {
    float sum = 0.0;
    for (uint part = 0; part < p.n_parts; ++part) {
      const uint at = (first + part) * width;
      sum += exp(partial[at + Width] - highest) * partial[at + d];
    }
    result[row * Width + d] = total > 0.0 ? sum / total : 0.0;  // a mask may leave a row no key
  }
#ifdef WRITES_PAST
  if (row == 0) result[p.rows * Width] = 1.0;
#endif
#ifdef LEAVES_OUT
  if (row == 1) result[row * Width] = uintBitsToFloat(0x7fc00000u);
#endif
}
