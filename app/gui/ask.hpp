// What a person asks of the window: one problem, one variant, one config. A value; undo keeps a list of them.
#pragma once

#include <string>
#include <vector>

#include "engine/attention/problem.hpp"
#include "engine/result.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

struct Ask {
  Problem problem;
  std::string variant;
  Config config;
  bool operator==(const Ask&) const = default;
};

/// "tiled  2x4x64x32  BLOCK_M=32,BLOCK_N=32"
std::string to_text(const Ask&);

/// The declared default of every parameter.
Config default_config(const VariantInfo&);
/// "A=1,B=2" over the defaults, a named config's name, or "default" / "". The error lists what is allowed.
Result<Config> parse_config(const VariantInfo&, const std::string& text);
/// The manifest's named config that equals `config`, or "".
std::string config_name(const VariantInfo&, const Config& config);

/// "tiled default", "tiled v2", "tiled BLOCK_M=64": what sets a config apart, in few words. All of it when `variant` is null.
std::string short_name(const VariantInfo* variant, const std::string& variant_name, const Config& config);

/// The states that undo and redo walk through.
class History {
 public:
  /// Remembers `now`, dropping what was undone; equal neighbours are kept once.
  void remember(const Ask& now);
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  /// The neighbour stepped to; call only when can_undo() / can_redo().
  const Ask& undo() { return states_[--at_]; }
  const Ask& redo() { return states_[++at_]; }

 private:
  std::vector<Ask> states_;
  size_t at_ = 0;
};

}  // namespace attnscope::gui
