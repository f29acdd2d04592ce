// The run that a request is: what was asked of the session, of the variant as loaded, on the device as opened.
#pragma once

#include "engine/record/run.hpp"
#include "engine/session/session.hpp"

namespace attnscope {

/// Whether the request's protocol can be followed; the error says what is allowed.
Result<void> check_request(const RunRequest&);

/// Parameters that the request leaves out are at their defaults; the time is now.
Run run_of(const RunRequest&, const VariantInfo&, const DeviceInfo&);

}  // namespace attnscope
