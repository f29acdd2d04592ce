// What was measured before the config that is shown now: its curve, for as long as there is none of this one, and how
// this one's median stands against it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/gui/state/known.hpp"
#include "app/gui/state/live.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

/// Two complete runs that are right, on the same problem, device and in the same modes.
struct Change {
  std::shared_ptr<const Record> before;
  std::string before_name, now_name;  ///< told apart from one another
  double before_ns = 0, now_ns = 0;   ///< medians
  uint64_t before_count = 0, now_count = 0;
  Comparison word;  ///< of now against before
  double relative() const { return now_ns / before_ns - 1; }
};
/// "1.87 → 1.52 ms, −19 %" with the metric's unit once; as a rate the percent is of the rate.
std::string change_text(const Change&, Metric, const Work&);

/// Verified, and sampled for as long as its protocol asks: a slider passing by is not.
bool complete(const Live&);

class Before {
 public:
  static constexpr double kPeriod = 0.5;  ///< seconds from one comparison to the next

  /// To be told before the run's samples go.
  void leave(const Live&);
  /// The newest that had a time, complete or not; nullptr: none yet.
  const Record* newest() const { return newest_.get(); }
  /// The newest complete run that can stand beside `now` and is another; nullptr: none.
  const Record* beside(const Record& now) const;
  /// `timed`: what is shown now, or nullptr.
  void step(const Live* timed, const Known&, double now);
  /// nullptr while there is nothing to hold against each other.
  const Change* change() const { return change_ ? &*change_ : nullptr; }

 private:
  std::shared_ptr<const Record> newest_, complete_[2];  ///< of complete runs the newest two that differ
  std::optional<Change> change_;
  Evidence evidence_;  ///< of change_->before
  uint64_t series_ = 0;
  double due_ = 0;
};

}  // namespace attnscope::gui
