#include "engine/attention/packed_types.hpp"
#include "engine/feature_names.hpp"
#include "engine/variant/expression.hpp"

namespace attnscope {
namespace {

// Strides, in elements, of one operand. Dense: [batch, heads, seq, dim]. Packed (varlen): [rows, heads, dim], where a
// sequence starts at offsets[b] rows. Paged (K and V): [pages, heads, page_size, dim], page by page as the table says.
void add_strides(Names& names, char operand, const Problem& p, double heads, double seq, double dim) {
  const std::string prefix{operand, '_'};
  const bool packed = !p.varlen.empty();
  const bool paged = p.page_size != 0 && (operand == 'k' || operand == 'v');
  names[prefix + "batch"] = packed || paged ? 0 : heads * seq * dim;
  names[prefix + "head"] = packed ? dim : (paged ? p.page_size : seq) * dim;
  names[prefix + "row"] = packed ? heads * dim : dim;
  if (operand == 'k' || operand == 'v') names[prefix + "page"] = paged ? heads * p.page_size * dim : 0;
}

// Whether f16 matrices of the accumulator's shape exist too, as sums of any product.
bool has_f16_accumulator(const DeviceInfo& device, const MatrixLayout& layout) {
  return std::ranges::any_of(device.matrix_shapes, [&](const MatrixShape& s) {
    return s.scope == "subgroup" && s.m == layout.m && s.n == layout.n && (s.c == "f16" || s.result == "f16");
  });
}

/// Of subgroup scope and 16 x 16 x 16, with operands and sums of these types.
bool has_16x16x16(const DeviceInfo& device, std::string_view operands, std::string_view sum) {
  return std::ranges::any_of(device.matrix_shapes, [&](const MatrixShape& s) {
    return s.scope == "subgroup" && s.m == 16 && s.n == 16 && s.k == 16 && s.a == operands && s.b == operands &&
           s.c == sum && s.result == sum;
  });
}

}  // namespace

Names problem_names(const Problem& p, const DeviceInfo& device) {
  const bool packed = !p.varlen.empty();
  const auto& limits = device.limits;
  Names names{
      {"batch", p.batch},
      {"heads_q", p.heads_q},
      {"heads_kv", p.heads_kv},
      {"group", p.heads_kv ? p.group() : 0},
      {"seq_q", p.seq_q},
      {"seq_kv", p.seq_kv},
      {"head_dim", p.head_dim},
      {"v_dim", p.v_dim},
      {"causal", p.causal ? 1 : 0},
      {"scale", p.softmax_scale()},
      {"dtype_bytes", dtype_bytes(p.dtype)},
      {"dtype", static_cast<double>(p.dtype)},
      {"f32", 0},
      {"f16", 1},
      {"bf16", 2},
      {"total_q", static_cast<double>(p.total_q())},
      {"total_kv", static_cast<double>(p.total_kv())},
      {"varlen", packed ? 1 : 0},
      {"page_size", p.page_size},
      {"pages", p.page_size ? p.pages() : 0},
      {"wide_range", p.inputs == InputKind::wide ? 1 : 0},
      // A window that is in the mask is nothing that a kernel is told of.
      {"window", p.mask == MaskKind::causal ? 0 : p.window},
      {"softcap", p.softcap},
      {"sinks", p.sinks ? 1 : 0},
      {"mask", p.mask != MaskKind::none ? 1 : 0},
      {"alibi", p.mask == MaskKind::alibi ? 1 : 0},
      {"mask_causal", p.mask == MaskKind::causal ? 1 : 0},
      {"mask_batch", p.mask == MaskKind::batch ? double(p.seq_q) * p.seq_kv : 0},
      {"mask_row", p.mask != MaskKind::none ? p.seq_kv : 0},
      {"packed_kv", p.packed_kv() ? 1 : 0},
      {"ktype", static_cast<double>(p.k_type)},
      {"vtype", static_cast<double>(p.v_type)},
      {"kvtype", p.k_type == p.v_type ? static_cast<double>(p.k_type) : -1.0},
      {"mla", p.mla ? 1 : 0},
      {"topk", p.topk},
      // The mean over a row of K and one of V.
      {"kv_bytes", static_cast<double>(kv_bytes(p.k_type, p.dtype, p.head_dim) +
                                       (p.mla ? 0 : kv_bytes(p.v_type, p.dtype, p.v_dim))) /
                       (double(p.head_dim) + p.v_dim)},
      {"subgroup_size", limits.subgroup_size},
      {"min_subgroup_size", limits.min_subgroup_size},
      {"max_subgroup_size", limits.max_subgroup_size},
      {"max_shared", limits.max_shared_bytes},
      {"max_invocations", limits.max_workgroup_invocations},
      {"core_count", std::max(1u, limits.core_count)},
      {"vendor_id", device.vendor_id},
      {"device_id", device.device_id},
      {"driver_id", device.driver_id},
      {"unified_memory", device.type == DeviceType::integrated_gpu || device.type == DeviceType::software ? 1 : 0},
  };
  add_strides(names, 'q', p, p.heads_q, p.seq_q, p.head_dim);
  add_strides(names, 'k', p, p.heads_kv, p.seq_kv, p.head_dim);
  add_strides(names, 'v', p, p.heads_kv, p.seq_kv, p.mla ? p.head_dim : p.v_dim);
  add_strides(names, 'o', p, p.heads_q, p.seq_q, p.v_dim);
  // mat_m, mat_n, mat_k: 0 on a device without f16 matrices of subgroup scope. The others are 0 where the layout is not
  // one that kernels can use: a variant that needs it asks for mat_elements > 0.
  const MatrixLayout layout = device.matrix_layout.value_or(MatrixLayout{});
  names["mat_m"] = layout.m;
  names["mat_n"] = layout.n;
  names["mat_k"] = layout.k;
  names["mat_elements"] = layout.elements;
  names["mat_row_shift"] = layout.row_shift;
  names["mat_lane_mask"] = layout.lane_mask;
  names["mat_element_rows"] = layout.element_rows;
  names["mat_element_cols"] = layout.element_cols;
  names["mat_row_lanes"] = layout.row_lanes;
  names["mat_a_like_accumulator"] = layout.a_like_accumulator ? 1 : 0;
  names["mat_half_columns"] = layout.half_columns ? 1 : 0;
  names["mat_f16_accumulator"] = has_f16_accumulator(device, layout) ? 1 : 0;
  names["mat_16x16x16"] = has_16x16x16(device, "f16", "f16") && has_16x16x16(device, "f16", "f32") ? 1 : 0;
  // bf16 matrices that take the place of the f16 ones, of the same shape.
  const bool probed_16 = layout.m == 16 && layout.n == 16 && layout.k == 16;
  names["mat_bf16"] = probed_16 && device.has("coopmat_bfloat16") && has_16x16x16(device, "bf16", "f32") ? 1 : 0;
  for (const PackedType& type : packed_types()) names[std::string(type.name)] = static_cast<double>(type.type);
  for (const std::string_view feature : kFeatureNames)
    names[fmt::format("has_{}", feature)] = device.has(feature) ? 1 : 0;
  return names;
}

}  // namespace attnscope
