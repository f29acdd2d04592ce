// The versions of the variant that is shown, each with what is known of it on the problem that is asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/ask.hpp"
#include "app/gui/edit/versions.hpp"
#include "app/gui/state/tried.hpp"

namespace attnscope::gui {

class VersionsView {
 public:
  struct Row {
    int number = 0;
    std::string hash;
    bool current = false;  ///< what is loaded now
    bool good = false;     ///< the last one before it that was correct on this problem
    bool texts = false;    ///< it can be put into the editor, and compared with
    /// The run of it on just this device, problem and in these modes: of the config that is asked for, else the newest
    /// one; nullptr: none of this session.
    std::shared_ptr<const Record> record;
    bool same_config = false;
  };
  /// Of what.
  struct Of {
    Ask ask;
    Modes modes;
    std::string device;  ///< device_key()
    std::string hash;    ///< loaded now; "" = the present text does not load
    bool operator==(const Of&) const = default;
  };
  /// Made anew when anything of it changed. `live`: the run that is shown, as a record; counts as the newest.
  void step(const Versions&, const Tried&, const Of&);
  /// The newest version first.
  const std::vector<Row>& rows() const { return rows_; }
  /// The last good version before the current one: what a change is compared with. nullptr: there is none.
  const Row* before() const;
  const Row* current() const;

 private:
  Of of_;
  uint64_t versions_ = ~0ull, tried_ = ~0ull;
  std::vector<Row> rows_;
};

}  // namespace attnscope::gui
