#version 460
// f16 counts exactly to 2,048: enough for any advertised shape's cells.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 0) const uint LANES = 32;
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(set = 0, binding = 0) buffer Cells { uint cells[]; };
shared float c_index[M * N];
shared float16_t a_index[M * K];
void main() {
  uint lane = gl_SubgroupInvocationID;
  for (uint i = lane; i < M * N; i += LANES) c_index[i] = float(i);
  for (uint i = lane; i < M * K; i += LANES) a_index[i] = float16_t(i);
  barrier();
  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> c;
  coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a;
  coopMatLoad(c, c_index, 0, N, gl_CooperativeMatrixLayoutRowMajor);
  coopMatLoad(a, a_index, 0, K, gl_CooperativeMatrixLayoutRowMajor);
  if (lane == 0) {
    cells[0] = gl_SubgroupSize;
    cells[1] = c.length();
    cells[2] = a.length();
  }
  for (int i = 0; i < c.length(); ++i) cells[4 + lane * 32 + i] = uint(c[i]);
  for (int i = 0; i < a.length(); ++i) cells[4 + (LANES + lane) * 32 + i] = uint(a[i]);
}
