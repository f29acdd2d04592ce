// Writing an edited file, and copying a variant: what the editor does on disk. May wait for the disk, so on a thread of
// its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/result.hpp"

namespace attnscope::gui {

struct SaveRequest {
  std::filesystem::path path;
  std::string text;
  /// What the file held when it was last read; another text there now is somebody else's, and is not overwritten
  /// unless it is nullopt.
  std::optional<std::string> expected;
};
struct SaveOutcome {
  SaveRequest request;
  std::string error;                  ///< "" = it was written, or was not for `theirs`
  std::optional<std::string> theirs;  ///< what the file holds instead of `expected`; nothing was written
};
/// As a whole or not at all, with the file's permissions; a link stays one, and what it leads to is written.
SaveOutcome save_file(SaveRequest);

/// Copies a variant's folder as `name` into `into` (made if need be), links as the files that they lead to. The new
/// folder. Errors: the name is no folder's name, or taken; what could not be read or written, and nothing is left.
Result<std::filesystem::path> copy_variant(const std::filesystem::path& folder, const std::filesystem::path& into,
                                           const std::string& name);
/// Why it cannot be a variant's name; "" when it can.
std::string why_no_name(const std::string& name);

}  // namespace attnscope::gui
