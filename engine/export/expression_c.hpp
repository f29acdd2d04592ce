// Expressions of manifests as C and as Rust: what a program computes anew for another problem. Internal to this module.
#pragma once

#include <functional>
#include <string>

#include "engine/result.hpp"

namespace attnscope::exporting {

enum class Language { c, rust };
/// An expression of type double (f64) with the value that evaluate() has, in terms of math.h and of attn_… helpers
/// (dispatch.cpp). `name` gives the text of a name; "" = there is none, which is an error.
Result<std::string> to_source(const std::string& expression, Language,
                              const std::function<std::string(const std::string&)>& name);
/// A literal of type double, in both.
std::string c_number(double);

}  // namespace attnscope::exporting
