// The kernels of the checks: kernels/, built into the program so that a worker anywhere has them.
#pragma once

#include <string_view>

namespace attnscope::doctor {

/// Text of kernels/NAME.comp or NAME.glsl; empty when there is none.
std::string_view kernel(std::string_view name);

}  // namespace attnscope::doctor
