#include "app/gui/model/history.hpp"

namespace attnscope::gui {

void History::push(Step step) {
  steps_.resize(at_);
  steps_.push_back(std::move(step));
  if (steps_.size() > kKept) steps_.erase(steps_.begin());
  at_ = steps_.size();
}

void History::remember(const Selection& now, bool automatic) {
  if (last_ && *last_ != now && !join(now, automatic)) push(UserRequest{*last_, now, gesture_, automatic_, automatic});
  last_ = now;
  automatic_ = automatic;
}

bool History::join(const Selection& now, bool automatic) {
  auto* asked = at_ > 0 && at_ == steps_.size() ? std::get_if<UserRequest>(&steps_.back()) : nullptr;
  if (gesture_ == 0 || !asked || asked->gesture != gesture_) return false;
  asked->after = now;
  asked->auto_after = automatic;
  if (asked->before == now) steps_.resize(--at_);
  return true;
}

void History::amend(const Selection& now, bool automatic) {
  auto* asked = last_ && at_ > 0 && at_ == steps_.size() ? std::get_if<UserRequest>(&steps_.back()) : nullptr;
  if (asked) {
    asked->after = now;
    asked->auto_after = automatic;
  }
  last_ = now;
  automatic_ = automatic;
}

void History::removed(std::vector<Pin> pins) {
  if (!pins.empty()) push(Removed{std::move(pins)});
}

void History::removed(std::vector<SessionLog::Entry> entries) {
  if (!entries.empty()) push(RemovedRuns{std::move(entries)});
}

const History::Step& History::undo() {
  const Step& step = steps_[--at_];
  if (const auto* asked = std::get_if<UserRequest>(&step)) {
    last_ = asked->before;
    automatic_ = asked->auto_before;
  }
  return step;
}

const History::Step& History::redo() {
  const Step& step = steps_[at_++];
  if (const auto* asked = std::get_if<UserRequest>(&step)) {
    last_ = asked->after;
    automatic_ = asked->auto_after;
  }
  return step;
}

}  // namespace attnscope::gui
