#include "app/gui/worker/worker_thread.hpp"

#include "engine/record/results.hpp"

namespace attnscope {
namespace {

std::atomic<int> threads_running = 0;

}  // namespace

bool threads_left() { return threads_running > 0; }

namespace gui {

double steady_seconds() { return seconds_since({}); }

namespace {

bool of_one_config(const WorkerRequest& a, const WorkerRequest& b) {
  return a.selection == b.selection && a.modes == b.modes && a.device == b.device && a.attempt == b.attempt;
}
/// Whether both are served by the same run, by what it is of. What else they ask for waits for the end of a batch.
bool of_one_run(const WorkerRequest& a, const WorkerRequest& b) {
  return of_one_config(a, b) && a.sources == b.sources;
}

JobEvent end_of(const Job& job, const std::string& why) { return {.id = job.id, .over = true, .error = why}; }

const char* const kCancelled = "It was cancelled.";
constexpr size_t kFinalists = 5;
constexpr double kLiveWarmupMs = 250;  ///< at most, where other programs keep times from settling
constexpr uint64_t kKeptReasons = 20'000;

}  // namespace

std::shared_ptr<WorkerThread> WorkerThread::start(WorkerThreadOptions options) {
  auto made = std::make_shared<WorkerThread>(std::move(options));
  ++threads_running;
  made->thread_ = std::thread([self = made]() mutable {
    std::thread searches([&self] { self->search_loop(); });
    self->loop();
    searches.join();
    self->session_.reset();
    self->change([&] { self->finished_ = true; });
    self.reset();
    --threads_running;
  });
  return made;
}

void WorkerThread::quit() {
  const std::lock_guard lock(mutex_);
  if (!quit_) quit_at_ = std::chrono::steady_clock::now();
  quit_ = true;
  cancel_ = cancel_job_ = cancel_search_ = true;
  wake_ = nullptr;
  if (options_.ending) *options_.ending = true;
  changed_.notify_all();
}

void WorkerThread::join() {
  bool ended = false;
  {
    std::unique_lock lock(mutex_);
    // From when it was told to end: of many that hang, each has its two seconds at the same time.
    ended = changed_.wait_until(lock, quit_at_ + std::chrono::seconds(2), [&] { return finished_; });
  }
  ended ? thread_.join() : thread_.detach();
}

void WorkerThread::request(const WorkerRequest& request) {
  const std::lock_guard lock(mutex_);
  if (requested_ == request) return;
  // A tab that is clicked, say, is no reason to end a run: its worker may be busy for longer than it is waited for.
  const bool goes_on = requested_ && requested_->run == request.run && requested_->choose == request.choose &&
                       requested_->automatic == request.automatic && of_one_run(*requested_, request);
  if (starting_ && options_.abandon && requested_ &&
      (requested_->attempt != request.attempt || requested_->sources != request.sources ||
       requested_->device != request.device))
    *options_.abandon = true;
  requested_ = request;
  wished_at_ = steady_seconds();
  if (!in_job_ && !goes_on) cancel_ = true;
  changed_.notify_all();
}

void WorkerThread::submit(const Job& job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(job);
  cancel_job_ = false;
  if (!in_job_) cancel_ = true;
  changed_.notify_all();
}

void WorkerThread::cancel_job() {
  const auto dropped = change([&] {
    cancel_job_ = true;
    if (in_job_) cancel_ = true;
    return std::exchange(jobs_, {});
  });
  for (const Job& job : dropped) post(end_of(job, kCancelled));
}

void WorkerThread::search(const Search& wanted) {
  const auto dropped = change([&] {
    if (searching_) cancel_search_ = true;
    if (!wanted.look_only && !in_job_) cancel_ = true;
    return std::exchange(search_, wanted);
  });
  if (dropped) post(SearchEvent{dropped->id, SearchEnded{"Another one was begun.", {}}});
}

void WorkerThread::cancel_search() {
  const auto dropped = change([&] {
    cancel_search_ = true;
    return std::exchange(search_, std::nullopt);
  });
  if (dropped) post(SearchEvent{dropped->id, SearchEnded{{}, {}}});
}

void WorkerThread::keep(uint64_t search) {
  change([&] { keep_ = search; });
}

void WorkerThread::post(WorkerEvent item) {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    // Whoever was woken takes all at once.
    if (news_.empty()) call = wake_;
    news_.push_back(std::move(item));
  }
  if (call) call();
}

bool WorkerThread::newer(const WorkerRequest& request) {
  const std::lock_guard lock(mutex_);
  return quit_ || (!jobs_.empty() && !measures()) || requested_ != request;
}

void WorkerThread::loop() {
  while (true) {
    WorkerRequest request;
    std::optional<Job> job;
    {
      std::unique_lock lock(mutex_);
      const auto next_job = [&] { return !jobs_.empty() && !measures(); };
      changed_.wait(lock, [&] { return quit_ || (requested_ && (next_job() || again_ || requested_ != served_)); });
      if (quit_) return;
      request = *requested_;
      served_.reset();
      again_ = cancel_ = false;
      starting_ = true;
      if (next_job()) {
        job = std::move(jobs_.front());
        jobs_.pop_front();
        in_job_ = true;
      }
    }
    const bool ready = open(request) && read_variants(request);
    change([&] {
      starting_ = false;
      if (options_.abandon) *options_.abandon = false;
    });
    const char* const not_ready = "The device is not open, or its shaders are not loaded.";
    ready ? ready_to_search() : end_search(not_ready);
    if (job) {
      ready ? run_job(*job) : post(end_of(*job, not_ready));
      const std::lock_guard lock(mutex_);
      in_job_ = false;
      served_.reset();
      changed_.notify_all();
      continue;
    }
    if (ready) read_peaks(request);
    // Who asked for something else meanwhile asks for it again.
    if (lost_over_ && !was_lost(request)) lost_over_.reset();
    if (ready && request.selection) {
      inspect(request);
      if (legal_ && (request.run || request.closer) && settled(request)) {
        plan_neighbours(request);
        if (request.run && !was_lost(request) && !newer(request)) run_live(request);
        // Nothing is sampled by now, whether or not it was: a search that waits for that begins.
        change([&] { sampling_ = false; });
      }
    }
    // What was left because of something newer is not served: it may be requested again, and may have been by now,
    // with the very same words; then the cancel alone tells.
    if (!newer(request) && !cancel_) served_ = request;
  }
}

bool WorkerThread::failed(const char* what, const Error& error) {
  // A request that was abandoned for a newer one did not fail.
  if (error.kind != ErrorKind::cancelled) post(Failed{what, error, {}});
  return false;
}

bool WorkerThread::open(const WorkerRequest& request) {
  if (opened_ && opened_->device == request.device && opened_->attempt == request.attempt) return true;
  if (!session_) session_ = options_.session();
  if (!opened_) {
    auto devices = session_->devices();
    if (!devices) return failed("devices", devices.error());
    post(DeviceList{*devices});
  }
  const bool same = opened_ && opened_->device == request.device;
  told_ = {};
  peaks_asked_ = false;
  if (!same) {
    end_search("Another device was opened.");
    opened_.reset();
    loaded_.reset();
    not_loaded_.reset();
    auto found = session_->open(request.device);
    if (!found) return failed("open", found.error());
    device_ = *found;
    post(DeviceOpened{device_, session_->machine()});
  }
  // Asked anew of the same device, by somebody who may have forgotten all that was told of it.
  if (same) {
    post(DeviceOpened{device_, session_->machine()});
    if (loaded_) post(VariantList{variants_, loaded_->sources, texts_});
  }
  opened_ = request;
  return true;
}

bool WorkerThread::read_variants(const WorkerRequest& request) {
  if (loaded_ && loaded_->sources == request.sources) return true;
  if (not_loaded_ && not_loaded_->sources == request.sources && not_loaded_->attempt == request.attempt) return false;
  end_search("The shaders were read again.");
  predictor_.clear();
  auto read = read_variant_sources(options_.shader_dirs, options_.source_dirs);
  loaded_.reset();
  not_loaded_ = request;
  told_ = {};
  if (!read) return failed("variants", read.error());
  {
    const std::lock_guard lock(mutex_);
    sources_ = std::make_shared<const std::vector<VariantSource>>(*read);
  }
  auto infos = session_->load_variants(*read);
  if (!infos) return failed("variants", infos.error());
  loaded_ = request;
  not_loaded_.reset();
  variants_ = *infos;
  texts_ = std::make_shared<const std::vector<LoadedVariant>>(
      loaded_texts(*read, options_.shader_dirs, options_.source_dirs));
  post(VariantList{variants_, request.sources, texts_});
  return true;
}

void WorkerThread::inspect(const WorkerRequest& request) {
  look_up_tuned(request);
  // A newer request of the same config may have cut the checks short.
  if (told_.inspected == request.selection && !request.choose) return check_variants(request);
  legal_ = false;
  const Selection& selection = *request.selection;
  if (request.choose) {
    told_.inspected.reset();
    return request.automatic ? choose_automatic(request) : choose_config(request);
  }
  auto inspection = session_->inspect(selection.problem, selection.variant, selection.config);
  if (!inspection) {
    told_.inspected.reset();
    return post(Failed{"inspect", inspection.error(), selection});
  }
  told_.inspected = selection;
  legal_ = inspection->why_not.empty();
  post(InspectionResult{selection, *inspection});
  check_variants(request);
}

void WorkerThread::choose_automatic(const WorkerRequest& request) {
  const Selection& selection = *request.selection;
  SelectionChoice chosen{selection, true, selection};
  const tune::TunedTables tuned = search::load_tables(options_.tuning.tuned, options_.tuning.models);
  const auto choice =
      choose_auto(*session_, device_, variants_, tuned, selection.problem, request.modes.cache, request.modes.launch);
  if (choice) {
    chosen.taken = {selection.problem, choice->variant, choice->config};
    chosen.because = choice->because;
    chosen.remark = choice->remark;
    return post(std::move(chosen));
  }
  // What stands there already then says for itself why it cannot run.
  const auto stands = session_->choose_config(selection.problem, selection.variant, "default");
  if (!stands) return post(Failed{"inspect", choice.error(), selection});
  chosen.taken.config = stands->config;
  chosen.because = "auto: " + choice.error().message;
  post(std::move(chosen));
}

void WorkerThread::choose_config(const WorkerRequest& request) {
  const Selection& selection = *request.selection;
  SelectionChoice chosen{selection, false, selection};
  if (const auto tuned = tuned_for(selection.problem, selection.variant, request.modes)) {
    chosen.taken.config = tuned->entry.config;
    chosen.remark = fmt::format("{} is {}.", to_text(selection.problem), tune::describe(*tuned));
    return post(std::move(chosen));
  }
  const auto choice = session_->choose_config(selection.problem, selection.variant, "default");
  if (!choice) return post(Failed{"inspect", choice.error(), selection});
  chosen.taken.config = choice->config;
  if (choice->how == ConfigChoice::How::nearest)
    chosen.remark = fmt::format("{} with its defaults cannot run here, so the nearest legal config was taken: {}. {}",
                                selection.variant, attnscope::to_text(choice->config), choice->because);
  post(std::move(chosen));
}

// Cheap next to a run: without a config of its own each variant is asked for its defaults' nearest legal config.
void WorkerThread::check_variants(const WorkerRequest& request) {
  for (const VariantInfo& v : variants_) {
    if (newer(request)) return;
    const Problem& problem = request.selection->problem;
    if (!told_.checked.emplace(v.name, to_text(problem)).second) continue;
    std::string why = !v.error.empty() ? v.error : v.why_not;
    bool broken = false;
    if (why.empty()) {
      auto inspection = session_->inspect(problem, v.name, default_config(v));
      if (!inspection)
        why = inspection.error().message;
      else if (!inspection->why_not.empty() && inspection->nearest.empty())
        why = inspection->why_not, broken = inspection->broken;
    }
    post(VariantChecked{problem, v.name, why, broken});
  }
  for (const Selection& s : request.also) {
    if (newer(request)) return;
    const std::string name = named_config(s.variant, s.config);
    if (!told_.checked.emplace(name, to_text(s.problem)).second) continue;
    if (const auto inspection = session_->inspect(s.problem, s.variant, s.config))
      post(VariantChecked{s.problem, name, inspection->why_not, inspection->broken});
  }
}

void WorkerThread::plan_neighbours(const WorkerRequest& request) {
  if (!request.closer || told_.around == request.selection) return;
  const Selection& selection = *request.selection;
  auto found = session_->plan_neighbours(selection.problem, selection.variant, selection.config);
  // The run itself may go on: the failure is not of the selection, and names it.
  if (!found) {
    Error error = found.error();
    error.message = fmt::format("{}: {}", to_text(selection), error.message);
    return post(Failed{"plan neighbours", std::move(error), {}});
  }
  told_.around = selection;
  post(NeighboursPlanned{selection, std::move(*found)});
}

void WorkerThread::read_peaks(const WorkerRequest& request) {
  const bool measure = request.peaks > peaks_done_;
  if (peaks_asked_ && !measure) return;
  PeaksRequest peaks;
  peaks.measure = measure;
  const auto stage = [&](const Event& event) {
    if (const auto* progress = std::get_if<Progress>(&event)) post(PeaksState{{}, progress->stage, ""});
  };
  auto answer = session_->peaks(peaks, measure ? EventSink(stage) : EventSink([](const Event&) {}), cancel_);
  peaks_asked_ = true;
  if (!answer) {
    post(PeaksState{});
    // What was broken off by something newer is asked for still.
    if (answer.error().kind == ErrorKind::cancelled) return;
    peaks_done_ = request.peaks;
    return post(Failed{"peaks", answer.error(), {}});
  }
  peaks_done_ = request.peaks;
  post(PeaksState{answer->peaks, "", answer->note});
}

bool WorkerThread::settled(const WorkerRequest& request) {
  std::unique_lock lock(mutex_);
  const auto left = std::chrono::duration<double>(wished_at_ + options_.settle_s - steady_seconds());
  const auto other = [&] { return quit_ || !jobs_.empty() || requested_ != request || measures(); };
  changed_.wait_for(lock, left, other);
  sampling_ = !other();
  return sampling_;
}

// Blocks the sink, and with it a paced run, until the window lets it on.
void WorkerThread::hold(const std::atomic<bool>& cancel) {
  const auto call = change([&] {
    gate_ = Gate::held;
    return wake_;
  });
  if (call) call();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return quit_ || cancel || gate_ != Gate::held; });
  gate_ = cancel || quit_ ? Gate::idle : Gate::sampling;
}

