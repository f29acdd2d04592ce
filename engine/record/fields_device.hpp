// Fields of a device, as a worker tells of its own and a record keeps it.
#pragma once

#include "engine/device_info.hpp"
#include "engine/record/fields.hpp"

namespace attnscope {

FIELDS(MatrixShape, FIELD(m, kNeeded), FIELD(n, kNeeded), FIELD(k, kNeeded), FIELD(a, kNeeded), FIELD(b, kNeeded),
       FIELD(c, kNeeded), FIELD(result, kNeeded), FIELD(scope, kNeeded));

FIELDS(FlexibleMatrix, FIELD(m_granularity, kNeeded), FIELD(n_granularity, kNeeded), FIELD(k_granularity, kNeeded),
       FIELD(a, kNeeded), FIELD(b, kNeeded), FIELD(c, kNeeded), FIELD(result, kNeeded), FIELD(scope, kNeeded),
       FIELD(workgroup_invocations));

FIELDS(MatrixLayout, FIELD(m, kNeeded), FIELD(n, kNeeded), FIELD(k, kNeeded), FIELD(elements, kNeeded),
       FIELD(row_shift, kNeeded), FIELD(lane_mask, kNeeded), FIELD(element_rows, kNeeded), FIELD(element_cols, kNeeded),
       FIELD(a_like_accumulator, kNeeded));

FIELDS(CompileOnly, FIELD(name, kNeeded), FIELD(core_count), FIELD(matrix_layout));

FIELDS(DeviceLimits, FIELD(max_shared_bytes, Unit::bytes), FIELD(max_workgroup_invocations), FIELD(max_workgroup_size),
       FIELD(max_workgroup_count), FIELD(max_storage_buffer_bytes, Unit::bytes),
       FIELD(max_allocation_bytes, Unit::bytes), FIELD(max_push_constant_bytes, Unit::bytes),
       FIELD(max_storage_buffers), FIELD(max_workgroup_subgroups), FIELD(subgroup_size), FIELD(min_subgroup_size),
       FIELD(max_subgroup_size), FIELD(timestamp_period_ns, Unit::nanoseconds), FIELD(timestamp_valid_bits),
       FIELD(device_memory_bytes, Unit::bytes), FIELD(core_count), FIELD(warps_per_core),
       FIELD(coopmat2_reserved_shared_bytes, Unit::bytes));

FIELDS(DeviceInfo, FIELD(index, kNoColumn), FIELD(name, kNeeded, Column{"device"}), FIELD(type, kNoColumn),
       FIELD(use, kNoColumn), FIELD(vendor_id, kNoColumn), FIELD(device_id, kNoColumn), FIELD(driver_id, kNoColumn),
       FIELD(driver), FIELD(api_version, kNoColumn), FIELD(pipeline_uuid, kNoColumn), FIELD(device_uuid, kNoColumn),
       FIELD(limits, kNoColumn), FIELD(features, kNoColumn), FIELD(matrix_shapes, kNoColumn),
       FIELD(flexible_matrices, kNoColumn), FIELD(matrix_layout, kNoColumn), FIELD(unsuitable, kNoColumn));

}  // namespace attnscope
