// How the live config stands against the pins: one copy of its record, and for every pin a word that comes from the
// samples of that copy and of the pin, all of them. What is shown together was compared together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/state/pins.hpp"
#include "app/gui/state/weighed.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

struct Standing {
  Record live;
  std::vector<double> live_quantiles_ns;  ///< quantiles() of its samples
  std::map<uint64_t, Comparison> words;   ///< by pin; what is not comparable has none
};

/// Made anew now and then, in small steps, since a comparison costs milliseconds: the one before stands until all words
/// of the next are known. A pin's samples are weighed once.
class Standings {
 public:
  static constexpr double kPeriod = 1.5;  ///< seconds from one to the next
  static constexpr double kSoon = 0.25;   ///< the same when there are twice as many samples as then
  static constexpr size_t kEnough = 10;   ///< samples before anything is said

  /// `live`: the record of what is shown now; nullopt when that has no time, and then nothing stands. Spends about
  /// `budget_s` at most (one comparison at least).
  void step(const std::optional<Record>& live, const Pins&, double now, double budget_s = 0.003);
  /// Whether step() would look at `live` now: making that record costs a copy of its samples.
  bool due(const Pins& pins, double now, size_t samples) const {
    return making_ || !made_ || now - made_at_ >= period(samples) || pins_ != pins.version();
  }
  const Standing* current() const { return made_ ? &*made_ : nullptr; }
  /// The word for this pin; nullptr: there is none (not comparable, too few samples, or nothing stands).
  const Comparison* word(uint64_t pin) const;
  void clear();

 private:
  double period(size_t samples) const {
    return made_ && samples >= 2 * made_->live.samples_ns.size() ? kSoon : kPeriod;
  }

  std::optional<Standing> made_, making_;
  Weighed pins_weighed_;
  Evidence evidence_;                                                     ///< of making_'s live samples
  std::vector<std::pair<uint64_t, std::shared_ptr<const Record>>> left_;  ///< pins still to be compared with making_
  double made_at_ = 0;
  uint64_t pins_ = 0;  ///< the version that was compared
};

}  // namespace attnscope::gui