RunRequest WorkerThread::request_of(const Selection& selection, const Modes& modes, bool quiet) {
  RunRequest request;
  ask(request, selection);
  set_modes(request.protocol, modes);
  request.paced = quiet;
  request.batch_ms = quiet ? options_.batch_ms : options_.streaming_batch_ms;
  if (const VariantInfo* v = variant(selection.variant))
    request.predicted = predictor_.of(*session_, device_, tables_.models, *v, selection.problem, selection.config);
  return request;
}

EventSink WorkerThread::through_gate(bool paced, const EventSink& sink, const std::atomic<bool>& cancel) {
  return [this, paced, &sink, &cancel](const Event& event) {
    if (const auto* progress = std::get_if<Progress>(&event))
      gate_ = paced && progress->stage == "sample" ? Gate::sampling : Gate::idle;
    sink(event);
    if (paced && std::holds_alternative<SampleBatch>(event)) hold(cancel);
  };
}

Record WorkerThread::run(const RunRequest& request, const EventSink& sink) {
  auto record = session_->run(request, through_gate(request.paced, sink, cancel_), cancel_);
  gate_ = Gate::idle;
  if (record && options_.finished) options_.finished(*record, request.live);
  if (record) return *record;
  const VariantInfo* known = variant(request.variant);
  Record lost = make_record(request, known ? *known : VariantInfo{}, device_);
  conclude(lost, outcome_of(record.error().kind), record.error().message);
  return lost;
}

