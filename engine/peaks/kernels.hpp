// The kernels that measure ceilings: kernels/*.comp, built into the program so that a worker anywhere has them.
#pragma once

#include <string>
#include <string_view>

namespace attnscope::peaks {

/// Text of kernels/NAME.comp; empty when there is none.
std::string_view kernel(std::string_view name);
/// Of all of them: peaks that other kernels measured are not those of this program.
const std::string& kernels_hash();

}  // namespace attnscope::peaks
