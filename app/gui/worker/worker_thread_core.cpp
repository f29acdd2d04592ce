#include "app/gui/worker/worker_thread_core.hpp"

#include <algorithm>

#include "engine/search/keep.hpp"
#include "engine/session/request_run.hpp"

namespace attnscope::gui {

void WorkerThread::Core::post(WorkerEvent item) {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex);
    news.push_back(std::move(item));
    call = wake;
  }
  if (call) call();
}

bool WorkerThread::Core::newer(const WorkerRequest& request) {
  const std::lock_guard lock(mutex);
  return quit || (!jobs.empty() && !measures()) || requested != request;
}

void WorkerThread::Core::loop() {
  while (true) {
    WorkerRequest request;
    std::optional<Job> job;
    {
      std::unique_lock lock(mutex);
      const auto next_job = [&] { return !jobs.empty() && !measures(); };
      changed.wait(lock, [&] { return quit || (requested && (next_job() || again || requested != served)); });
      if (quit) return;
      request = *requested;
      served.reset();
      again = cancel = false;
      starting = true;
      if (next_job()) {
        job = std::move(jobs.front());
        jobs.pop_front();
        in_job = true;
      }
    }
    const bool ready = open(request) && read_variants(request);
    {
      const std::lock_guard lock(mutex);
      starting = false;
      if (options.abandon) *options.abandon = false;
    }
    const char* const not_ready = "The device is not open, or its shaders are not loaded.";
    if (ready)
      ready_to_search();
    else
      end_search(not_ready);
    if (job) {
      if (!ready)
        post(end_of(*job, not_ready));
      else
        run_job(*job);
      const std::lock_guard lock(mutex);
      in_job = false;
      served.reset();
      changed.notify_all();
      continue;
    }
    if (ready) read_peaks(request);
    // Who asked for something else meanwhile asks for it again.
    if (lost_over && !was_lost(request)) lost_over.reset();
    if (ready && request.selection) {
      inspect(request);
      if (legal && (request.run || request.closer) && settled(request)) {
        plan_neighbours(request);
        if (request.run && !was_lost(request) && !newer(request)) run_live(request);
        // Nothing is sampled by now, whether or not it was: a search that waits for that begins.
        const std::lock_guard lock(mutex);
        sampling = false;
        changed.notify_all();
      }
    }
    // What was left because of something newer is not served: it may be requested again, and may have been by now,
    // with the very same words; then the cancel alone tells.
    if (!newer(request) && !cancel) served = request;
  }
}

bool WorkerThread::Core::failed(const char* what, const Error& error) {
  // A request that was abandoned for a newer one did not fail.
  if (error.kind != ErrorKind::cancelled) post(Failed{what, error, {}});
  return false;
}

bool WorkerThread::Core::open(const WorkerRequest& request) {
  if (opened && opened->device == request.device && opened->attempt == request.attempt) return true;
  if (!session) session = options.session();
  if (!opened) {
    auto devices = session->devices();
    if (!devices) return failed("devices", devices.error());
    post(DevicesKnown{*devices});
  }
  const bool same = opened && opened->device == request.device;
  told = {};
  peaks_asked = false;
  if (!same) {
    end_search("Another device was opened.");
    opened.reset();
    loaded.reset();
    not_loaded.reset();
    auto found = session->open(request.device);
    if (!found) return failed("open", found.error());
    device = *found;
    post(DeviceOpened{device, session->machine()});
  }
  // Asked anew of the same device, by somebody who may have forgotten all that was told of it.
  if (same) {
    post(DeviceOpened{device, session->machine()});
    if (loaded) post(VariantsKnown{variants, loaded->sources, texts});
  }
  opened = request;
  return true;
}

