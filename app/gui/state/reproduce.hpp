// The command that measures a run again without the window.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/record/record.hpp"

namespace attnscope::gui {

/// Where this window found its variants and its devices, as its own command line said.
struct Places {
  std::vector<std::filesystem::path> shaders, sources;  ///< beyond those that ship
  std::vector<std::string> workers;                     ///< each a command; "" = this machine
};

/// `attnscope bench ...` (or verify, for what has no time), quoted for a shell: its record is of the same run. "" for
/// what another program measured.
std::string command_line_of(const Record&, const Places&, size_t worker = 0);

}  // namespace attnscope::gui
