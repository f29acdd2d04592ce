// What a person asks of the window: one problem, one variant, one config, measured in one way. Values.
#pragma once

#include <string>

#include "engine/attention/problem.hpp"
#include "engine/result.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

struct Selection {
  Problem problem;
  std::string variant;
  Config config;
  bool operator==(const Selection&) const = default;
};

/// How samples are taken: part of what a number belongs to.
struct Modes {
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  bool operator==(const Modes&) const = default;
};

/// "tiled  2x4x64x32  BLOCK_M=32,BLOCK_N=32"
std::string to_text(const Selection&);

/// The declared default of every parameter.
Config default_config(const VariantInfo&);
/// "A=1,B=2" over the defaults, a named config's name, or "default" / "". The error lists what is allowed.
Result<Config> parse_config(const VariantInfo&, const std::string& text);
/// The manifest's named config that equals `config`, or "".
std::string config_name(const VariantInfo&, const Config& config);

/// "tiled default", "tiled v2", "tiled BLOCK_M=64": what sets a config apart, in few words. All of it when `variant` is
/// null.
std::string short_name(const VariantInfo* variant, const std::string& variant_name, const Config& config);

}  // namespace attnscope::gui