bool WorkerThread::Core::read_variants(const WorkerRequest& request) {
  if (loaded && loaded->sources == request.sources) return true;
  if (not_loaded && not_loaded->sources == request.sources && not_loaded->attempt == request.attempt) return false;
  end_search("The shaders were read again.");
  predictor.clear();
  auto read = read_variant_sources(options.shader_dirs, options.source_dirs);
  loaded.reset();
  not_loaded = request;
  told = {};
  if (!read) return failed("variants", read.error());
  {
    const std::lock_guard lock(mutex);
    sources = std::make_shared<const std::vector<VariantSource>>(*read);
  }
  auto infos = session->load_variants(*read);
  if (!infos) return failed("variants", infos.error());
  loaded = request;
  not_loaded.reset();
  variants = *infos;
  texts =
      std::make_shared<const std::vector<LoadedVariant>>(loaded_texts(*read, options.shader_dirs, options.source_dirs));
  post(VariantsKnown{variants, request.sources, texts});
  return true;
}

void WorkerThread::Core::inspect(const WorkerRequest& request) {
  look_up_tuned(request);
  // A newer request of the same config may have cut the checks short.
  if (told.inspected == request.selection && !request.choose) return check_variants(request);
  legal = false;
  const Selection& selection = *request.selection;
  if (request.choose && request.automatic) {
    told.inspected.reset();
    const tune::TunedTables tuned = search::load_tables(options.tuning.tuned, options.tuning.shipped);
    auto choice =
        choose_auto(*session, device, variants, tuned, selection.problem, request.modes.cache, request.modes.launch);
    if (choice) {
      std::string remark = choice->remark;
      return post(AutoChosen{selection.problem, std::move(*choice), std::move(remark)});
    }
    // What stands there already then says for itself why it cannot run.
    const auto stands = session->choose_config(selection.problem, selection.variant, "default");
    if (!stands) return post(Failed{"inspect", choice.error(), selection});
    AutoChoice kept{selection.variant,
                    stands->config,
                    stands->name,
                    AutoChoice::From::manifest,
                    "auto: " + choice.error().message,
                    {}};
    return post(AutoChosen{selection.problem, std::move(kept), {}});
  }
  if (request.choose) {
    told.inspected.reset();
    if (auto tuned = tuned_for(selection.problem, selection.variant, request.modes))
      return post(
          ConfigChosen{selection, {tuned->entry.config, {}, ConfigChoice::How::suited, tune::describe(*tuned)}, true});
    auto choice = session->choose_config(selection.problem, selection.variant, "default");
    if (!choice) return post(Failed{"inspect", choice.error(), selection});
    return post(ConfigChosen{selection, *choice});
  }
  auto inspection = session->inspect(selection.problem, selection.variant, selection.config);
  if (!inspection) {
    told.inspected.reset();
    return post(Failed{"inspect", inspection.error(), selection});
  }
  told.inspected = selection;
  legal = inspection->why_not.empty();
  post(Inspected{selection, *inspection});
  check_variants(request);
}

// Cheap next to a run: without a config of its own each variant is asked for its defaults' nearest legal config.
void WorkerThread::Core::check_variants(const WorkerRequest& request) {
  for (const VariantInfo& v : variants) {
    if (newer(request)) return;
    const Problem& problem = request.selection->problem;
    if (!told.checked.emplace(v.name, to_text(problem)).second) continue;
    std::string why = !v.error.empty() ? v.error : v.why_not;
    bool broken = false;
    if (why.empty()) {
      auto inspection = session->inspect(problem, v.name, default_config(v));
      if (!inspection)
        why = inspection.error().message;
      else if (!inspection->why_not.empty() && inspection->nearest.empty())
        why = inspection->why_not, broken = inspection->broken;
    }
    post(VariantChecked{problem, v.name, why, broken});
  }
}

void WorkerThread::Core::plan_neighbours(const WorkerRequest& request) {
  if (!request.closer || told.around == request.selection) return;
  const Selection& selection = *request.selection;
  auto found = session->plan_neighbours(selection.problem, selection.variant, selection.config);
  if (!found) return post(Failed{"plan neighbours", found.error(), selection});
  told.around = selection;
  post(NeighboursPlanned{selection, std::move(*found)});
}

