// Samples packed into few bytes, without loss.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"

namespace attnscope {

/// A sample is a whole number of a timer's steps divided by the executions of a sample: where that number gives each
/// sample back to the bit it is kept, as the difference from the one before, in about two bytes; else floats where they
/// are exact, else doubles.
std::string pack_samples(std::span<const double> samples_ns, uint32_t dispatches_per_sample);
/// The very samples. The error says that the bytes are not packed samples.
Result<std::vector<double>> unpack_samples(std::string_view bytes);

}  // namespace attnscope
