// The measuring thread's runs: live sampling of one config, and jobs of many.
#include <fmt/format.h>

#include "app/gui/link_core.hpp"

namespace attnscope::gui {

// Blocks the sink, and with it a paced run, until the window lets it on.
void Link::Core::hold() {
  std::unique_lock lock(mutex);
  gate = Gate::held;
  if (wake) wake();
  changed.wait(lock, [&] { return quit || cancel || gate != Gate::held; });
  gate = cancel || quit ? Gate::idle : Gate::sampling;
}

Record Link::Core::run(const RunRequest& request, const std::function<void(const Event&)>& sink) {
  auto record = session(opened->worker)->run(
      request,
      [&](const Event& event) {
        if (const auto* progress = std::get_if<Progress>(&event))
          gate = request.paced && progress->stage == "sample" ? Gate::sampling : Gate::idle;
        sink(event);
        if (request.paced && std::holds_alternative<SampleBatch>(event)) hold();
      },
      cancel);
  gate = Gate::idle;
  if (record) return *record;
  Record lost;
  lost.problem = request.problem;
  lost.variant = request.variant;
  lost.config = request.config;
  lost.outcome = record.error().kind == ErrorKind::cancelled ? Outcome::cancelled : Outcome::error;
  lost.message = record.error().message;
  lost.protocol = request.protocol;
  lost.seed = request.seed;
  return lost;
}

void Link::Core::run_live(const Wish& wish) {
  RunRequest request;
  request.problem = wish.ask->problem;
  request.variant = wish.ask->variant;
  request.config = wish.ask->config;
  request.protocol.cache = wish.cache;
  request.protocol.launch = wish.launch;
  request.live = true;
  request.paced = wish.quiet;
  request.batch_ms = wish.quiet ? options.batch_ms : options.streaming_batch_ms;
  post(RunStarted{*wish.ask});
  const Record record = run(request, [&](const Event& event) { post(RunEvent{*wish.ask, event}); });
  post(RunEnded{*wish.ask, record});
}

void Link::Core::run_job(const Job& job) {
  for (size_t i = 0; i < job.items.size() && !cancel_job; ++i) {
    const Ask& ask = job.items[i];
    post(JobStep{job.id, i, job.items.size(), ask, {}});
    RunRequest request;
    request.problem = ask.problem;
    request.variant = ask.variant;
    request.config = ask.config;
    request.protocol.cache = job.cache;
    request.protocol.launch = job.launch;
    request.paced = job.quiet;
    request.batch_ms = job.quiet ? options.batch_ms : options.streaming_batch_ms;
    const Record record = run(request, [](const Event&) {});
    if (record.outcome == Outcome::cancelled) break;
    post(JobStep{job.id, i + 1, job.items.size(), {}, record});
  }
  post(JobStep{job.id, job.items.size(), job.items.size(), {}, {}});
}

}  // namespace attnscope::gui