void WorkerThread::Core::read_peaks(const WorkerRequest& request) {
  const bool measure = request.peaks > peaks_done;
  if (peaks_asked && !measure) return;
  PeaksRequest peaks;
  peaks.measure = measure;
  const auto stage = [&](const Event& event) {
    if (const auto* progress = std::get_if<Progress>(&event)) post(PeaksKnown{{}, progress->stage, ""});
  };
  auto answer = session->peaks(peaks, measure ? EventSink(stage) : EventSink([](const Event&) {}), cancel);
  peaks_asked = true;
  if (!answer) {
    post(PeaksKnown{});
    // What was broken off by something newer is asked for still.
    if (answer.error().kind == ErrorKind::cancelled) return;
    peaks_done = request.peaks;
    return post(Failed{"peaks", answer.error(), {}});
  }
  peaks_done = request.peaks;
  post(PeaksKnown{answer->peaks, "", answer->note});
}

bool WorkerThread::Core::settled(const WorkerRequest& request) {
  std::unique_lock lock(mutex);
  const auto left = std::chrono::duration<double>(wished_at + options.settle_s - steady_seconds());
  const auto other = [&] { return quit || !jobs.empty() || requested != request || measures(); };
  changed.wait_for(lock, left, other);
  sampling = !other();
  return sampling;
}

// Blocks the sink, and with it a paced run, until the window lets it on.
void WorkerThread::Core::hold() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex);
    gate = Gate::held;
    call = wake;
  }
  if (call) call();
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return quit || cancel || gate != Gate::held; });
  gate = cancel || quit ? Gate::idle : Gate::sampling;
}

RunRequest WorkerThread::Core::request_of(const Selection& selection, const Modes& modes, bool quiet) {
  RunRequest request;
  request.problem = selection.problem;
  request.variant = selection.variant;
  request.config = selection.config;
  request.protocol.cache = modes.cache;
  request.protocol.launch = modes.launch;
  request.paced = quiet;
  request.batch_ms = quiet ? options.batch_ms : options.streaming_batch_ms;
  for (const VariantInfo& v : variants)
    if (v.name == selection.variant)
      request.predicted = predictor.of(*session, device, tables.models, v, selection.problem, selection.config);
  return request;
}

Record WorkerThread::Core::run(const RunRequest& request, const std::function<void(const Event&)>& sink) {
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

/// The window cannot have heard of it when what is requested meanwhile is served.
bool WorkerThread::Core::was_lost(const WorkerRequest& request) const {
  return lost_over && of_one_run(*lost_over, request);
}

bool WorkerThread::Core::still_asked(const WorkerRequest& request) {
  const std::lock_guard lock(mutex);
  return requested && requested->run && of_one_run(*requested, request);
}

void WorkerThread::Core::run_live(const WorkerRequest& request) {
  RunRequest live = request_of(*request.selection, request.modes, request.quiet);
  live.live = true;
  post(RunStarted{*request.selection, request.modes});
  Record record = run(live, [&](const Event& event) {
    post(RunEvent{*request.selection, event});
    if (std::holds_alternative<SampleBatch>(event) && newer(request)) cancel = true;
  });
  // A worker that had to be ended says why. It may have been busy, or hang: what is still asked for waits for a word.
  if (cancel_timeout(record) && still_asked(request)) conclude(record, Outcome::error);
  // Told before a search may begin: its first trials are not heard of while this still counts as sampled.
  post(RunEnded{*request.selection, record});
  if (record.outcome == Outcome::error) lost_over = request;
}

Raced WorkerThread::Core::take_turns(uint64_t job, const RaceRequest& request) {
  const auto sink = [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) post(Raced{job, p->stage});
  };
  Result<RaceResult> raced = session->race(request, sink, cancel);
  if (cancel_job) return {job, "", {}, "It was cancelled."};
  if (!raced) return {job, "", {}, raced.error().message};
  if (raced->records.size() != request.entries.size() || raced->turns.size() != request.entries.size())
    return {job, "", {}, "The worker measured another number of configs; is it of another version?"};
  return {job, "", std::move(*raced), ""};
}

