// Writing an edited file, and copying a variant: what the editor does on disk. May wait for the disk, so on a thread of
// its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// Copies a variant's folder as `name` into `into` (made if need be), links as the files that they lead to; `texts`, by
/// file name, in place of what those files hold. The new folder. Errors: the name is no folder's name, or taken; what
/// could not be read or written, and nothing is left.
Result<std::filesystem::path> copy_variant(const std::filesystem::path& folder, const std::filesystem::path& into,
                                           const std::string& name,
                                           const std::map<std::string, std::string>& texts = {});
/// Why it cannot be a variant's name; "" when it can.
std::string why_no_name(const std::string& name);

// Watches the folders of variants, and says which variants changed when somebody saved: whatever the editor and however
// it saves. On a thread of its own.

struct WatchOptions {
  double settle_s = 0.06;  ///< without another change, before anything is read: some write in pieces
  double longest_s = 0.5;  ///< a folder that never rests is read this often all the same
  double poll_s = 0.1;     ///< times of files are looked at this often: some hundred take 0.2 ms
};

class Watch {
 public:
  /// What the folders hold now is what is compared with: it returns once that is known. `changed` is called on the
  /// watch's thread when take() has something.
  Watch(std::vector<std::filesystem::path> dirs, std::vector<std::filesystem::path> outside,
        std::function<void()> changed = {}, const WatchOptions& = {});
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Names of variants that are other than they were: changed, new or gone; each once. What only was touched is not
  /// among them.
  std::vector<std::string> take();
  /// Reads the folders now, and tells of these even when they are as they were: somebody saved them from here.
  void look(const std::vector<std::string>& names);

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace attnscope::gui
