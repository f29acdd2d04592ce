// What was tuned on one device, for the tests of tables.
#pragma once

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

inline DeviceInfo tuned_device() {
  return {.name = "NVIDIA H200", .driver = "NVIDIA 580.159.04", .device_uuid = "00ff"};
}

inline TunedEntry tuned_entry(const std::string& problem, const std::string& variant, double ns) {
  TunedEntry e;
  e.device = tuned_device().name;
  e.device_uuid = tuned_device().device_uuid;
  e.driver = tuned_device().driver;
  e.problem = *parse_problem(problem);
  e.variant = variant;
  e.shader_hash = variant + "-1";
  e.median_ns = ns;
  e.verified = e.raced = true;
  return e;
}

}  // namespace attnscope::tune
