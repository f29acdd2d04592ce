// Expressions of manifests as C: what a program computes anew for another problem. Internal to this room.
#pragma once

#include <functional>
#include <string>

#include "engine/result.hpp"

namespace attnscope::exporting {

/// A C expression of type double with the value that evaluate() has, in terms of math.h and of attn_… helpers
/// (dispatch.cpp). `name` gives the C text of a name; "" = there is none, which is an error.
Result<std::string> to_c(const std::string& expression, const std::function<std::string(const std::string&)>& name);
/// A literal of type double.
std::string c_number(double);

}  // namespace attnscope::exporting