/// The window cannot have heard of it when what is requested meanwhile is served.
bool WorkerThread::was_lost(const WorkerRequest& request) const {
  const VariantInfo* v = request.selection ? variant(request.selection->variant) : nullptr;
  return lost_over_ && of_one_config(*lost_over_, request) && (!v || v->hash == lost_hash_);
}

bool WorkerThread::still_asked(const WorkerRequest& request) {
  const std::lock_guard lock(mutex_);
  return requested_ && requested_->run && of_one_run(*requested_, request);
}

bool WorkerThread::told_meanwhile(WorkerRequest& served) {
  WorkerRequest beside = served;
  {
    const std::lock_guard lock(mutex_);
    beside.closer = requested_->closer;
    beside.also = requested_->also;
    if (beside != *requested_) return false;
  }
  served = std::move(beside);
  plan_neighbours(served);
  check_variants(served);
  return !newer(served);
}

void WorkerThread::run_live(WorkerRequest& request) {
  RunRequest live = request_of(*request.selection, request.modes, request.quiet);
  live.live = true;
  if (request.quiet) live.protocol.warmup_cap_ms = kLiveWarmupMs;
  post(RunStarted{*request.selection, request.modes});
  Record record = run(live, [&](const Event& event) {
    post(RunEvent{*request.selection, event});
    if (std::holds_alternative<SampleBatch>(event) && newer(request) && !told_meanwhile(request)) cancel_ = true;
  });
  // A worker that had to be ended says why. It may have been busy, or hang: what is still asked for waits for a word.
  if (cancel_timeout(record) && still_asked(request)) conclude(record, Outcome::error);
  // Told before a search may begin: its first trials are not heard of while this still counts as sampled.
  post(RunEnded{*request.selection, record});
  if (record.outcome != Outcome::error) return;
  lost_over_ = request;
  lost_hash_ = record.environment.shader_hash;
}