void WorkerThread::Core::race_versions(const Job& job, const Job::Race& r) {
  Raced ended{job.id, "", {}, ""};
  post(Raced{job.id, "compile"});
  const Selection& of = r.selection;
  RaceRequest request = search::pair_request(of.problem);
  request.protocol.cache = r.modes.cache;
  request.protocol.launch = r.modes.launch;
  request.entries = {{of.variant, of.config}, {of.variant, of.config}};
  request.entries[1].variant += search::kOfB;
  // They take the place of all others for as long as it lasts.
  end_search("Two versions of a shader were compared.");
  const auto infos = session->load_variants({r.first, search::renamed(r.second, request.entries[1].variant)});
  if (!infos) ended.error = infos.error().message;
  if (infos)
    for (const VariantInfo& info : *infos)
      if (ended.error.empty()) ended.error = info.error;
  if (ended.error.empty()) ended = take_turns(job.id, request);
  if (session->load_variants(*sources))
    ready_to_search();
  else
    loaded.reset();  // read again with the next request
  post(std::move(ended));
}

void WorkerThread::Core::run_job(const Job& job) {
  if (const auto* two = job.as<Job::Race>()) return race_versions(job, *two);
  if (const auto* race = job.as<RaceRequest>()) return post(take_turns(job.id, *race));
  if (const auto* errors = job.as<ErrorMapRequest>()) return map_errors(job, *errors);
  const Job::Items& items = *job.as<Job::Items>();
  for (size_t i = 0; i < items.size() && !cancel_job; ++i) {
    const auto& [selection, modes, seed] = items[i];
    post(JobStep{job.id, i, items.size(), selection, {}});
    RunRequest request = request_of(selection, modes, job.quiet);
    request.seed = seed;
    const Record record = run(request, [](const Event&) {});
    if (record.outcome == Outcome::cancelled) break;
    post(JobStep{job.id, i + 1, items.size(), {}, record});
  }
  post(JobStep{job.id, items.size(), items.size(), {}, {}});
}

void WorkerThread::Core::map_errors(const Job& job, const ErrorMapRequest& errors) {
  gate = Gate::idle;
  auto answer = session->error_map(
      errors, [](const Event&) {}, cancel);
  if (answer)
    post(ErrorsKnown{job.id, std::make_shared<const ErrorMapAnswer>(std::move(*answer)), ""});
  else
    post(ErrorsKnown{job.id, nullptr, answer.error().message});
}

namespace {

constexpr size_t kFinalists = 5;
constexpr uint64_t kKeptReasons = 20'000;
/// What is recalled comes by the thousand: so many a news.
constexpr size_t kTrialsANews = 512;
constexpr double kNewsEvery = 0.05;  ///< seconds between news of trials, else

/// Turns a search's events into news: configs into points, trials into batches.
class Teller {
 public:
  Teller(uint64_t id, const DeviceInfo& device, std::function<void(WorkerEvent)> post)
      : id_(id), device_(device), post_(std::move(post)) {}
  void began(const search::SearchBegan& began) {
    for (const search::Arm& arm : began.arms)
      spaces_.push_back(std::make_unique<tune::SearchSpace>(arm.variant, arm.parameters));
    post_(SearchNews{id_, SearchStarted{device_, began.arms, began.predicted}});
  }
  void trial(const std::string& variant, const Trial& trial, bool recalled) {
    const auto [arm, point] = place(variant, trial.config);
    if (!point) return;
    const std::lock_guard lock(mutex_);
    trials_.push_back({arm, *point, trial.median_ns, trial.outcome, trial.dropped, recalled,
                       uint32_t(trial.samples_ns.size()), trial.message, trial.settled});
    if (trials_.size() >= kTrialsANews || (!recalled && steady_seconds() - flushed_ >= kNewsEvery)) flush();
  }
  void planned(const std::string& variant, const SpaceBatch& batch) {
    Legality told;
    told.first = batch.first;
    told.next = batch.next;
    for (const Config& config : batch.legal) {
      const auto [arm, point] = place(variant, config);
      told.arm = arm;
      if (point) told.legal.push_back(*point);
    }
    for (const RefusedConfig& refused : batch.refused) {
      const auto [arm, point] = place(variant, refused.config);
      told.arm = arm;
      if (point) told.refused.emplace_back(*point, refused.why_not);
    }
    if (batch.legal.empty() && batch.refused.empty()) told.arm = arm_of(variant);
    post_(SearchNews{id_, std::move(told)});
  }
  void tick(const std::string& stage, const tune::TuneProgress& progress) {
    {
      const std::lock_guard lock(mutex_);
      flush();
    }
    post_(SearchNews{id_, SearchTick{stage, progress}});
  }
  void note(const std::string& text) { post_(SearchNews{id_, SearchNote{text}}); }
  void end() {
    const std::lock_guard lock(mutex_);
    flush();
  }

