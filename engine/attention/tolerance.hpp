// What the verdict's rules say of one element.
#pragma once

#include "engine/attention/tensor.hpp"

namespace attnscope {

/// Half the distance between neighbours of the storage type around `x`: what rounding to it may cost however exact the
/// value was. Nothing for f32, whose rounding the yardstick has in full.
double storage_rounding(DType, double x);
/// Element i still holds what marks that nothing has written it.
bool holds_poison(const Tensor&, uint64_t i);

}  // namespace attnscope