JobEvent WorkerThread::take_turns(const Job& job, RaceRequest request) {
  const EventSink sink = [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) post(JobEvent{.id = job.id, .stage = p->stage});
  };
  request.paced = job.quiet;
  request.batch_ms = options_.batch_ms;
  Result<RaceResult> raced = session_->race(request, through_gate(request.paced, sink, cancel_), cancel_);
  gate_ = Gate::idle;
  if (cancel_job_) return end_of(job, kCancelled);
  if (!raced) return end_of(job, raced.error().message);
  JobEvent ended = end_of(job, "");
  ended.result = std::move(*raced);
  return ended;
}

void WorkerThread::race_versions(const Job& job, const Job::Race& r) {
  JobEvent ended = end_of(job, "");
  post(JobEvent{.id = job.id, .stage = "compile"});
  const Selection& of = r.selection;
  RaceRequest request = search::pair_request(of.problem);
  set_modes(request.protocol, r.modes);
  request.entries = {{of.variant, of.config}, {of.variant, of.config}};
  request.entries[1].variant += search::kOfB;
  // They take the place of all others for as long as it lasts.
  end_search("Two versions of a shader were compared.");
  const auto infos = session_->load_variants({r.first, search::renamed(r.second, request.entries[1].variant)});
  if (!infos) ended.error = infos.error().message;
  if (infos)
    for (const VariantInfo& info : *infos)
      if (ended.error.empty()) ended.error = info.error;
  if (ended.error.empty()) ended = take_turns(job, request);
  if (session_->load_variants(*sources_))
    ready_to_search();
  else
    loaded_.reset();  // read again with the next request
  post(std::move(ended));
}

