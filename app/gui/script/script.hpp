// Action scripts: one action a line, the same in the real window and off screen. docs/gui.md is their reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace attnscope::gui {

struct Action {
  int line = 0;
  std::string verb;
  std::vector<std::string> words;   ///< the arguments, split at blanks
  std::string rest;                 ///< the arguments as written
  std::optional<double> timeout_s;  ///< of a wait, from timeout=S
  std::optional<double> every_s;    ///< of a dump, from every=S
};

/// Blank lines and lines that begin with # are skipped. Errors (bad_input) name the line, the word and what is allowed.
Result<std::vector<Action>> parse_script(const std::string& text);
/// The error names the path.
Result<std::vector<Action>> read_script(const std::string& path);

}  // namespace attnscope::gui
