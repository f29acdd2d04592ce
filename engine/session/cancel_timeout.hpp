// How a run says that its worker was ended because it did not heed a cancel: it was busy, or hangs.
#pragma once

#include <string_view>

#include "engine/record/record.hpp"

namespace attnscope {

/// In the message of such a record, whose outcome is `cancelled`: a reason to be careful with it, no fault of it.
inline constexpr std::string_view kCancelTimeout = "did not stop within";

inline bool cancel_timeout(const Record& r) {
  return r.outcome == Outcome::cancelled && r.message.find(kCancelTimeout) != std::string::npos;
}

}  // namespace attnscope
