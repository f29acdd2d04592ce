// Variant: a loaded manifest, checked against the SPIR-V that its shaders compile to.
#pragma once

#include <filesystem>

#include "engine/device_info.hpp"
#include "engine/shader/compiler.hpp"
#include "engine/variant/config_space.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

class ModuleCache;

struct Variant {
  std::string name;
  Manifest manifest;
  VariantSource source;
  std::vector<Parameter> parameters;
  std::string hash;                      ///< content_hash of all files that take part, of the manifest its identity
  std::shared_ptr<ModuleCache> modules;  ///< what its passes compiled to so far; shared by copies, thread-safe
  operator ConfigSpace() const { return {name, parameters, manifest.configs}; }
};

/// Reads every folder with a manifest.toml under each directory; later directories win on equal names (and say whom
/// they replace in VariantSource::shadows), and may use `common/` of their own, else the first one's.
/// `outside`: folders of --sources, for shaders that lie elsewhere.
Result<std::vector<VariantSource>> read_variant_sources(const std::vector<std::filesystem::path>& dirs,
                                                        const std::vector<std::filesystem::path>& outside = {});

/// Compiles each pass (for one dtype) and checks the manifest against the module: a declared parameter or constant that
/// no pass has, a spec constant that nothing binds, an unbound push member or storage binding: each is an error.
Result<Variant> load_variant(const VariantSource&, Compiler&);
/// Variant::hash, without compiling anything.
Result<std::string> source_hash(const VariantSource&);

/// Why `problem` or `device` cannot be served at all; empty when it can.
std::string why_not(const Variant&, const Problem&, const DeviceInfo&);
/// Why the device alone cannot run it (missing features); empty when it can.
std::string why_not(const Variant&, const DeviceInfo&);

}  // namespace attnscope
