// Fields of comparisons, for JSON.
#pragma once

#include "engine/record/comparisons.hpp"
#include "engine/record/fields.hpp"
#include "engine/record/json.hpp"

namespace attnscope {

FIELDS(ComparedSide, FIELD(variant, kNeeded), FIELD(config), FIELD(config_name), FIELD(shader_hash), FIELD(outcome),
       FIELD(message), FIELD(median_ns, Unit::nanoseconds), FIELD(samples));

FIELDS(RowComparison, FIELD(problem, kNeeded), FIELD(device), FIELD(cache), FIELD(launch), FIELD(a, kNeeded),
       FIELD(b, kNeeded), FIELD(comparison), FIELD(interleaved));

}  // namespace attnscope