 private:
  uint32_t arm_of(const std::string& variant) const {
    const auto it =
        std::find_if(spaces_.begin(), spaces_.end(), [&](const auto& s) { return s->variant() == variant; });
    return uint32_t(it - spaces_.begin());
  }
  std::pair<uint32_t, std::optional<uint64_t>> place(const std::string& variant, const Config& config) const {
    const uint32_t arm = arm_of(variant);
    if (arm >= spaces_.size()) return {0, std::nullopt};
    return {arm, spaces_[arm]->point(config)};
  }
  void flush() {
    flushed_ = steady_seconds();
    if (!trials_.empty()) post_(SearchNews{id_, SearchTrials{std::exchange(trials_, {})}});
  }

  const uint64_t id_;
  const DeviceInfo& device_;
  const std::function<void(WorkerEvent)> post_;
  std::vector<std::unique_ptr<tune::SearchSpace>> spaces_;  ///< none changes once it is told of
  std::mutex mutex_;
  std::vector<SlimTrial> trials_;
  double flushed_ = 0;
};

Protocol protocol_of(const Modes& modes) {
  Protocol protocol;
  protocol.cache = modes.cache;
  protocol.launch = modes.launch;
  return protocol;
}

}  // namespace

void WorkerThread::Core::end_search(const std::string& why) {
  std::optional<Search> dropped;
  {
    const std::lock_guard lock(mutex);
    place.reset();
    dropped = std::exchange(search, std::nullopt);
  }
  if (dropped) post(SearchNews{dropped->id, SearchEnded{why, {}}});
  std::unique_lock lock(mutex);
  if (!searching) return;
  search_ended_by = why;
  cancel_search = true;
  changed.wait(lock, [&] { return !searching; });
}

void WorkerThread::Core::ready_to_search() {
  const std::lock_guard lock(mutex);
  if (place) return;
  place = search::SearchDevice{session.get(), device, variants};
  changed.notify_all();
}

std::optional<tune::TunedMatch> WorkerThread::Core::tuned_for(const Problem& problem, const std::string& variant,
                                                              const Modes& modes) {
  bool old = false;
  {
    const std::lock_guard lock(mutex);
    old = std::exchange(tuned_old, false);
  }
  if (old) {
    told.tuned.reset();
    tables = search::load_tables(options.tuning.tuned, options.tuning.shipped);
    predictor.clear();
    for (const auto* table : {&tables.user, &tables.shipped})
      for (const std::string& note : table->notes) post(SearchNews{0, SearchNote{note}});
  }
  const auto known =
      std::find_if(variants.begin(), variants.end(), [&](const VariantInfo& v) { return v.name == variant; });
  if (known == variants.end()) return std::nullopt;
  auto match =
      search::choose_tuned(*session, tables, {device, problem, {{variant, known->hash}}, modes.cache, modes.launch});
  // What was tuned for other problems is a guess: the defaults' neighbour, not their equal.
  if (match && match->how != tune::TunedMatch::How::exact) return std::nullopt;
  return match;
}

void WorkerThread::Core::look_up_tuned(const WorkerRequest& request) {
  std::pair<Selection, Modes> of{{request.selection->problem, request.selection->variant, {}}, request.modes};
  {
    const std::lock_guard lock(mutex);
    if (told.tuned == of && !tuned_old) return;
  }
  auto match = tuned_for(request.selection->problem, request.selection->variant, request.modes);
  told.tuned = std::move(of);
  post(TunedKnown{request.selection->problem, request.selection->variant, request.modes, std::move(match)});
}

