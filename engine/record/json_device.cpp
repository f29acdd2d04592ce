// JSON of devices and variants: what a worker tells of its machine, and what it is given to run.
#include "engine/record/json_fields.hpp"

namespace attnscope {

void to_json(Json& j, const MatrixShape& x) {
  j = Json{{"m", x.m}, {"n", x.n}, {"k", x.k},           {"a", x.a},
           {"b", x.b}, {"c", x.c}, {"result", x.result}, {"scope", x.scope}};
}
void from_json(const Json& j, MatrixShape& x) {
  Fields(j)
      .need("m", x.m)
      .need("n", x.n)
      .need("k", x.k)
      .need("a", x.a)
      .need("b", x.b)
      .need("c", x.c)
      .need("result", x.result)
      .need("scope", x.scope);
}

void to_json(Json& j, const FlexibleMatrix& x) {
  j = Json{{"m_granularity", x.m_granularity},
           {"n_granularity", x.n_granularity},
           {"k_granularity", x.k_granularity},
           {"a", x.a},
           {"b", x.b},
           {"c", x.c},
           {"result", x.result},
           {"scope", x.scope},
           {"workgroup_invocations", x.workgroup_invocations}};
}
void from_json(const Json& j, FlexibleMatrix& x) {
  Fields(j)
      .need("m_granularity", x.m_granularity)
      .need("n_granularity", x.n_granularity)
      .need("k_granularity", x.k_granularity)
      .need("a", x.a)
      .need("b", x.b)
      .need("c", x.c)
      .need("result", x.result)
      .need("scope", x.scope)
      .maybe("workgroup_invocations", x.workgroup_invocations);
}

void to_json(Json& j, const MatrixLayout& x) {
  j = Json{{"m", x.m},
           {"n", x.n},
           {"k", x.k},
           {"elements", x.elements},
           {"row_shift", x.row_shift},
           {"lane_mask", x.lane_mask},
           {"element_rows", x.element_rows},
           {"element_cols", x.element_cols},
           {"a_like_accumulator", x.a_like_accumulator}};
}
void from_json(const Json& j, MatrixLayout& x) {
  Fields(j)
      .need("m", x.m)
      .need("n", x.n)
      .need("k", x.k)
      .need("elements", x.elements)
      .need("row_shift", x.row_shift)
      .need("lane_mask", x.lane_mask)
      .need("element_rows", x.element_rows)
      .need("element_cols", x.element_cols)
      .need("a_like_accumulator", x.a_like_accumulator);
}

void to_json(Json& j, const DeviceLimits& x) {
  j = Json{{"max_shared_bytes", x.max_shared_bytes},
           {"max_workgroup_invocations", x.max_workgroup_invocations},
           {"max_workgroup_size", write_json(x.max_workgroup_size)},
           {"max_workgroup_count", write_json(x.max_workgroup_count)},
           {"max_storage_buffer_bytes", x.max_storage_buffer_bytes},
           {"max_allocation_bytes", x.max_allocation_bytes},
           {"max_push_constant_bytes", x.max_push_constant_bytes},
           {"max_storage_buffers", x.max_storage_buffers},
           {"max_workgroup_subgroups", x.max_workgroup_subgroups},
           {"subgroup_size", x.subgroup_size},
           {"min_subgroup_size", x.min_subgroup_size},
           {"max_subgroup_size", x.max_subgroup_size},
           {"timestamp_period_ns", write_json(x.timestamp_period_ns)},
           {"timestamp_valid_bits", x.timestamp_valid_bits},
           {"device_memory_bytes", x.device_memory_bytes},
           {"core_count", x.core_count},
           {"warps_per_core", x.warps_per_core},
           {"coopmat2_reserved_shared_bytes", x.coopmat2_reserved_shared_bytes}};
}
void from_json(const Json& j, DeviceLimits& x) {
  Fields(j)
      .maybe("max_shared_bytes", x.max_shared_bytes)
      .maybe("max_workgroup_invocations", x.max_workgroup_invocations)
      .maybe("max_workgroup_size", x.max_workgroup_size)
      .maybe("max_workgroup_count", x.max_workgroup_count)
      .maybe("max_storage_buffer_bytes", x.max_storage_buffer_bytes)
      .maybe("max_allocation_bytes", x.max_allocation_bytes)
      .maybe("max_push_constant_bytes", x.max_push_constant_bytes)
      .maybe("max_storage_buffers", x.max_storage_buffers)
      .maybe("max_workgroup_subgroups", x.max_workgroup_subgroups)
      .maybe("subgroup_size", x.subgroup_size)
      .maybe("min_subgroup_size", x.min_subgroup_size)
      .maybe("max_subgroup_size", x.max_subgroup_size)
      .maybe("timestamp_period_ns", x.timestamp_period_ns)
      .maybe("timestamp_valid_bits", x.timestamp_valid_bits)
      .maybe("device_memory_bytes", x.device_memory_bytes)
      .maybe("core_count", x.core_count)
      .maybe("warps_per_core", x.warps_per_core)
      .maybe("coopmat2_reserved_shared_bytes", x.coopmat2_reserved_shared_bytes);
}

void to_json(Json& j, const DeviceInfo& x) {
  j = Json{{"index", x.index},
           {"name", x.name},
           {"type", to_text(x.type)},
           {"vendor_id", x.vendor_id},
           {"device_id", x.device_id},
           {"driver", x.driver},
           {"api_version", x.api_version},
           {"pipeline_uuid", x.pipeline_uuid},
           {"limits", x.limits},
           {"features", x.features},
           {"matrix_shapes", write_json(x.matrix_shapes)},
           {"flexible_matrices", write_json(x.flexible_matrices)},
           {"matrix_layout", write_json(x.matrix_layout)},
           {"unsuitable", x.unsuitable}};
}
void from_json(const Json& j, DeviceInfo& x) {
  Fields(j)
      .maybe("index", x.index)
      .need("name", x.name)
      .maybe_enum("type", x.type,
                  std::array{DeviceType::discrete_gpu, DeviceType::integrated_gpu, DeviceType::virtual_gpu,
                             DeviceType::software, DeviceType::other})
      .maybe("vendor_id", x.vendor_id)
      .maybe("device_id", x.device_id)
      .maybe("driver", x.driver)
      .maybe("api_version", x.api_version)
      .maybe("pipeline_uuid", x.pipeline_uuid)
      .maybe("limits", x.limits)
      .maybe("features", x.features)
      .maybe("matrix_shapes", x.matrix_shapes)
      .maybe("flexible_matrices", x.flexible_matrices)
      .maybe("matrix_layout", x.matrix_layout)
      .maybe("unsuitable", x.unsuitable);
}

void to_json(Json& j, const VariantSource& x) {
  j = Json{{"name", x.name}, {"files", write_json(x.files)}, {"common", write_json(x.common)}, {"shadows", x.shadows}};
}
void from_json(const Json& j, VariantSource& x) {
  Fields(j).need("name", x.name).need("files", x.files).maybe("common", x.common).maybe("shadows", x.shadows);
}

void to_json(Json& j, const Parameter& x) {
  j = Json{{"name", x.name}, {"meaning", x.meaning}, {"values", x.values}, {"default", x.default_value}};
}
void from_json(const Json& j, Parameter& x) {
  Fields(j).need("name", x.name).maybe("meaning", x.meaning).need("values", x.values).need("default", x.default_value);
}

void to_json(Json& j, const ConstraintDecl& x) { j = Json{{"require", x.require}, {"because", x.because}}; }
void from_json(const Json& j, ConstraintDecl& x) { Fields(j).need("require", x.require).need("because", x.because); }

void to_json(Json& j, const NamedConfig& x) {
  j = Json{{"name", x.name}, {"purpose", x.purpose}, {"values", write_json(x.values)}, {"suits", x.suits}};
}
void from_json(const Json& j, NamedConfig& x) {
  Fields(j).need("name", x.name).maybe("purpose", x.purpose).maybe("values", x.values).maybe("suits", x.suits);
}

void to_json(Json& j, const ParameterChoices& x) { j = Json{{"name", x.name}, {"why_not", x.why_not}}; }
void from_json(const Json& j, ParameterChoices& x) { Fields(j).need("name", x.name).need("why_not", x.why_not); }

}  // namespace attnscope
