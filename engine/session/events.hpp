// The stream of events of one run, with the signs of life that a watcher of the run relies on.
#pragma once

#include <atomic>
#include <chrono>

#include "engine/clock.hpp"
#include "engine/session/session.hpp"
#include "engine/vulkan/device.hpp"

namespace attnscope {

class EventStream {
 public:
  /// `traced`: a device that logs its dispatches; they and the stages are reported too. It outlives the stream.
  explicit EventStream(const EventSink& sink, const vulkan::Device* traced = nullptr,
                       const std::function<void(const TraceSpans&)>& on_trace = {})
      : sink_(sink), traced_(traced), on_trace_(on_trace) {}
  ~EventStream() {
    end_span();
    if (traced_ != nullptr && !name_.empty()) spans_.push_back({name_, "", false, began_ns_, now_ns()});
    tell_trace();
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  void stage(const std::string& name) {
    end_span();
    stage_ = name;
    emit(Progress{name});
  }
  void emit(const Event& event) {
    const auto start = Clock::now();
    if (sink_) sink_(event);
    last_ = Clock::now();
    if (traced_ != nullptr) trace(event);
    held_ += Clock::now() - start;
  }
  /// Called between dispatches: repeats the stage after a second without an event.
  void alive() {
    if (Clock::now() - last_ >= std::chrono::seconds(1)) emit(Progress{stage_});
  }
  /// How the device is waited for in this run: until `cancel`, and each submit that ended is a sign of life. For as
  /// long as both live.
  vulkan::Wait wait(const std::atomic<bool>& cancel) const {
    vulkan::Wait until{.cancel = &cancel, .between = &alive_};
    return until;
  }
  /// Milliseconds spent in the sink so far: the caller's time, not the measurement's.
  double held_ms() const { return std::chrono::duration<double, std::milli>(held_).count(); }

 private:
  /// The stage that was, with its dispatches.
  void end_span() {
    if (traced_ == nullptr) return;
    const int64_t now = now_ns();
    if (!stage_.empty()) spans_.push_back({stage_, stage_, false, stage_began_ns_, now});
    tell_trace();
    stage_began_ns_ = now;
  }
  void trace(const Event& event);
  void tell_trace();

  const EventSink& sink_;
  const vulkan::Device* traced_ = nullptr;
  std::function<void(const TraceSpans&)> on_trace_;
  std::vector<TraceSpan> spans_;
  std::string name_;  ///< of the run
  int64_t began_ns_ = now_ns(), stage_began_ns_ = 0, trial_began_ns_ = began_ns_;
  const std::function<void()> alive_ = [this] { alive(); };
  std::string stage_;
  Clock::time_point last_ = Clock::now();
  Clock::duration held_{};
};

}  // namespace attnscope