void WorkerThread::run_job(const Job& job) {
  if (const auto* two = job.as<Job::Race>()) return race_versions(job, *two);
  if (const auto* race = job.as<RaceRequest>()) return post(take_turns(job, *race));
  if (const auto* errors = job.as<ErrorMapRequest>()) return map_errors(job, *errors);
  const Job::Items& items = *job.as<Job::Items>();
  for (size_t i = 0; i < items.size() && !cancel_job_; ++i) {
    const auto& [selection, modes, seed] = items[i];
    post(JobEvent{.id = job.id, .done = i, .current = selection});
    RunRequest request = request_of(selection, modes, job.quiet);
    request.seed = seed;
    const Record record = run(request, [](const Event&) {});
    if (record.outcome == Outcome::cancelled) break;
    post(JobEvent{.id = job.id, .done = i + 1, .record = record});
  }
  post(end_of(job, ""));
}

void WorkerThread::map_errors(const Job& job, const ErrorMapRequest& errors) {
  gate_ = Gate::idle;
  auto answer = session_->error_map(
      errors, [](const Event&) {}, cancel_);
  JobEvent ended = end_of(job, answer ? "" : answer.error().message);
  if (answer) ended.errors = std::make_shared<const ErrorMapAnswer>(std::move(*answer));
  post(std::move(ended));
}

