// When a run was, in few letters.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/gui/model/comparisons.hpp"
#include "app/gui/model/device_state.hpp"
#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"
#include "engine/record/columns.hpp"
#include "engine/record/record.hpp"

namespace attnscope::gui {

/// "now", "12 min ago", "5 h ago", within a week "3 d ago", else the day: "2026-11-22". `utc` as records have it
/// ("2026-11-22T16:10:05Z"), `now` in seconds of Unix time; what cannot be read comes back as it begins.
std::string short_when(const std::string& utc, std::time_t now);

// Names of runs that stand beside one another: short, and different where the runs are.

/// One for each record, in order: the engine's short name of its config ("tiled M=16 N=32"). Where the records differ
/// in device, cache or launch mode every name says its own ("cold"); where names of one problem would still be the
/// same, they say what differs: the version of the shader ("#1", or its hash), the seed, and at last which of several
/// takes of the very same run it is ("take 2").
std::vector<std::string> labels_of(std::span<const Record* const>, const DeviceState&);

/// For each record, in order, a name of its device that no other device here has, as short as that can be.
std::vector<std::string> device_names(std::span<const Record* const>);

/// All that a record is of, for a hover: device, problem, config in full, modes, shader, samples.
std::string described(const Record&);

// How the rows of the tables are called: made anew when the rows change, not for each
// frame.

class Captions {
 public:
  /// `asked`: a record of what is asked now, whether or not it was measured; its version is raised by every change.
  /// Many rows are named less often: at most a hundredth of the time goes into it.
  void step(const Record& asked, uint64_t asked_version, const Pins&, const SessionLog&, const DeviceState&,
            double now);

  /// "" when it has no name yet. Names of pins and of what is asked differ where those do; each row also shows its
  /// problem.
  const std::string& pin(uint64_t id) const;
  const std::string& asked() const { return asked_; }
  /// The version that asked() was made of.
  uint64_t asked_version() const { return pins_due_.made_of[2]; }
  /// Raised when rows of the session log were named anew.
  uint64_t tried_version() const { return tried_named_; }
  /// By its number in the session log.
  const std::string& tried(uint64_t number) const;

 private:
  /// Names are due when their rows changed, and the last naming is long enough ago for what it cost.
  struct Due {
    std::array<uint64_t, 3> made_of{~0ull, ~0ull, ~0ull};  ///< versions
    double next = 0;
    bool operator()(const std::array<uint64_t, 3>& versions, double now) const {
      return made_of != versions && now >= next;
    }
  };
  void name_pins(const Record& asked, const Pins&, const DeviceState&);
  void name_tried(const SessionLog&, const DeviceState&);

  Due pins_due_, tried_due_;
  std::map<uint64_t, std::string> pins_, tried_;
  std::string asked_;
  uint64_t tried_named_ = 0;
};

}  // namespace attnscope::gui
