// Variant: a loaded manifest, checked against the SPIR-V that its shaders compile to.
#pragma once

#include "engine/shader/compiler.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

// Parameters and named configs, and the one policy from text to config, of a Variant and of a worker's VariantInfo.

struct Parameter {
  std::string name, meaning;
  std::vector<int64_t> values;
  int64_t default_value = 0;  ///< from the SPIR-V
  bool operator==(const Parameter&) const = default;
};

/// A value for each parameter, by name.
using Config = std::map<std::string, int64_t>;
std::string to_text(const Config&);

/// A view: it lives no longer than the variant it is of.
struct ConfigSpace {
  std::string_view name;  ///< of the variant, for messages
  std::span<const Parameter> parameters;
  std::span<const NamedConfig> configs;
};

/// "default" or "", with blanks around it: what may be replaced by what suits a problem better.
bool asks_for_default(std::string_view text);
Config default_config(const ConfigSpace&);
/// A named config over the defaults.
Config full_config(const ConfigSpace&, const NamedConfig&);
/// "A=1,B=2" over the defaults, a named config, "default" or "". The error lists what is allowed.
Result<Config> parse_config(const ConfigSpace&, std::string_view text);
/// "default", or the name of the named config that equals `config`; "" when there is none.
std::string config_name(const ConfigSpace&, const Config& config);

/// The cartesian product of the candidates by index: the last parameter varies fastest.
class ConfigProduct {
 public:
  explicit ConfigProduct(std::span<const Parameter>);
  /// At most 2^63; what is larger cannot be walked anyway.
  uint64_t size() const { return size_; }
  /// How many neighbouring indices share the values of parameters 0 to p.
  uint64_t stride(size_t p) const { return strides_[p]; }
  /// The index into Parameter::values of parameter p.
  size_t digit(uint64_t index, size_t p) const;
  Config at(uint64_t index) const;

 private:
  std::span<const Parameter> parameters_;
  std::vector<uint64_t> strides_;
  uint64_t size_ = 1;
};

class ModuleCache;
class Planner;

struct Variant {
  std::string name;
  Manifest manifest;
  VariantSource source;
  std::vector<Parameter> parameters;
  std::string hash;                      ///< content_hash of all files that take part, of the manifest its identity
  std::shared_ptr<ModuleCache> modules;  ///< what its passes compiled to so far; shared by copies, thread-safe
  operator ConfigSpace() const { return {name, parameters, manifest.configs}; }
};

/// Reads every folder with a manifest.toml under each directory; later ones win on equal names
/// (VariantSource::shadows), with their own `common/`, else the first one's. `outside`: folders of --sources.
Result<std::vector<VariantSource>> read_variant_sources(const std::vector<std::filesystem::path>& dirs,
                                                        const std::vector<std::filesystem::path>& outside = {});

/// Compiles each pass (for one dtype) and checks the manifest against the module: unknown or unbound names are errors.
Result<Variant> load_variant(const VariantSource&, Compiler&);
/// Variant::hash, without compiling anything.
Result<std::string> source_hash(const VariantSource&);

/// Why `problem` or `device` cannot be served at all; empty when it can.
std::string why_not(const Variant&, const Problem&, const DeviceInfo&);
/// Why the device alone cannot run it (missing features); empty when it can.
std::string why_not(const Variant&, const DeviceInfo&);

/// What a config has to do on a problem, without compiling anything: the numbers that a prediction of its time takes.
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

/// The defaults and each named config that meets the constraints here, where [tiles] names a key tile.
std::vector<ConfigWork> work_of_named_configs(const Planner&);

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
