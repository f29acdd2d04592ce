// The Run of a request: with the loaded variant, the opened device and the time.
#pragma once

#include "engine/record/record.hpp"
#include "engine/record/run.hpp"
#include "engine/session/session.hpp"

namespace attnscope {

/// Program version, UTC time (ISO 8601, to the second) and operating system of this process; shader_hash is the
/// caller's to fill in.
Environment stamp(const DeviceInfo& device);

/// Whether the request's protocol can be followed; the error says what is allowed.
Result<void> check_request(const RunRequest&);

/// Parameters that the request leaves out are at their defaults; the time is now.
Run run_of(const RunRequest&, const VariantInfo&, const DeviceInfo&);

}  // namespace attnscope
