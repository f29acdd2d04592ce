// The steps that undo and redo walk through: changes of what is asked, and pins that were removed.
#pragma once

#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"

namespace attnscope::gui {

class History {
 public:
  struct Asked {
    Selection selection;
    bool automatic = false;  ///< whether the engine chose the variant
    bool operator==(const Asked&) const = default;
  };
  struct Step {
    Asked before = {}, after = {};             ///< the same where it is a step of rows
    uint64_t gesture = 0;                      ///< that it is a part of; 0 = none
    std::vector<Pin> pins = {};                ///< removed
    bool opened = false;                       ///< the other way round: the pins came from a file
    std::vector<SessionLog::Entry> runs = {};  ///< removed
    bool asks() const { return before != after; }
  };

  /// What is asked now; a step when it differs from what was asked last. What was undone is dropped. All of one gesture
  /// (a number other than 0, until another is told) are one step: a drag is taken back at once.
  void remember(const Selection& now, bool automatic = false) {
    if (last_ && last_->selection != now && !join({now, automatic}))
      push({.before = *last_, .after = {now, automatic}, .gesture = gesture_});
    last_ = {now, automatic};
  }
  void gesture(uint64_t number) { gesture_ = number; }
  /// The same without a step of its own: what was put in place of what a person asked belongs to that step.
  void amend(const Selection& now, bool automatic = false) {
    Step* step = last_ ? newest() : nullptr;
    if (step) step->after = {now, automatic};
    if (step && !step->asks()) steps_.resize(--at_);
    last_ = {now, automatic};
  }
  void removed(std::vector<Pin> pins) {
    if (!pins.empty()) push({.pins = std::move(pins)});
  }
  void opened(std::vector<Pin> pins) { push({.pins = std::move(pins), .opened = true}); }
  void removed(std::vector<SessionLog::Entry> runs) {
    if (!runs.empty()) push({.runs = std::move(runs)});
  }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ < steps_.size(); }
  /// The step to take back, or to take again; call only when can_undo() / can_redo().
  const Step& undo() {
    const Step& step = steps_[--at_];
    if (step.asks()) last_ = step.before;
    return step;
  }
  const Step& redo() {
    const Step& step = steps_[at_++];
    if (step.asks()) last_ = step.after;
    return step;
  }

 private:
  static constexpr size_t kKept = 500;
  void push(Step step) {
    steps_.resize(at_);
    steps_.push_back(std::move(step));
    if (steps_.size() > kKept) steps_.erase(steps_.begin());
    at_ = steps_.size();
  }
  /// The step that what is put in its place belongs to; nullptr: there is none.
  Step* newest() { return at_ > 0 && at_ == steps_.size() && steps_.back().asks() ? &steps_.back() : nullptr; }
  /// True when it became a part of the last step.
  bool join(const Asked& now) {
    Step* step = newest();
    if (gesture_ == 0 || !step || step->gesture != gesture_) return false;
    step->after = now;
    if (step->before.selection == now.selection) steps_.resize(--at_);
    return true;
  }
  std::vector<Step> steps_;
  size_t at_ = 0;  ///< steps that are done
  std::optional<Asked> last_;
  uint64_t gesture_ = 0;
};

}  // namespace attnscope::gui
