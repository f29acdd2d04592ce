// What a config has to do on a problem, without compiling anything: the numbers that a prediction of its time takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/variant/variant.hpp"

namespace attnscope {

class Compiler;

struct ConfigWork {
  std::string name;  ///< "default", or the manifest's named config
  Config config;
  uint32_t passes = 0;
  uint64_t workgroups = 0;  ///< of the first pass
  double steps = 0;         ///< key tiles that a workgroup goes through, in the mean
  double most_steps = 0;    ///< and the one with most
  bool operator==(const ConfigWork&) const = default;
};

/// The defaults and each named config that meets the manifest's constraints here; those of a variant whose [tiles]
/// names no key tile have no steps, and are left out. Limits that only a compiled shader tells are not looked at.
std::vector<ConfigWork> work_of_named_configs(const Variant&, const Problem&, const DeviceInfo&, Compiler&);

}  // namespace attnscope
