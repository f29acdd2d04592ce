// What dispatches a tuned config somewhere else: spec constants by id, grids, and the formulas behind them.
#pragma once

#include "engine/tune/cache.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope::tune {

/// Of each pass that runs. The errors are those of planning.
Result<std::vector<TunedPass>> describe_passes(const Variant&, const Problem&, const Config&, const DeviceInfo&,
                                               Compiler&);

}  // namespace attnscope::tune
