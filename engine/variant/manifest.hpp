// A variant's manifest (manifest.toml) as a value. Expressions stay text here; see expression.hpp for their names.
#pragma once

#include "engine/variant/tensor_slots.hpp"

namespace attnscope {

/// A variant's files as values, so that they travel to a worker that has none of its own.
struct VariantSource {
  std::string name;                           ///< the folder's name
  std::map<std::string, std::string> files;   ///< manifest.toml and the shaders, by name
  std::map<std::string, std::string> common;  ///< shaders/common/*, by name ("attention.glsl")
  std::string shadows = {};                   ///< folder of the variant of this name that it replaces; "" = none
  std::string unreadable = {};                ///< why the folder could not be read; "" = it was
  /// What its shaders reach in the folders of --sources, by path in them; modules (.spv) in base64, as in `files`.
  std::map<std::string, std::string> outside = {};
  bool operator==(const VariantSource&) const = default;
};

struct ParameterDecl {
  std::string name;  ///< of the spec constant
  std::string meaning;
  std::vector<int64_t> values = {};   ///< candidates, ascending; a shader's default must be among them
  std::optional<int64_t> start = {};  ///< the default, where no shader has one of this name that may be used
  std::string applies = {};           ///< expression: where it means something; elsewhere it stays at its default
  bool operator==(const ParameterDecl&) const = default;
};
struct ConstraintDecl {
  std::string require;  ///< expression, true when legal
  std::string because;  ///< sentence; {expression} inside is replaced by its value
  bool operator==(const ConstraintDecl&) const = default;
};
struct ScratchDecl {
  std::string name, bytes;  ///< expression
  /// Where every pass without bindings of its own finds it; none where only bindings name it.
  std::optional<uint32_t> binding;
  bool zeroed = false;  ///< each execution finds zeros in it and leaves zeros; else it finds anything
  bool operator==(const ScratchDecl&) const = default;
};
struct PassDecl {
  std::string name, shader;
  std::array<std::string, 3> grid;               ///< workgroups; expressions
  std::map<std::string, std::string> constants;  ///< spec constant -> expression, beyond parameters and problem names
  std::map<std::string, std::string> defines;    ///< preprocessor define -> expression (value as integer)
  std::string when;                              ///< expression; empty = always
  std::string subgroup_size;                     ///< expression; empty = the driver's choice
  std::map<std::string, TextDefine> texts = {};  ///< defines that are text
  PushDecl push = {};                            ///< what push constants are, beyond those of known names
  std::map<uint32_t, PushDecl> uniforms = {};    ///< the same of uniform blocks, by place
  /// GLSL behind the #version line and the defines: macros with arguments, #extension.
  std::string preamble = {};
  std::set<std::string> shared_constants = {};  ///< of `constants`, those that the manifest has for all passes
  Bindings bindings = {};                       ///< which tensor is where; empty = as the manifest has it for all
  PushDecl uniform(uint32_t place) const { return at_or(uniforms, place); }
  bool operator==(const PassDecl&) const = default;
};
struct NamedConfig {
  std::string name, purpose;
  std::map<std::string, int64_t> values;  ///< the rest at defaults
  std::string suits = {};  ///< expression: problems and devices that are served better by this one than by the defaults
  bool operator==(const NamedConfig&) const = default;
};
/// Which expressions have these roles, so that advice knows what is a tile (docs/insight.md). Empty: it has none.
struct TilesDecl {
  std::string query, key, value;        ///< query rows, keys and output dims that a workgroup has at a time
  std::string splits;                   ///< parts of the keys, of which a workgroup takes one
  std::string whole;                    ///< query tiles of all heads that stay whole: the first to begin
  std::string heads;                    ///< query heads that share a query tile, in place of one
  std::string all_keys;                 ///< whether a workgroup goes through keys that none of its queries sees
  std::string lane_stride, lane_bytes;  ///< of shared memory: between what neighbouring invocations read, and how wide
  bool operator==(const TilesDecl&) const = default;
};
struct Manifest {
  std::string title, summary, system;
  std::string identity;                  ///< identity_text()
  std::vector<std::string> features;     ///< of DeviceInfo::features, all needed
  std::vector<std::string> dtypes;       ///< "f32", ...
  std::vector<std::string> options;      ///< of kProblemOptions, those it takes; a problem that asks another is refused
  std::vector<ConstraintDecl> supports;  ///< over the problem (and device) alone
  /// Where a config's values fit the registers that a device may have; elsewhere it may spill, for this reason.
  std::vector<ConstraintDecl> no_spills;
  std::vector<ParameterDecl> parameters;
  std::vector<ConstraintDecl> constraints;
  std::vector<ScratchDecl> scratch;
  std::vector<PassDecl> passes;
  std::vector<NamedConfig> configs;
  std::map<std::string, std::string> let;  ///< named sub-expressions, usable in every other expression
  std::string extra_bytes;                 ///< traffic beyond Q, K, V once and O once; expression
  /// Types of the scores and output sums, and of P in P V: expressions of f32, f16, bf16, dtype and parameters.
  std::string accumulate = "f32", probabilities = "f32";
  std::string scores = "f32";   ///< of Q times the scale (Precision::scores)
  std::string kv = "f32";       ///< of packed K and V as operands (Precision::kv)
  std::string f16_pairs = "0";  ///< true: operands are split into two f16 parts (Precision::f16_pairs)
  TilesDecl tiles;
  /// How fast it is beside other variants (docs/variants.md): an expression over problem and device; empty = 0.
  std::string rank;
  std::string nondeterministic;  ///< why two runs may differ in bits; empty = bit-stable
  std::string sources;           ///< which folder --sources has to be, for a person; empty = it needs none
  Bindings bindings;             ///< of passes that have none of their own; empty = the default ones (Binding)
  std::map<std::string, TensorDecl> tensors;  ///< forms other than the problem's own, by role
  bool operator==(const Manifest&) const = default;
};

/// Far above what any variant has. Without them planning, which looks at each for each config, could take for ever.
inline constexpr size_t kMaxLets = 128, kMaxParameters = 64, kMaxConstraints = 256, kMaxPasses = 32;
inline constexpr size_t kMaxNamedConfigs = 256, kMaxValues = 1024;

/// The error names file, line and key. Unknown keys are errors, so that a typo is not silence.
Result<Manifest> parse_manifest(const VariantSource&);

/// What may be a name: of a variant's folder, a parameter, a pass, a config.
/// "" for 1 to 64 of letters, digits, _ and - (parts of file names, commands, C text); else why not.
std::string not_a_name(std::string_view name);
/// The same of a variant: names that commands take to mean something else ("all") are none either.
std::string not_a_variant_name(std::string_view name);

}  // namespace attnscope
