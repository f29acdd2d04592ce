// What a config has to do on a problem, without compiling anything: the numbers that a prediction of its time takes.
#pragma once

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
  double parts = 0;         ///< partial sums of an output row that are added up, in the mean; 0 = keys are not split
  bool operator==(const ConfigWork&) const = default;
};

/// The defaults and each named config that meets the manifest's constraints here; those of a variant whose [tiles]
/// names no key tile have no steps, and are left out. Limits that only a compiled shader tells are not looked at.
std::vector<ConfigWork> work_of_named_configs(const Variant&, const Problem&, const DeviceInfo&, Compiler&);

/// A variant on a problem, as its manifest ranks it.
struct VariantRank {
  std::string variant;
  double rank = 0;                    ///< of its manifest; the highest that can run is the one to take
  std::string why_not;                ///< why it cannot serve the problem at all; "" when it can
  std::vector<ConfigWork> configs{};  ///< those that a model may choose from (work_of_named_configs())
  std::string shader_hash{};          ///< Variant::hash
  bool operator==(const VariantRank&) const = default;
};

/// `rank` is 0 where the manifest has none, or one without a finite value here (then why_not says so).
VariantRank rank_of(const Variant&, const Problem&, const DeviceInfo&);

}  // namespace attnscope
