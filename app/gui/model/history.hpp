// The steps that undo and redo walk through: changes of what is asked, and pins that were removed.
#pragma once

#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"

namespace attnscope::gui {

class History {
 public:
  struct UserRequest {
    Selection before, after;
    uint64_t gesture = 0;                          ///< that it is a part of; 0 = none
    bool auto_before = false, auto_after = false;  ///< whether the engine chose the variant
  };
  struct Removed {
    std::vector<Pin> pins;
    bool opened = false;  ///< the other way round: they came from a file
  };
  struct RemovedRuns {
    std::vector<SessionLog::Entry> entries;
  };
  using Step = std::variant<UserRequest, Removed, RemovedRuns>;

  /// What is asked now; a step when it differs from what was asked last. What was undone is dropped. All of one gesture
  /// (a number other than 0, until another is told) are one step: a drag is taken back at once.
  void remember(const Selection& now, bool automatic = false) {
    if (last_ && *last_ != now && !join(now, automatic))
      push(UserRequest{*last_, now, gesture_, automatic_, automatic});
    last_ = now;
    automatic_ = automatic;
  }
  void gesture(uint64_t number) { gesture_ = number; }
  /// The same without a step of its own: what was put in place of what a person asked belongs to that step.
  void amend(const Selection& now, bool automatic = false) {
    auto* asked = last_ && at_ > 0 && at_ == steps_.size() ? std::get_if<UserRequest>(&steps_.back()) : nullptr;
    if (asked) {
      asked->after = now;
      asked->auto_after = automatic;
    }
    last_ = now;
    automatic_ = automatic;
  }
  void removed(std::vector<Pin> pins) {
    if (!pins.empty()) push(Removed{std::move(pins)});
  }
  void opened(std::vector<Pin> pins) { push(Removed{std::move(pins), true}); }
  void removed(std::vector<SessionLog::Entry> entries) {
    if (!entries.empty()) push(RemovedRuns{std::move(entries)});
  }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ < steps_.size(); }
  /// The step to take back, or to take again; call only when can_undo() / can_redo().
  const Step& undo() {
    const Step& step = steps_[--at_];
    if (const auto* asked = std::get_if<UserRequest>(&step)) {
      last_ = asked->before;
      automatic_ = asked->auto_before;
    }
    return step;
  }
  const Step& redo() {
    const Step& step = steps_[at_++];
    if (const auto* asked = std::get_if<UserRequest>(&step)) {
      last_ = asked->after;
      automatic_ = asked->auto_after;
    }
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
  /// True when it became a part of the last step.
  bool join(const Selection& now, bool automatic) {
    auto* asked = at_ > 0 && at_ == steps_.size() ? std::get_if<UserRequest>(&steps_.back()) : nullptr;
    if (gesture_ == 0 || !asked || asked->gesture != gesture_) return false;
    asked->after = now;
    asked->auto_after = automatic;
    if (asked->before == now) steps_.resize(--at_);
    return true;
  }
  std::vector<Step> steps_;
  size_t at_ = 0;  ///< steps that are done
  std::optional<Selection> last_;
  uint64_t gesture_ = 0;
  bool automatic_ = false;  ///< with last_
};

}  // namespace attnscope::gui
