// Watches the folders of variants, and says which variants changed when somebody saved: whatever the editor and however
// it saves. On a thread of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace attnscope::gui {

struct WatchOptions {
  double settle_s = 0.06;  ///< without another change, before anything is read: some write in pieces
  double longest_s = 0.5;  ///< a folder that never rests is read this often all the same
  double poll_s = 1;       ///< where the system tells of no changes, times of files are looked at this often
  bool poll = false;       ///< look at times in any case
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
  /// Whether the system tells of changes; else times are looked at.
  bool told() const;

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace attnscope::gui
