// Results and sessions that were opened or saved last, the newest first. Values; kept in the settings.
#pragma once

#include <string>
#include <vector>

namespace attnscope::gui {

struct RecentFile {
  std::string path;  ///< absolute
  bool session = false;
  bool operator==(const RecentFile&) const = default;
};

class RecentFiles {
 public:
  static constexpr size_t kMost = 10, kMostBytes = 4096;

  /// The newest from now on, once. A path without a folder is one of the current folder.
  void note(const std::string& path, bool session);
  /// As kept: the newest first; what is no path, or too much, is passed over.
  void restore(const std::vector<RecentFile>&);
  const std::vector<RecentFile>& all() const { return all_; }
  bool operator==(const RecentFiles&) const = default;

 private:
  std::vector<RecentFile> all_;
};

/// Why a file cannot be opened now: "Gone: moved, renamed or removed"; "" = it can. Asks the disk: not for each frame.
std::string why_not_opened(const std::string& path);

}  // namespace attnscope::gui
