// Fields of comparisons, for JSON.
#pragma once

#include "engine/record/comparisons.hpp"
#include "engine/record/fields.hpp"
#include "engine/record/json.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<ComparedSide> =
    declare(field("variant", &ComparedSide::variant, kNeeded), field("config", &ComparedSide::config),
            field("config_name", &ComparedSide::config_name), field("shader_hash", &ComparedSide::shader_hash),
            field("outcome", &ComparedSide::outcome), field("message", &ComparedSide::message),
            field("median_ns", &ComparedSide::median_ns, Unit::nanoseconds), field("samples", &ComparedSide::samples));

template <>
inline constexpr auto fields_of<RowComparison> =
    declare(field("problem", &RowComparison::problem, kNeeded), field("device", &RowComparison::device),
            field("cache", &RowComparison::cache), field("launch", &RowComparison::launch),
            field("a", &RowComparison::a, kNeeded), field("b", &RowComparison::b, kNeeded),
            field("comparison", &RowComparison::comparison), field("interleaved", &RowComparison::interleaved));

// clang-format on

}  // namespace attnscope