void WorkerThread::Core::search_loop() {
  while (true) {
    std::optional<Search> next;
    std::optional<uint64_t> kept;
    search::SearchDevice where;
    std::shared_ptr<const std::vector<VariantSource>> of;
    {
      std::unique_lock lock(mutex);
      // A device does one thing at a time: what is sampled or measured now comes to its end first.
      const auto due = [&] { return place && ((search && (search->look_only || (!sampling && !in_job))) || keep); };
      changed.wait(lock, [&] { return quit || due(); });
      if (quit) return;
      where = *place;
      of = sources;
      if (search) {
        next = std::exchange(search, std::nullopt);
        searching = next;
        search_ended_by.clear();
        cancel_search = false;
      } else {
        kept = std::exchange(keep, std::nullopt);
      }
    }
    if (kept) {
      keep_found(*kept, *of);
    } else {
      run_search(*next, where);
    }
    const std::lock_guard lock(mutex);
    searching.reset();
    again = true;
    // What is sampled now may be what was kept: it is looked up once more, and sampling goes on.
    if (kept && !in_job) cancel = true;
    changed.notify_all();
  }
}

void WorkerThread::Core::run_search(const Search& wanted, const search::SearchDevice& where) {
  search::SearchRequest request;
  request.problem = wanted.problem;
  request.variants = wanted.variants;
  request.protocol = protocol_of(wanted.modes);
  request.strategy = wanted.strategy;
  request.budget = wanted.budget;
  request.narrow = wanted.narrow;
  request.look_only = wanted.look_only;
  request.finalists = kFinalists;
  request.keep_refused = kKeptReasons;
  request.journal =
      search::journal_in(options.tuning.trials, where.device, wanted.problem, request.protocol, request.seed);
  Teller teller(wanted.id, where.device, [this](WorkerEvent item) { post(std::move(item)); });
  search::SearchEvents events;
  events.began = [&](const search::SearchBegan& began) { teller.began(began); };
  events.note = [&](const std::string& text) { teller.note(text); };
  events.trial = [&](const std::string& variant, const Trial& trial, bool recalled) {
    teller.trial(variant, trial, recalled);
  };
  events.planned = [&](const std::string& variant, const SpaceBatch& batch) { teller.planned(variant, batch); };
  events.tick = [&](const std::string& stage, const tune::TuneProgress& progress) { teller.tick(stage, progress); };
  const search::TunedTables near = search::load_tables(options.tuning.tuned, options.tuning.shipped);
  Result<search::SearchOutcome> out = search::run_search(request, std::span(&where, 1), near, events, cancel_search);
  teller.end();
  SearchEnded ended;
  {
    const std::lock_guard lock(mutex);
    ended.error = search_ended_by;
  }
  if (out) {
    ended.outcome = std::make_shared<const search::SearchOutcome>(std::move(*out));
    last_search = {wanted.id, ended.outcome, where};
  } else if (ended.error.empty()) {
    ended.error = out.error().message;
  }
  post(SearchNews{wanted.id, std::move(ended)});
}

void WorkerThread::Core::keep_found(uint64_t id, const std::vector<VariantSource>& of) {
  SearchKept kept;
  if (!last_search.outcome || last_search.id != id) {
    kept.error = "That search is over.";
    return post(SearchNews{id, std::move(kept)});
  }
  kept.entries = search::tuned_entries(*last_search.outcome);
  search::add_passes(kept.entries, of, options.cache_dir, last_search.place.device);
  const auto notes = search::keep_tuned(options.tuning.tuned, kept.entries, std::span(&last_search.place, 1));
  if (!notes) kept.error = notes.error().message;
  if (notes)
    for (const std::string& note : *notes) post(SearchNews{id, SearchNote{note}});
  {
    const std::lock_guard lock(mutex);
    tuned_old = true;
  }
  post(SearchNews{id, std::move(kept)});
}

}  // namespace attnscope::gui
