// A link's runs: live sampling of one config, and jobs of many.
#include <algorithm>

#include "app/gui/link_core.hpp"
#include "app/gui/state/best_race.hpp"
#include "engine/session/request_run.hpp"
#include "engine/session/unheeded.hpp"

namespace attnscope::gui {

// Blocks the sink, and with it a paced run, until the window lets it on.
void Link::Core::hold() {
  std::unique_lock lock(mutex);
  gate = Gate::held;
  if (wake) wake();
  changed.wait(lock, [&] { return quit || cancel || gate != Gate::held; });
  gate = cancel || quit ? Gate::idle : Gate::sampling;
}

RunRequest Link::Core::request_of(const Ask& ask, const Modes& modes, bool quiet) const {
  RunRequest request;
  request.problem = ask.problem;
  request.variant = ask.variant;
  request.config = ask.config;
  request.protocol.cache = modes.cache;
  request.protocol.launch = modes.launch;
  request.paced = quiet;
  request.batch_ms = quiet ? options.batch_ms : options.streaming_batch_ms;
  return request;
}

Record Link::Core::run(const RunRequest& request, const std::function<void(const Event&)>& sink) {
  auto record = session->run(
      request,
      [&](const Event& event) {
        if (const auto* progress = std::get_if<Progress>(&event))
          gate = request.paced && progress->stage == "sample" ? Gate::sampling : Gate::idle;
        sink(event);
        if (request.paced && std::holds_alternative<SampleBatch>(event)) hold();
      },
      cancel);
  gate = Gate::idle;
  if (record && options.finished) options.finished(*record, request.live);
  if (record) return *record;
  const auto known =
      std::find_if(variants.begin(), variants.end(), [&](const VariantInfo& v) { return v.name == request.variant; });
  Record lost = make_record(run_of(request, known == variants.end() ? VariantInfo{} : *known, device));
  conclude(lost, outcome_of(record.error().kind), record.error().message);
  return lost;
}

/// The window cannot have heard of it when what is wished meanwhile is served.
bool Link::Core::was_lost(const Wish& wish) const { return lost_over && of_one_run(*lost_over, wish); }

bool Link::Core::still_asked(const Wish& wish) {
  const std::lock_guard lock(mutex);
  return wished && wished->run && of_one_run(*wished, wish);
}

void Link::Core::run_live(const Wish& wish) {
  RunRequest request = request_of(*wish.ask, wish.modes, wish.quiet);
  request.live = true;
  post(RunStarted{*wish.ask, wish.modes});
  Record record = run(request, [&](const Event& event) {
    post(RunEvent{*wish.ask, event});
    if (std::holds_alternative<SampleBatch>(event) && newer(wish)) cancel = true;
  });
  // A worker that had to be ended says why. It may have been busy, or hang: what is still asked for waits for a word.
  if (unheeded(record) && still_asked(wish)) conclude(record, Outcome::error);
  // Told before a search may begin: its first trials are not heard of while this still counts as sampled.
  post(RunEnded{*wish.ask, record});
  if (record.outcome == Outcome::error) lost_over = wish;
  const std::lock_guard lock(mutex);
  sampling = false;
  changed.notify_all();
}

void Link::Core::race_versions(const Job& job) {
  const Job::Versions& v = *job.versions;
  VersionsRaced ended{job.id, "", {}, ""};
  post(VersionsRaced{job.id, "compile"});
  // They take the place of all others for as long as it lasts.
  end_search("Two versions of a shader were compared.");
  const std::string after = v.ask.variant + std::string(search::kOfB);
  const auto infos = session->load_variants({v.before, search::renamed(v.after, after)});
  if (!infos) ended.error = infos.error().message;
  if (infos)
    for (const VariantInfo& info : *infos)
      if (ended.error.empty() && !info.error.empty()) ended.error = info.error;
  if (ended.error.empty()) {
    search::PairOutcome out;
    RaceRequest request = search::pair_request(v.ask.problem);
    request.protocol.cache = v.modes.cache;
    request.protocol.launch = v.modes.launch;
    request.entries = {{v.ask.variant, v.ask.config}, {after, v.ask.config}};
    const auto sink = [&](const Event& event) {
      if (const auto* p = std::get_if<Progress>(&event)) post(VersionsRaced{job.id, p->stage});
    };
    Result<search::PairOutcome> raced = search::race_pair(*session, request, kInterleavedTolerance, sink, cancel);
    if (raced)
      ended.outcome = std::move(*raced);
    else
      ended.error = raced.error().message;
    if (cancel_job) ended.error = "It was cancelled.";
  }
  const auto back = session->load_variants(*sources);
  if (!back)
    loaded.reset();  // read again with the next wish
  else
    ready_to_search();
  post(std::move(ended));
}

void Link::Core::race_rivals(const Job& job) {
  const Job::Rivals& r = *job.rivals;
  RivalsRaced ended{job.id, "", {}, ""};
  RaceRequest request = search::pair_request(r.shown.problem);
  request.protocol.cache = r.modes.cache;
  request.protocol.launch = r.modes.launch;
  request.protocol.max_ms = longest_race_ms(r.slower_ns);
  request.resources = false;
  request.entries = {{r.shown.variant, r.shown.config}, {r.best.variant, r.best.config}};
  const auto sink = [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) post(RivalsRaced{job.id, p->stage});
  };
  Result<RaceResult> raced = session->race(request, sink, cancel);
  if (!raced)
    ended.error = raced.error().message;
  else if (raced->records.size() != 2 || raced->turns.size() != 2)
    ended.error = "The worker measured another number of configs than two; is it of another version?";
  else
    ended.race = std::move(*raced);
  if (cancel_job) ended = {job.id, "", {}, "It was cancelled."};
  post(std::move(ended));
}

void Link::Core::run_job(const Job& job) {
  if (job.versions) return race_versions(job);
  if (job.rivals) return race_rivals(job);
  for (size_t i = 0; i < job.items.size() && !cancel_job; ++i) {
    const auto& [ask, modes, seed] = job.items[i];
    post(JobStep{job.id, i, job.items.size(), ask, {}});
    RunRequest request = request_of(ask, modes, job.quiet);
    request.seed = seed;
    const Record record = run(request, [](const Event&) {});
    if (record.outcome == Outcome::cancelled) break;
    post(JobStep{job.id, i + 1, job.items.size(), {}, record});
  }
  post(JobStep{job.id, job.items.size(), job.items.size(), {}, {}});
}

void Link::Core::map_errors(const Job& job) {
  gate = Gate::idle;
  auto answer = session->error_map(
      *job.errors, [](const Event&) {}, cancel);
  if (answer)
    post(ErrorsKnown{job.id, std::make_shared<const ErrorMapAnswer>(std::move(*answer)), ""});
  else
    post(ErrorsKnown{job.id, nullptr, answer.error().message});
}

}  // namespace attnscope::gui
