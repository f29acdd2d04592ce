// Writing an edited file, and copying a variant: what the editor does on disk. May wait for the disk, so on a thread of
// its own.
#pragma once

#include <filesystem>

#include "engine/session/session.hpp"

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
// it saves.

class Watch {
 public:
  static constexpr double kPoll = 0.1;     ///< seconds between two looks at the files' times: some hundred take 0.2 ms
  static constexpr double kRest = 0.06;    ///< the same while files change
  static constexpr double kLongest = 0.5;  ///< a folder that never rests is read this often all the same

  /// What the folders hold now is what is compared with.
  Watch(std::vector<std::filesystem::path> dirs, std::vector<std::filesystem::path> outside);
  /// Names of variants that are other than they were: changed, new or gone; each once. What only was touched is not
  /// among them. `now`: seconds.
  std::vector<std::string> take(double now);
  /// Tells of these even when they are as they were: somebody saved them from here.
  void look(const std::vector<std::string>& names) { looked_for_.insert(names.begin(), names.end()); }

 private:
  /// A change is all that names, sizes, times or inodes can show.
  using Stamps = std::map<std::string, std::array<int64_t, 4>>;
  Stamps stamps() const;
  void read();
  std::vector<std::filesystem::path> dirs_, outside_, folders_;
  std::map<std::string, VariantSource> known_;
  Stamps of_known_, last_;
  double looked_at_ = -1e9, began_ = -1;  ///< changes that have not come to rest
  std::set<std::string> looked_for_;
};

}  // namespace attnscope::gui
