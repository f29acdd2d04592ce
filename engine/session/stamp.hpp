// The environment of a record: which program, on what, when.
#pragma once

#include <string>

#include "engine/record/record.hpp"

namespace attnscope {

/// Program version, UTC time (ISO 8601, to the second) and operating system of this process; shader_hash is the
/// caller's to fill in.
Environment stamp(const DeviceInfo& device);

/// As Session::machine() of this one.
std::string running_machine();

}  // namespace attnscope
