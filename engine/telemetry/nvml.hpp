// Internal: the sensors of NVIDIA's driver.
#pragma once

#include "engine/telemetry/source.hpp"

namespace attnscope::telemetry {

/// nullptr where the library is missing, does not start, or does not know the device.
std::unique_ptr<Source> find_nvml(const Identity&, const std::string& file);

}  // namespace attnscope::telemetry
