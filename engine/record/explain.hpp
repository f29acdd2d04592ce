// Explains a record's time: fills its fit and advice.
#pragma once

#include "engine/record/record.hpp"
#include "engine/variant/neighbour_plans.hpp"

namespace attnscope {

/// From what was measured and what the plan says. A record without a time gets its fit alone.
void explain(Record&, const NeighbourPlans&);

}  // namespace attnscope
