// Fields of a device, as a worker tells of its own and a record keeps it.
#pragma once

#include "engine/device_info.hpp"
#include "engine/record/fields.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<MatrixShape> = declare(
    field("m", &MatrixShape::m, kNeeded), field("n", &MatrixShape::n, kNeeded), field("k", &MatrixShape::k, kNeeded),
    field("a", &MatrixShape::a, kNeeded), field("b", &MatrixShape::b, kNeeded), field("c", &MatrixShape::c, kNeeded),
    field("result", &MatrixShape::result, kNeeded), field("scope", &MatrixShape::scope, kNeeded));

template <>
inline constexpr auto fields_of<FlexibleMatrix> =
    declare(field("m_granularity", &FlexibleMatrix::m_granularity, kNeeded),
            field("n_granularity", &FlexibleMatrix::n_granularity, kNeeded),
            field("k_granularity", &FlexibleMatrix::k_granularity, kNeeded), field("a", &FlexibleMatrix::a, kNeeded),
            field("b", &FlexibleMatrix::b, kNeeded), field("c", &FlexibleMatrix::c, kNeeded),
            field("result", &FlexibleMatrix::result, kNeeded), field("scope", &FlexibleMatrix::scope, kNeeded),
            field("workgroup_invocations", &FlexibleMatrix::workgroup_invocations));

template <>
inline constexpr auto fields_of<MatrixLayout> = declare(
    field("m", &MatrixLayout::m, kNeeded), field("n", &MatrixLayout::n, kNeeded), field("k", &MatrixLayout::k, kNeeded),
    field("elements", &MatrixLayout::elements, kNeeded), field("row_shift", &MatrixLayout::row_shift, kNeeded),
    field("lane_mask", &MatrixLayout::lane_mask, kNeeded), field("element_rows", &MatrixLayout::element_rows, kNeeded),
    field("element_cols", &MatrixLayout::element_cols, kNeeded),
    field("a_like_accumulator", &MatrixLayout::a_like_accumulator, kNeeded));

template <>
inline constexpr auto fields_of<DeviceLimits> = declare(
    field("max_shared_bytes", &DeviceLimits::max_shared_bytes, Unit::bytes),
    field("max_workgroup_invocations", &DeviceLimits::max_workgroup_invocations),
    field("max_workgroup_size", &DeviceLimits::max_workgroup_size),
    field("max_workgroup_count", &DeviceLimits::max_workgroup_count),
    field("max_storage_buffer_bytes", &DeviceLimits::max_storage_buffer_bytes, Unit::bytes),
    field("max_allocation_bytes", &DeviceLimits::max_allocation_bytes, Unit::bytes),
    field("max_push_constant_bytes", &DeviceLimits::max_push_constant_bytes, Unit::bytes),
    field("max_storage_buffers", &DeviceLimits::max_storage_buffers),
    field("max_workgroup_subgroups", &DeviceLimits::max_workgroup_subgroups),
    field("subgroup_size", &DeviceLimits::subgroup_size), field("min_subgroup_size", &DeviceLimits::min_subgroup_size),
    field("max_subgroup_size", &DeviceLimits::max_subgroup_size),
    field("timestamp_period_ns", &DeviceLimits::timestamp_period_ns, Unit::nanoseconds),
    field("timestamp_valid_bits", &DeviceLimits::timestamp_valid_bits),
    field("device_memory_bytes", &DeviceLimits::device_memory_bytes, Unit::bytes),
    field("core_count", &DeviceLimits::core_count), field("warps_per_core", &DeviceLimits::warps_per_core),
    field("coopmat2_reserved_shared_bytes", &DeviceLimits::coopmat2_reserved_shared_bytes, Unit::bytes));

template <>
inline constexpr auto fields_of<DeviceInfo> = declare(
    field("index", &DeviceInfo::index, kNoColumn), field("name", &DeviceInfo::name, kNeeded, Column{"device"}),
    field("type", &DeviceInfo::type, kNoColumn), field("vendor_id", &DeviceInfo::vendor_id, kNoColumn),
    field("device_id", &DeviceInfo::device_id, kNoColumn), field("driver", &DeviceInfo::driver),
    field("api_version", &DeviceInfo::api_version, kNoColumn),
    field("pipeline_uuid", &DeviceInfo::pipeline_uuid, kNoColumn),
    field("device_uuid", &DeviceInfo::device_uuid, kNoColumn), field("limits", &DeviceInfo::limits, kNoColumn),
    field("features", &DeviceInfo::features, kNoColumn), field("matrix_shapes", &DeviceInfo::matrix_shapes, kNoColumn),
    field("flexible_matrices", &DeviceInfo::flexible_matrices, kNoColumn),
    field("matrix_layout", &DeviceInfo::matrix_layout, kNoColumn),
    field("unsuitable", &DeviceInfo::unsuitable, kNoColumn));

// clang-format on

}  // namespace attnscope
