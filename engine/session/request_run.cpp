#include "engine/session/request_run.hpp"

#include "engine/session/stamp.hpp"

namespace attnscope {
namespace {

Config over_defaults(const VariantInfo& variant, const Config& given) {
  Config config;
  for (const Parameter& p : variant.parameters) config[p.name] = p.default_value;
  for (const auto& [name, value] : given) config[name] = value;
  return config;
}

/// The manifest's name of this config; "" when it has none.
std::string name_of(const VariantInfo& variant, const Config& config) {
  // A variant that did not load has no configs, so no defaults either.
  if (!variant.error.empty()) return {};
  if (config == over_defaults(variant, {})) return "default";
  for (const NamedConfig& named : variant.configs)
    if (over_defaults(variant, named.values) == config) return named.name;
  return {};
}

}  // namespace

Run run_of(const RunRequest& request, const VariantInfo& variant, const DeviceInfo& device) {
  Run run;
  run.problem = request.problem;
  run.variant = request.variant;
  run.config = over_defaults(variant, request.config);
  run.config_name = name_of(variant, run.config);
  run.protocol = request.protocol;
  run.seed = request.seed;
  run.environment = stamp(device);
  run.environment.shader_hash = variant.hash;
  return run;
}

}  // namespace attnscope
