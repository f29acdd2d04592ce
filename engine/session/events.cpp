#include "engine/session/events.hpp"

namespace attnscope {

void EventStream::trace(const Event& event) {
  if (const auto* began = std::get_if<RunBegan>(&event)) {
    const Record& r = *began->record;
    name_ = fmt::format("{} {} on {}", r.variant, to_text(r.config), to_text(r.problem));
  } else if (const auto* done = std::get_if<TrialDone>(&event); done || std::holds_alternative<TrialBegan>(event)) {
    // At the instant at which a stage ends, too: readers want spans of a track that are apart or nested.
    end_span();
    if (done) spans_.push_back({to_text(done->trial.config), stage_, false, trial_began_ns_, stage_began_ns_});
    trial_began_ns_ = stage_began_ns_;
  } else if (!std::holds_alternative<SampleBatch>(event)) {
    return;
  }
  tell_trace();
}

void EventStream::tell_trace() {
  if (traced_ == nullptr) return;
  vulkan::Dispatches dispatches = traced_->take_dispatches();
  TraceSpans told;
  told.spans = std::move(spans_);
  spans_.clear();
  for (vulkan::Dispatch& d : dispatches.spans)
    told.spans.push_back({std::move(d.name), stage_, true, d.begin_ns, d.end_ns});
  if (told.spans.empty()) return;
  told.now_ns = now_ns();
  told.calibrated = dispatches.calibrated;
  told.left_out = dispatches.left_out;
  if (on_trace_)
    on_trace_(told);
  else if (sink_)
    sink_(told);
}

}  // namespace attnscope
