// How the rows of the tables are called, and the units of their columns: made anew when the rows change, not for each
// frame.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/gui/state/known.hpp"
#include "app/gui/state/pins.hpp"
#include "app/gui/state/standing.hpp"
#include "app/gui/state/tried.hpp"
#include "engine/record/units.hpp"

namespace attnscope::gui {

class Captions {
 public:
  /// `asked`: a record of what is asked now, whether or not it was measured; its version is raised by every change.
  /// Many rows are named less often: at most a hundredth of the time goes into it.
  void step(const Record& asked, uint64_t asked_version, const Pins&, const Tried&, const Known&, double now);
  /// The units follow what is shown: the pins, and what stands beside them.
  void choose_units(const Pins&, const Standing*);

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
  /// The longest of the names of pins and of what is asked, and of those of the session log: what a column must hold.
  const std::string& longest() const { return longest_; }
  const std::string& longest_tried() const { return longest_tried_; }
  const std::string& longest_problem() const { return longest_problem_; }
  const std::string& longest_tried_problem() const { return longest_tried_problem_; }
  /// Whether all pins and what is asked are of the same problem.
  bool one_problem() const { return one_problem_; }
  const RateUnit& flops() const { return flops_; }
  const RateUnit& bytes() const { return bytes_; }

 private:
  /// Names are due when their rows changed, and the last naming is long enough ago for what it cost.
  struct Due {
    std::array<uint64_t, 3> made_of{~0ull, ~0ull, ~0ull};  ///< versions
    double next = 0;
    bool operator()(const std::array<uint64_t, 3>& versions, double now) const {
      return made_of != versions && now >= next;
    }
  };
  void name_pins(const Record& asked, const Pins&, const Known&);
  void name_tried(const Tried&, const Known&);

  Due pins_due_, tried_due_;
  std::map<uint64_t, std::string> pins_, tried_;
  std::string asked_, longest_, longest_tried_, longest_problem_, longest_tried_problem_;
  bool one_problem_ = true;
  uint64_t tried_named_ = 0;
  RateUnit flops_, bytes_;
  uint64_t units_of_pins_ = ~0ull;
  double units_live_ = -1;
};

}  // namespace attnscope::gui
