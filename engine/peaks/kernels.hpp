// The kernels that measure ceilings: kernels/*.comp, built into the program so that a worker anywhere has them.
#pragma once

#include <string>
#include <string_view>

namespace attnscope::peaks {

/// Text of kernels/NAME.comp; empty when there is none.
std::string_view kernel(std::string_view name);
/// The hash of all kernels: peaks measured by other kernels do not count.
const std::string& kernels_hash();

}  // namespace attnscope::peaks
