// The newest run and the one before it: what of them is of just what is asked now, and the pins against it.
#pragma once

#include "app/gui/model/comparisons.hpp"
#include "app/gui/model/user_request.hpp"

namespace attnscope::gui {

struct LiveCopy {
  std::shared_ptr<const Record> record;
  uint64_t series = 0, taken = 0;  ///< Series::id() and taken()
};

class LiveRuns {
 public:
  LiveRuns(const UserRequest& request, const DeviceState& known, const Editor& editor)
      : request_(request), device_state_(known), editor_(editor) {}

  Live newest;  ///< of whatever config: for the status line. Panels show the numbers of shown() alone
  Comparisons comparisons;

  bool measuring() const { return !newest.stage.empty(); }
  /// The run of just what is asked now: device, problem, variant as loaded, config, modes. nullptr when there is none
  /// yet.
  const Live* shown() const;
  /// The same, and only with a time that may be shown: verified and not broken off.
  const Live* timed() const {
    const Live* live = shown();
    return live && live->timed() ? live : nullptr;
  }
  /// While what is asked has no time yet, what was measured before it, with its samples: of another run, to be shown as
  /// such. nullptr: a time is shown, or there was none before.
  std::pair<const Record*, std::span<const double>> before() const;
  /// What is shown against the run before it; nullptr while either is not complete.
  const Change* change() const { return timed() ? previous_.change() : nullptr; }
  /// FLOPs and bytes of the run that is shown.
  Work work() const {
    if (const Live* live = shown(); live && live->began) return {live->began->flops, live->began->bytes};
    return {problem_flops(request_.selection.problem), problem_bytes(request_.selection.problem)};
  }
  /// What is shown, with the samples that it had some time ago: what the pins are compared with. nullptr: it has no
  /// time.
  const LiveCopy* copy() const { return copy_ ? &*copy_ : nullptr; }
  /// This pin against what is shown, if there is a word; else in two words why not.
  const Compared* verdict(const Pin&) const;
  std::string why_no_verdict(const Pin&) const;

  /// To be told before the newest run's samples go.
  void leave() { previous_.leave(newest); }
  /// Of another device.
  void forget() {
    leave();
    newest = {};
  }
  void step(const Pins& pins, double now) {
    comparisons.step();
    make_copy(now);
    previous_.step(timed(), copy_ ? copy_->record : nullptr, comparisons, device_state_, pins);
  }

 private:
  void make_copy(double now);
  const UserRequest& request_;
  const DeviceState& device_state_;
  const Editor& editor_;
  PreviousRun previous_;
  std::optional<LiveCopy> copy_;
  double copied_at_ = 0;
};

}  // namespace attnscope::gui