void WorkerThread::end_search(const std::string& why) {
  const auto dropped = change([&] {
    place_.reset();
    return std::exchange(search_, std::nullopt);
  });
  if (dropped) post(SearchEvent{dropped->id, SearchEnded{why, {}}});
  std::unique_lock lock(mutex_);
  if (!searching_) return;
  search_ended_by_ = why;
  cancel_search_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !searching_; });
}

void WorkerThread::ready_to_search() {
  change([&] {
    if (!place_) place_ = search::SearchDevice{session_.get(), device_, variants_};
  });
}

std::optional<tune::TunedMatch> WorkerThread::tuned_for(const Problem& problem, const std::string& name,
                                                        const Modes& modes) {
  if (change([&] { return std::exchange(tuned_old_, false); })) {
    told_.tuned.reset();
    tables_ = search::load_tables(options_.tuning.tuned, options_.tuning.models);
    predictor_.clear();
    for (const std::string& note : tables_.user.notes) post(SearchEvent{0, SearchNote{note}});
  }
  const VariantInfo* known = variant(name);
  if (!known) return std::nullopt;
  auto match =
      search::choose_tuned(*session_, tables_, {device_, problem, {{name, known->hash}}, modes.cache, modes.launch});
  // What was tuned for other problems is a guess: the defaults' neighbour, not their equal.
  return match && match->exact ? match : std::nullopt;
}

void WorkerThread::look_up_tuned(const WorkerRequest& request) {
  std::pair<Selection, Modes> of{{request.selection->problem, request.selection->variant, {}}, request.modes};
  {
    const std::lock_guard lock(mutex_);
    if (told_.tuned == of && !tuned_old_) return;
  }
  auto match = tuned_for(request.selection->problem, request.selection->variant, request.modes);
  told_.tuned = std::move(of);
  post(TunedLookup{request.selection->problem, request.selection->variant, request.modes, std::move(match)});
}

void WorkerThread::search_loop() {
  while (true) {
    std::optional<Search> next;
    std::optional<uint64_t> kept;
    search::SearchDevice where;
    std::shared_ptr<const std::vector<VariantSource>> of;
    {
      std::unique_lock lock(mutex_);
      // A device does one thing at a time: what is sampled or measured now comes to its end first.
      const auto due = [&] {
        return place_ && ((search_ && (search_->look_only || (!sampling_ && !in_job_))) || keep_);
      };
      changed_.wait(lock, [&] { return quit_ || due(); });
      if (quit_) return;
      where = *place_;
      of = sources_;
      if (search_) {
        next = std::exchange(search_, std::nullopt);
        searching_ = next;
        search_ended_by_.clear();
        cancel_search_ = false;
      } else {
        kept = std::exchange(keep_, std::nullopt);
      }
    }
    kept ? keep_found(*kept, *of) : run_search(*next, where);
    const std::lock_guard lock(mutex_);
    searching_.reset();
    again_ = true;
    // What is sampled now may be what was kept: it is looked up once more, and sampling goes on.
    if (kept && !in_job_) cancel_ = true;
    changed_.notify_all();
  }
}

