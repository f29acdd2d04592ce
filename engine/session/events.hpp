// The stream of events of one run, with the signs of life that a watcher of the run relies on.
#pragma once

#include "engine/clock.hpp"
#include "engine/session/session.hpp"
#include "engine/vulkan/device.hpp"

namespace attnscope {

class EventStream {
 public:
  explicit EventStream(const EventSink& sink) : sink_(sink) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  void stage(const std::string& name) {
    stage_ = name;
    emit(Progress{name});
  }
  void emit(const Event& event) {
    const auto start = Clock::now();
    if (sink_) sink_(event);
    last_ = Clock::now();
    held_ms_ += ms_since(start);
  }
  /// Called between dispatches: repeats the stage after a second without an event.
  void alive() {
    if (Clock::now() - last_ >= std::chrono::seconds(1)) emit(Progress{stage_});
  }
  /// How the device is waited for in this run: until `cancel`, each submit that ended being a sign of life.
  vulkan::Wait wait(const Cancel& cancel) const { return {.cancel = &cancel, .between = &alive_}; }
  /// Milliseconds since it began, less those spent in the sink: the measurement's own time, not the caller's.
  double own_ms() const { return ms_since(began_) - held_ms_; }

 private:
  const EventSink& sink_;
  const std::function<void()> alive_ = [this] { alive(); };
  std::string stage_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point last_ = began_;
  double held_ms_ = 0;
};

}  // namespace attnscope
