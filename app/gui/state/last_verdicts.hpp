// Which variants were last found wrong on what is asked.
#pragma once

#include <set>
#include <string>

#include "app/gui/state/tried.hpp"

namespace attnscope::gui {

/// Names of the variants whose newest verdict on this problem (as text) and device (device_key) failed.
std::set<std::string> last_wrong(const Tried&, const std::string& problem, const std::string& device);

}  // namespace attnscope::gui
