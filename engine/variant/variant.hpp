// Variant: a loaded manifest, checked against the SPIR-V that its shaders compile to.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device_info.hpp"
#include "engine/shader/compiler.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

struct Parameter {
  std::string name, meaning;
  std::vector<int64_t> values;
  int64_t default_value = 0;  ///< from the SPIR-V
  bool operator==(const Parameter&) const = default;
};

/// A value for each parameter, by name.
using Config = std::map<std::string, int64_t>;
std::string to_text(const Config&);

class ModuleCache;

struct Variant {
  std::string name;
  Manifest manifest;
  VariantSource source;
  std::vector<Parameter> parameters;
  std::string hash;  ///< content_hash of all files that take part
  std::shared_ptr<ModuleCache> modules;  ///< what its passes compiled to so far; shared by copies, thread-safe
};

/// Reads every folder with a manifest.toml under each directory; later directories win on equal names, and may use
/// `common/` of their own, else the first one's.
Result<std::vector<VariantSource>> read_variant_sources(const std::vector<std::filesystem::path>& dirs);

/// Compiles each pass (for one dtype) and checks the manifest against the module: a declared parameter or constant that
/// no pass has, a spec constant that nothing binds, an unbound push member or storage binding: each is an error.
Result<Variant> load_variant(const VariantSource&, Compiler&);

Config default_config(const Variant&);
/// A named config over the defaults.
Config full_config(const Variant&, const NamedConfig&);
/// "A=1,B=2" over the defaults, a named config, or "default". The error lists what is allowed.
Result<Config> parse_config(const Variant&, std::string_view text);
/// Cartesian product of the candidates.
std::vector<Config> all_configs(const Variant&);

/// Why `problem` or `device` cannot be served at all; empty when it can.
std::string why_not(const Variant&, const Problem&, const DeviceInfo&);
/// Why the device alone cannot run it (missing features); empty when it can.
std::string why_not(const Variant&, const DeviceInfo&);

}  // namespace attnscope
