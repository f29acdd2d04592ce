// A variant's parameters and named configs, and the one policy from text to config. Whoever lists a variant has these
// (a loaded Variant, a worker's VariantInfo), so the text means the same everywhere.
#pragma once

#include "engine/result.hpp"
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

/// A view: it lives no longer than the variant it is of.
struct ConfigSpace {
  std::string_view name;  ///< of the variant, for messages
  std::span<const Parameter> parameters;
  std::span<const NamedConfig> configs;
};

/// "default" or "", with blanks around it: what may be replaced by what suits a problem better.
bool asks_for_default(std::string_view text);
/// The declared default of every parameter.
Config default_config(const ConfigSpace&);
/// A named config over the defaults.
Config full_config(const ConfigSpace&, const NamedConfig&);
/// "A=1,B=2" over the defaults, a named config, or "default" or "", with blanks around any of them. The error lists
/// what is allowed.
Result<Config> parse_config(const ConfigSpace&, std::string_view text);
/// "default", or the name of the named config that equals `config`; "" when there is none.
std::string config_name(const ConfigSpace&, const Config& config);

/// The cartesian product of the candidates, addressed by index and never made as a whole: the last parameter varies
/// fastest, and without parameters there is one config.
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

}  // namespace attnscope
