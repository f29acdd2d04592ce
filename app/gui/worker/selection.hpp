// What a person asks of the window: one problem, one variant, one config, measured in one way. Values.
#pragma once

#include "engine/record/columns.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

struct Selection {
  Problem problem;
  std::string variant;
  Config config;
  bool operator==(const Selection&) const = default;
};

/// What a request or a record asks for.
template <class Request>
void ask(Request& asked, const Selection& selection) {
  asked.problem = selection.problem;
  asked.variant = selection.variant;
  asked.config = selection.config;
}

/// How samples are taken: part of what a number belongs to.
struct Modes {
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  bool operator==(const Modes&) const = default;
};

inline Modes modes_of(const Protocol& p) { return {p.cache, p.launch}; }
inline void set_modes(Protocol& p, const Modes& modes) {
  p.cache = modes.cache;
  p.launch = modes.launch;
}

/// "tiled  2x4x64x32  BLOCK_M=32,BLOCK_N=32"
inline std::string to_text(const Selection& selection) {
  const std::string config = attnscope::to_text(selection.config);
  return selection.variant + "  " + to_text(selection.problem) + (config.empty() ? "" : "  ") + config;
}

// One policy for everybody: these only fix the type of variant that the window has.

inline Config default_config(const VariantInfo& variant) { return attnscope::default_config(ConfigSpace(variant)); }
/// "A=1,B=2" over the defaults, a named config's name, or "default" / "". The error lists what is allowed.
inline Result<Config> parse_config(const VariantInfo& variant, std::string_view text) {
  return attnscope::parse_config(ConfigSpace(variant), text);
}
/// The manifest's named config that equals `config`, or "".
inline std::string config_name(const VariantInfo& variant, const Config& config) {
  return attnscope::config_name(ConfigSpace(variant), config);
}

/// What `variant` calls a config, for the tables' short labels. Without a variant it has no name, and is shown whole.
inline ConfigName named(const VariantInfo* variant, const std::string& variant_name, const Config& config) {
  if (!variant) return {variant_name, config};
  return {variant_name, config, config_name(*variant, config), default_config(*variant)};
}
/// "tiled default", "tiled v2", "tiled BLOCK_M=64,STAGES=2": what sets a config apart, as --config takes it.
inline std::string short_name(const VariantInfo* variant, const std::string& variant_name, const Config& config) {
  return short_labels({{named(variant, variant_name, config)}}).front();
}

/// "tiled BLOCK_M=64,BLOCK_N=32"
inline std::string named_config(const std::string& variant, const Config& config) {
  return variant + " " + attnscope::to_text(config);
}

}  // namespace attnscope::gui