void WorkerThread::run_search(const Search& wanted, const search::SearchDevice& where) {
  search::SearchRequest request;
  request.problem = wanted.problem;
  request.variants = wanted.variants;
  set_modes(request.protocol, wanted.modes);
  request.strategy = wanted.strategy;
  request.budget = wanted.budget;
  request.narrow = wanted.narrow;
  request.look_only = wanted.look_only;
  request.current = wanted.current;
  request.race_batch_ms = wanted.quiet ? options_.batch_ms : 0;
  request.finalists = kFinalists;
  request.keep_refused = kKeptReasons;
  request.journal =
      search::journal_in(options_.tuning.trials, where.device, wanted.problem, request.protocol, request.seed);
  const auto tell = [this, id = wanted.id](auto what) { post(SearchEvent{id, std::move(what)}); };
  search::SearchEvents events;
  events.began = [&](const search::SearchBegan& began) {
    tell(SearchStarted{where.device, began.arms, began.predicted});
  };
  events.note = [&](const std::string& text) { tell(SearchNote{text}); };
  events.trial = [&](const std::string& variant, const Trial& trial, bool recalled) {
    SearchTrial told{variant, trial, recalled, uint32_t(trial.samples_ns.size())};
    told.trial.samples_ns = {};
    tell(std::move(told));
  };
  events.planned = [&](const std::string& variant, const SpaceBatch& batch) { tell(SpacePlanned{variant, batch}); };
  std::atomic<bool> racing = false;
  events.tick = [&](const std::string& stage, const tune::TuneProgress& progress) {
    racing = stage == "race";
    tell(SearchTick{stage, progress});
  };
  // What cannot be kept is no reason not to search.
  if (!request.journal.empty() && !wanted.look_only) {
    std::error_code error;
    std::filesystem::create_directories(request.journal.parent_path(), error);
    if (const Result<void> kept = check_writable(request.journal); !kept) {
      events.note("Nothing of this search will be kept: " + kept.error().message);
      request.journal.clear();
    }
  }
  const EventSink heard = [&](const Event& event) {
    if (const auto* progress = std::get_if<Progress>(&event); progress && racing) tell(RaceStage{progress->stage});
  };
  events.stages = through_gate(wanted.quiet, heard, cancel_search_);
  const search::TunedTables near = search::load_tables(options_.tuning.tuned, options_.tuning.models);
  Result<search::SearchOutcome> out = search::run_search(request, std::span(&where, 1), near, events, cancel_search_);
  gate_ = Gate::idle;
  SearchEnded ended{change([&] { return search_ended_by_; }), {}};
  if (out) {
    ended.outcome = std::make_shared<const search::SearchOutcome>(std::move(*out));
    last_search_ = {wanted.id, ended.outcome, where};
  } else if (ended.error.empty()) {
    ended.error = out.error().message;
  }
  post(SearchEvent{wanted.id, std::move(ended)});
}

void WorkerThread::keep_found(uint64_t id, const std::vector<VariantSource>& of) {
  SearchKept kept;
  if (!last_search_.outcome || last_search_.id != id) {
    kept.error = "That search is over.";
    return post(SearchEvent{id, std::move(kept)});
  }
  kept.entries = search::tuned_entries(*last_search_.outcome);
  search::add_passes(kept.entries, of, options_.cache_dir, last_search_.place.device);
  const auto notes = search::keep_tuned(options_.tuning.tuned, kept.entries, std::span(&last_search_.place, 1));
  if (!notes) kept.error = notes.error().message;
  if (notes)
    for (const std::string& note : *notes) post(SearchEvent{id, SearchNote{note}});
  change([&] { tuned_old_ = true; });
  post(SearchEvent{id, std::move(kept)});
}

}  // namespace gui
}  // namespace attnscope
