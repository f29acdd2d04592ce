#include "app/gui/workbench/workbench.hpp"

#include "app/gui/model/labels.hpp"
#include "engine/platform/process.hpp"

namespace attnscope::gui {
namespace {

constexpr double kSlowStart = 15;  ///< s that opening or loading may take before the window says what it waits for

Given given_by(const GuiOptions& options) {
  Given given{options.presets, {}};
  Places& places = given.places;
  // The first folder is the shipped one.
  if (!options.shader_dirs.empty()) {
    std::error_code none;
    places.shipped = std::filesystem::absolute(options.shader_dirs.front(), none);
    places.shaders.assign(options.shader_dirs.begin() + 1, options.shader_dirs.end());
  }
  // And a person's own folder is read by every command.
  std::erase(places.shaders, options.new_variants);
  places.sources = options.source_dirs;
  for (const auto& words : options.workers) places.workers.push_back(command_text(words));
  return given;
}

std::string text_of_elapsed(double seconds) {
  constexpr double kWorthTelling = 2;
  return seconds < kWorthTelling ? "" : ", " + span_text(seconds);
}

}  // namespace

Workbench::Workbench(const GuiOptions& options)
    : request(options, device_state, messages), live(request, device_state, editor), given(given_by(options)) {
  device_state.workers = mapped(options.workers, [](const auto& words) { return joined(words, " "); });
  if (device_state.workers.empty()) device_state.workers = {""};
}

void Workbench::set_device(size_t worker_index, const std::string& selector) {
  if (!request.set_device(worker_index, selector)) return;
  device_state.open(std::nullopt);
  live.forget();
  ++attempt_;
}

void Workbench::step_to(const History::Step& step, bool back) {
  if (step.asks()) request.step_to(back ? step.before : step.after);
  std::set<uint64_t> ids, numbers;
  for (const Pin& p : step.pins) ids.insert(p.id);
  for (const SessionLog::Entry& e : step.runs) numbers.insert(e.number);
  if (back != step.opened)
    pins.put_back(step.pins);
  else
    pins.remove([&](const Pin& p) { return ids.contains(p.id); });
  if (back)
    log.put_back(step.runs);
  else
    log.remove(numbers);
}

void Workbench::try_again() {
  waits_since_.reset();
  live.newest.failure.clear();
  device_state.device_failure.clear();
  device_state.variants_failure.clear();
  ++attempt_;
}

std::string Workbench::stuck() const {
  if (!device_state.device_failure.empty()) return device_state.device_failure;
  if (!device_state.variants_failure.empty())
    return "The shaders could not be loaded: " + device_state.variants_failure;
  if (waits_since_ && messages.now - *waits_since_ > kSlowStart)
    return fmt::format("The worker has not answered for {:.0f} s: it {}.", messages.now - *waits_since_,
                       device_state.device ? "loads the shaders" : "opens the device");
  const VariantInfo* v = request.variant();
  if (!v && device_state.variants_known && !request.selection.variant.empty())
    return fmt::format("There is no variant '{}' any more: choose another, or bring its folder back.",
                       request.selection.variant);
  if (v && !v->error.empty()) return "";
  const Live* run = live.shown();
  return run ? run->failure : "";
}

void Workbench::reload_shaders() {
  waits_since_.reset();
  ++sources_;
  waiting_.clear();
  device_state.forget_inspection();
  reloading_ = true;
  messages.say(Level::info, "Reading the shader folders again.");
}

std::optional<WorkerRequest> Workbench::wish_beside(const ExtraDevice& d) const {
  // One that could not be reached is not tried again with every change of a parameter.
  if (!d.connected || !d.failure.empty()) return std::nullopt;
  WorkerRequest w;
  w.device = d.selector;
  w.sources = sources_;
  w.quiet = request.quiet.value_or(d.device && d.device->type == DeviceType::software);
  w.modes = request.modes;
  w.attempt = d.attempt;
  // Of a variant that is being read again, what it will be is not known.
  if (request.loaded() && !request.choosing() && d.variants_known) w.selection = request.selection;
  w.run = !request.paused && !search.measuring() && jobs.text().empty();
  return w;
}

std::optional<WorkerRequest> Workbench::request_of(size_t worker) const {
  if (const ExtraDevice* d = others.beside.of_worker(worker)) return wish_beside(*d);
  WorkerRequest w;
  w.sources = sources_;
  w.quiet = quiet();
  w.modes = request.modes;
  if (worker != request.worker) {
    // It keeps its device for when it is wanted again, and dispatches nothing.
    const std::string* left = find_at(request.left_devices(), worker);
    if (!left) return std::nullopt;
    w.device = *left;
    w.run = false;
    return w;
  }
  w.device = request.device;
  w.choose = request.choosing();
  w.automatic = w.choose && request.automatic();
  if (request.loaded() || (w.automatic && device_state.variants_known)) w.selection = request.selection;
  w.run = !request.paused;
  w.attempt = attempt_;
  w.closer = request.closer;
  w.also = request.also;
  w.peaks = request.peaks;
  return w;
}

void Workbench::log_shown() {
  const LiveCopy* copy = live.copy();
  if (!copy || !live.timed() || !complete(*live.timed())) return;
  const bool fresh = logged_.series != copy->series;
  if (!fresh && copy->taken < 2 * logged_.taken) return;
  logged_ = {nullptr, copy->series, copy->taken};
  // A person may have removed it meanwhile.
  if (fresh || log.find(run_id(*copy->record))) log.note(*copy->record);
}

std::string Workbench::hopeless() const {
  if (std::string why = stuck(); !why.empty()) return why;
  if (const Inspection* i = request.inspection(); i && !i->why_not.empty())
    return (i->broken ? "The shader is refused: " : "The config is refused: ") + i->why_not;
  return "";
}

bool Workbench::step_pin() {
  if (!wants_pin_) return true;
  if (request.choosing()) wants_pin_ = {request.selection, request.modes};
  const Live* run = live.shown();
  std::string why;
  if (*wants_pin_ != std::pair{request.selection, request.modes})
    why = fmt::format("something else was chosen before it had {} samples.", Comparisons::kEnough);
  else if (run && run->wrong())
    why = "it is wrong. " + run->verdict->reason;
  else
    why = hopeless();
  // A pin gets no more samples.
  const bool enough = why.empty() && live.timed() && run->series.taken() >= Comparisons::kEnough;
  if (why.empty() && !enough) return false;
  const Selection of = std::exchange(wants_pin_, {})->first;
  if (enough)
    pin(*run->record());
  else
    messages.refuse(fmt::format("{} was not pinned: {}", short_name(of.variant, of.config), why));
  return true;
}

void Workbench::pin() {
  wants_pin_ = {request.selection, request.modes};
  if (step_pin()) return;
  messages.say(Level::info,
               fmt::format("{} is pinned as soon as it has {} samples{}.", name_of_asked(), Comparisons::kEnough,
                           request.paused ? "; measuring is paused (Space)" : ""),
               "compare");
}

void Workbench::clear_pins() {
  std::vector<Pin> gone = pins.remove([](const Pin& p) { return p.dataset.empty(); });
  const size_t count = gone.size();
  request.history.removed(std::move(gone));
  if (count > 0)
    messages.say(Level::info, count == 1 ? "Removed a pin; Ctrl+Z brings it back."
                                         : fmt::format("Removed {} pins; Ctrl+Z brings them back.", count));
}

void Workbench::open_dataset(const std::string& path, const std::vector<Record>& records) {
  close_dataset(path);
  pins.open(path, records);
  std::vector<Pin> rows = filtered(pins.all(), [&](const Pin& p) { return p.dataset == path; });
  const size_t without = records.size() - rows.size();
  messages.say(rows.empty() ? Level::warning : Level::good,
               fmt::format("Opened {}: {}{}.", path, counted(rows.size(), "result"),
                           without > 0 ? fmt::format("; {} without a time are left out", without) : ""),
               "compare");
  if (!rows.empty()) request.history.opened(std::move(rows));
}

std::optional<Job> Workbench::measure_all() {
  if (busy()) return std::nullopt;
  if (!pins.any_own()) return messages.refuse("Nothing is pinned: pin a config (P), then measure all.");
  if (jobs.problems.all().empty()) return messages.refuse("The list of problems is empty: add one, then measure all.");
  Job::Items items;
  std::vector<std::string> left_out;
  std::set<RunId> seen;
  for (const Problem& problem : jobs.problems.all())
    for (const Pin& p : pins.all()) {
      const Record& r = *p.record;
      if (!p.dataset.empty()) continue;
      if (const std::string why = why_not_again(r); !why.empty()) {
        if (&problem == &jobs.problems.all().front())
          left_out.push_back(fmt::format("{} ({})", short_name(r.variant, r.config), why));
        continue;
      }
      if (!seen.insert(p.run.on(problem)).second) continue;
      items.push_back({{problem, r.variant, r.config}, modes_of(r.protocol), r.seed});
    }
  const std::string without = fmt::format("Not measured: {}.", joined(left_out));
  if (items.empty()) return messages.refuse(without);
  if (!left_out.empty()) messages.say(Level::warning, without);
  return start(JobKind::all, items, items.size());
}

Job Workbench::start(JobKind kind, decltype(Job::what) what, size_t items) {
  jobs.now = {next_job_++, kind, 0, items, messages.now, true};
  return {jobs.now.id, quiet(), std::move(what)};
}

bool Workbench::busy() {
  const bool job = !jobs.text().empty();
  if (job || search.measuring())
    messages.refuse(fmt::format("{}: cancel it first, or wait for it.",
                                job ? "Something else is being measured" : "A search is measuring"));
  return job || search.measuring();
}

std::string Workbench::elapsed_text() const { return text_of_elapsed(now() - stage_from_.value()); }
std::string Workbench::waited_text() const { return text_of_elapsed(waited()); }

Record Workbench::record_of_asked() const {
  Record run;
  ask(run, request.selection);
  set_modes(run.protocol, request.modes);
  run.seed = RunRequest{}.seed;
  if (device_state.device) run.environment.device = *device_state.device;
  if (const VariantInfo* v = request.variant()) run.environment.shader_hash = v->hash;
  return make_record(std::move(run));
}

void Workbench::tick(double now) {
  messages.now = now;
  const bool waits = (!device_state.device || !device_state.variants_known || reloading_) &&
                     device_state.device_failure.empty() && device_state.variants_failure.empty();
  if (!waits) waits_since_.reset();
  if (waits && !waits_since_) waits_since_ = now;
  step_pin();
  live.step(pins, now);
  log_shown();
  step_editor();
  if (live.timed()) views.plot.show(request.metric, live.timed()->series);
  if (!live.timed() || live.timed()->series.id() != views.plot.marked.series) views.plot.marked = {};
  views.shape.step(live.timed(), request.metric, live.work(), views.plot.log(),
                   views.plot.marking ? MarkedSamples() : views.plot.marked);
  views.why.step(live.timed(), device_state.surroundings(request.selection), device_state.peaks, now);
  views.sweep.step(search, request.selection);
  others.beside.step(live.timed(), request.selection, request.modes, now);
  asked_({request.selection, request.modes, device_state.version()}, [&] { return record_of_asked(); });
  const bool held = request.paused || search.measuring() || jobs.now.running;
  waits_from_({request.selection, request.modes, attempt_, sources_, held, live.timed() != nullptr},
              [&] { return now; });
  stage_from_({jobs.text() + jobs.now.stage + device_state.peaks_stage + live.newest.stage, live.newest.selection},
              [&] { return now; });
  const uint64_t variants = device_state.variants_version();
  pin_names_({pins.version(), variants, asked_.made()}, [&] { return pin_names(asked_.value(), pins, device_state); });
  run_names_({log.version(), variants}, [&] { return run_names(log, device_state); });
  list_runs();
}

// How news from the links change the workbench.

void Workbench::apply(const DeviceEvent& heard, bool disturbed, double now) {
  messages.now = now;
  disturbed_ = disturbed;
  if (others.beside.of_worker(heard.worker)) {
    if (const std::string line = others.beside.hear(heard.worker, heard.news, disturbed); !line.empty())
      messages.say(Level::error, line, "pins");
    return;
  }
  if (heard.worker >= device_state.workers.size()) return;  // of a device that was beside this one
  if (const auto* devices = std::get_if<DeviceList>(&heard.news))
    return device_state.list_devices(heard.worker, devices->devices);
  // A job goes on where it was begun; everything else of a worker that is not looked at now is old.
  if (heard.worker != request.worker && !std::holds_alternative<JobEvent>(heard.news) &&
      !std::holds_alternative<SearchEvent>(heard.news))
    return;
  std::visit([this](const auto& item) { on(item); }, heard.news);
}

void Workbench::on(const VariantList& news) {
  device_state.list_variants(news.variants);
  const bool its_own = editor.changing.contains(live.newest.selection.variant);
  note_versions(news);
  // What a shader before this reading could not do is not known of this one; what was lost stays said until it runs.
  if (!live.newest.began && live.newest.stage.empty() && (live.newest.ended != Outcome::error || its_own))
    live.newest = {};
  // Once, until it says something else or loads: the folders are read again for many reasons.
  for (const VariantInfo& v : device_state.variants) {
    const std::string key = v.name + "!", error = key + v.error;
    if (std::erase_if(shadows_told_, [&](const std::string& told) { return told.starts_with(key) && told != error; }))
      for (const char* panel : {"editor", "timing"}) messages.settle(panel, v.name);
    if (!v.error.empty() && shadows_told_.insert(error).second)
      messages.say(Level::error, fmt::format("{} did not load; the Editor shows why.", v.name),
                   v.name == request.selection.variant ? "timing" : "editor", v.name);
  }
  for (const VariantInfo& v : device_state.variants)
    if (!v.shadows.empty() && shadows_told_.insert(v.name + "|" + v.shadows).second)
      messages.say(Level::warning, fmt::format("{} replaces the variant of the same name in {}.", v.name, v.shadows));
  if (std::exchange(reloading_, false)) {
    const auto broken = std::ranges::count_if(device_state.variants, [](const auto& v) { return !v.error.empty(); });
    messages.say(broken ? Level::warning : Level::good,
                 fmt::format("Read {} variants again{}.", device_state.variants.size(),
                             broken ? fmt::format("; {} did not load", broken) : ""),
                 "variants");
  }
  request.hear_variants();
}

void Workbench::on(const PeaksState& news) {
  if (news.peaks) device_state.peaks = news.peaks;
  device_state.peaks_stage = news.stage;
  if (!news.note.empty()) messages.say(Level::warning, news.note);
}

void Workbench::on(const RunStarted& news) {
  messages.settle("timing");
  if (live.newest.selection != news.selection || live.newest.modes != news.modes) live.leave();
  live.newest.start(news.selection, news.modes);
}

void Workbench::on(const RunEvent& news) {
  if (const auto* began = std::get_if<RunBegan>(&news.event);
      began && live.newest.began && run_id(*live.newest.began) != run_id(*began->record))
    live.leave();
  live.newest.hear(news.event, disturbed_);
  if (const auto* verdict = std::get_if<Verdict>(&news.event); verdict && !verdict->pass)
    messages.say(Level::error,
                 fmt::format("Wrong results of {} on {}: {}", short_name(news.selection.variant, news.selection.config),
                             to_text(news.selection.problem), verdict->reason),
                 "timing");
}

void Workbench::on(const RunEnded& news) {
  live.newest.end(news.record);
  if (!live.newest.failure.empty())
    messages.say(Level::error, fmt::format("{}: {}", to_text(news.selection), live.newest.failure), "timing");
  if (!live.newest.verdict && live.newest.failure.empty()) return;
  if (const auto record = live.newest.record()) log.note(*record);
}

void Workbench::on(const JobEvent& news) {
  JobState& job = jobs.now;
  const bool newest = job.id == news.id, along = newest && job.kind == JobKind::scaling;
  if (news.record) {
    const Record& r = *news.record;
    log.note(r);
    // Along an axis some values are refused as a rule; each point says why.
    if (r.outcome != Outcome::measured && !(r.outcome == Outcome::refused && along))
      messages.say(Level::warning,
                   fmt::format("{}  {}  {}: {}", r.variant, attnscope::to_text(r.problem), attnscope::to_text(r.config),
                               r.message.empty() && r.verdict ? r.verdict->reason : r.message));
  }
  if (!newest || !job.running) return;
  const std::string what = jobs.text();
  job.current = news.current;
  job.stage = news.stage;
  job.running = !news.over;
  if (!news.over) {
    job.done = news.done;
    return;
  }
  // What a person did is no warning, and leaves nothing to be told of.
  if (job.cancelled && !news.errors && !news.result) {
    if (job.kind == JobKind::versions) jobs.race = {};
    const std::string after = job.total > 1 ? fmt::format(", after {} of {}", job.done, job.total) : "";
    return messages.say(Level::info, fmt::format("Cancelled {}{}.", what, after),
                        word_of(job.kind, {"across", "scaling", "correctness", "editor", "compare"}));
  }
  if (job.kind == JobKind::errors) return jobs.correctness.take(news.errors, news.error);
  if (job.kind == JobKind::versions) return end_race_of_versions(news);
  if (job.kind == JobKind::pins) return end_race_of_pins(news);
  messages.say(
      job.done == job.total ? Level::good : Level::warning,
      along ? fmt::format("Measured {} of {} points along the {}.", job.done, job.total, title(jobs.scaling.axis))
            : fmt::format("Measured the pins on the listed problems: {} of {}. {}", job.done, job.total, news.error),
      along ? "scaling" : "across");
}

void Workbench::on(const Failed& news) {
  if (news.what == "open" && request.device_remembered) {
    request.device_remembered = false;
    messages.say(Level::warning,
                 fmt::format("The device used last is not there ({}); the default one is taken.", news.error.message));
    return set_device(0, "");
  }
  // Said twice of a request that changed while the device was looked for; the default matches any.
  if (news.what == "open" && request.device.empty() && news.error.kind == ErrorKind::bad_input) return;
  if (news.what == "open" || news.what == "devices") device_state.device_failure = news.error.message;
  if (news.what == "variants") device_state.variants_failure = news.error.message;
  if (news.selection && *news.selection == request.selection) {
    live.leave();
    live.newest.fail(request.selection, request.modes, news.error.message);
  }
  // What does not load was told when it was read.
  if (const VariantInfo* v = news.selection ? device_state.variant(news.selection->variant) : nullptr;
      v && !v->error.empty())
    return;
  messages.say(Level::error, news.selection ? fmt::format("{}: {}", to_text(*news.selection), news.error.message)
                                            : news.error.message);
}

// What a person does with runs that were measured: restore one, name it, remove it, list them.

constexpr size_t kMostRaced = 8;  ///< pins, beside what is shown

void Workbench::pin(const Record& r) {
  if (r.outcome != Outcome::measured || r.samples_ns.empty())
    return messages.say(Level::warning, fmt::format("{} on {} has no samples to compare with.",
                                                    short_name(r.variant, r.config), to_text(r.problem)));
  pins.add(r);
  messages.say(Level::info, fmt::format("Pinned {} on {}.", short_name(r.variant, r.config), to_text(r.problem)));
}

std::vector<Record> Workbench::all_records() const {
  std::vector<Record> all;
  std::map<std::pair<RunId, std::string>, size_t> seen;  // samples, by run and time
  // What went on being sampled after it was pinned is the same run told twice, until it has far more to say.
  const auto add = [&](const Record& r) {
    const std::string& time = r.environment.time_utc;
    const auto [at, fresh] = seen.emplace(
        std::pair(run_id(r), time.empty() ? std::to_string(r.samples_ns.size()) : time), r.samples_ns.size());
    if (!fresh && r.samples_ns.size() <= 2 * at->second) return;
    at->second = r.samples_ns.size();
    all.push_back(r);
  };
  for (const Pin& p : pins.all())
    if (p.dataset.empty()) add(*p.record);
  const Live* run = live.timed();
  const std::optional<Record> now = run ? run->record() : std::nullopt;
  const RunId shown = now ? run_id(*now) : RunId{};
  // The log's line of what is shown is an earlier look at it.
  for (const SessionLog::Entry& t : log.entries())
    if (t.run != shown || t.earlier) add(*t.record);
  if (now) add(*now);
  const search::SearchOutcome* found = search.outcome();
  if (!found) return all;
  // Those that raced were measured anew and whole: their trials are only how they came there.
  std::set<RunId> raced;
  for (const Record& r : found->result.raced) {
    raced.insert(run_id(r));
    add(r);
  }
  for (const tune::ConfigTrial& tried_config : found->tried) {
    Record r = search::record_of(*found, tried_config);
    // When an earlier search made it may not be told: not now, in any case.
    if (tried_config.recalled && tried_config.trial.time_utc.empty()) r.environment.time_utc.clear();
    if (!raced.contains(run_id(r))) all.push_back(std::move(r));
  }
  return all;
}

void Workbench::remove_runs(const std::set<uint64_t>& numbers) {
  auto gone = log.remove(numbers);
  if (gone.empty()) return;
  messages.say(Level::info, fmt::format("Removed {} from the session log; Ctrl+Z brings {} back.",
                                        gone.size() == 1 ? "a run" : fmt::format("{} runs", gone.size()),
                                        gone.size() == 1 ? "it" : "them"));
  request.history.removed(std::move(gone));
}

void Workbench::clear_session() {
  pins.remove([](const Pin&) { return true; });
  log.clear();
  log.remarks.clear();
  request.history.clear();
}

std::string Workbench::name_of(const SessionLog::Entry& e) const {
  if (const Remark r = log.remarks.of(to_text(e.run)); !r.name.empty()) return r.name;
  const std::string* name = find_at(run_names_.value(), e.number);
  return name ? *name : short_name(e.record->variant, e.record->config);
}

void Workbench::list_runs() {
  const uint64_t names = log.remarks.version() + run_names_.made() + device_state.variants_version();
  const auto row = [&](const SessionLog::Entry& e) {
    const std::string key = to_text(e.run);
    return RunRow{e.number, e.record, key, name_of(e), log.remarks.of(key), e.best, e.earlier};
  };
  views.log.step(log.version() * 1'000'003 + names, [&] { return mapped(log.entries(), row); });
}

std::string Workbench::why_not_again(const Record& r) const {
  const VariantInfo* v = device_state.variant(r.variant);
  if (!device_state.device || !same_device(*device_state.device, r.environment.device))
    return "it is of another device";
  if (!v) return "there is no such variant now";
  return v->hash == r.environment.shader_hash ? "" : "its shader has changed since it was pinned";
}

std::string Workbench::why_no_race(const Pin& p) const {
  const Record &asked = asked_.value(), &r = *p.record;
  if (r.problem != asked.problem) return "it is of another problem";
  if (p.run == run_id(asked)) return "it is what is shown";
  if (modes_of(r.protocol) != modes_of(asked.protocol) || r.seed != asked.seed)
    return "it is of other modes or another seed";
  return why_not_again(r);
}

std::optional<Job> Workbench::race_pins() {
  if (busy()) return std::nullopt;
  if (!live.timed()) return messages.refuse("What is shown has no time yet: there is nothing to race against.");
  const Record& asked = asked_.value();
  RaceRequest race = search::pair_request(asked.problem);
  set_modes(race.protocol, modes_of(asked.protocol));
  race.seed = asked.seed;
  race.resources = false;
  std::vector<Comparisons::Shared> runs;
  std::set<RunId> seen;
  std::string not_raced;
  // A person's pins come before the rows of files.
  for (const bool own : {true, false})
    for (const Pin& p : pins.all()) {
      const Record& r = *p.record;
      if (p.dataset.empty() != own || seen.contains(p.run)) continue;
      std::string why = why_no_race(p);
      if (why.empty() && race.entries.size() == kMostRaced) why = fmt::format("a race has {} at most", kMostRaced);
      if (own && !why.empty() && r.problem == asked.problem && p.run != run_id(asked))
        not_raced += fmt::format("{}{}: {}", not_raced.empty() ? " Not in it: " : "; ", name_of(p), why);
      if (!why.empty()) continue;
      seen.insert(p.run);
      runs.push_back(p.record);
      race.entries.push_back({r.variant, r.config});
    }
  if (race.entries.empty())
    return messages.refuse(
        "No other pin of this problem, in these modes, can run here: pin a config (P) and choose another.");
  runs.push_back(std::make_shared<const Record>(asked));
  race.entries.push_back({asked.variant, asked.config});
  racing_ = std::move(runs);
  not_raced_ = not_raced.empty() ? "" : not_raced + ".";
  return start(JobKind::pins, std::move(race));
}

std::vector<ScaledProblem> Workbench::scaling_problems() const {
  const Problem& problem = request.selection.problem;
  return scaled_problems(problem, jobs.scaling.axis, jobs.scaling.values(problem, device_state.software()));
}

std::vector<ScaleRow> Workbench::scaling_rows() const {
  std::vector<ScaleRow> rows;
  std::set<std::string> seen;
  for (const Pin* p : drawn_pins(pins, nullptr))
    if (seen.insert(p->run.config).second)
      rows.push_back({false, p->id, name_of(*p), p->run, series_style(p->slot), p->record,
                      named_config(p->record->variant, p->record->config)});
  // The same config pinned has the same points.
  RunId run = run_id(asked_.value());
  if (seen.contains(run.config) || !request.variant()) return rows;
  const Live* timed = live.timed();
  rows.push_back({true, 0, name_of_asked(), std::move(run), live_style(),
                  timed ? std::make_shared<const Record>(timed->slim_record()) : nullptr,
                  named_config(request.selection.variant, request.selection.config)});
  return rows;
}

std::vector<Job::Item> Workbench::scaling_items() const {
  std::vector<Job::Item> items;
  const std::vector<ScaleRow> rows = scaling_rows();
  std::set<RunId> seen;
  for (const ScaledProblem& at : scaling_problems()) {
    if (!at.problem) continue;
    for (const ScaleRow& row : rows) {
      if (row.live ? !request.loaded() : !why_not_again(*row.own).empty()) continue;
      const ScalePoint point = scale_point(row, at, log, pins, device_state, request.metric);
      const bool known_enough = point.state == PointState::refused || point.state == PointState::wrong ||
                                (point.measured() && point.record->statistics->count >= kEnoughForAPoint);
      if (known_enough || !seen.insert(row.run.on(*at.problem)).second) continue;
      const Record& of = row.live ? asked_.value() : *row.own;
      items.push_back({{*at.problem, of.variant, of.config}, modes_of(of.protocol), of.seed});
    }
  }
  return items;
}

std::optional<Job> Workbench::measure_scaling() {
  if (busy()) return std::nullopt;
  const Job::Items items = scaling_items();
  if (items.empty()) return std::nullopt;
  return start(JobKind::scaling, items, items.size());
}

std::optional<Job> Workbench::look_at_errors() {
  if (busy() || !request.loaded() || !device_state.device) return std::nullopt;
  ErrorMapRequest map;
  ask(map, request.selection);
  map.seed = asked_.value().seed;
  // A head of another problem may not be one of this.
  auto& head = jobs.correctness.head;
  if (head && (head->first >= map.problem.batch || head->second >= map.problem.heads_q)) head.reset();
  map.worst_head = !head;
  if (head) std::tie(map.batch, map.head) = *head;
  jobs.correctness.asked(run_id(asked_.value()));
  return start(JobKind::errors, map);
}

void Workbench::sources_changed(const std::vector<std::string>& names) {
  if (names.empty()) return;
  const bool from_here = std::ranges::any_of(names, [&](const auto& n) { return editor.changing.contains(n); });
  const std::string list = names.size() > 4 ? fmt::format("{} variants", names.size()) : joined(names);
  if (search.measuring() && !from_here) {
    if (waiting_.empty())
      messages.say(Level::info,
                   fmt::format("Changed on disk: {}. They are read when the search is over; F5 reads them now.", list));
    waiting_.insert(names.begin(), names.end());
    return;
  }
  const bool mine = contains(names, request.selection.variant);
  // Who edits a variant wants to see that one.
  if (mine && request.automatic()) request.end_automatic();
  // Of what was lost the next save is another try.
  if (mine && !live.newest.failure.empty()) ++attempt_;
  editor.changing.insert(names.begin(), names.end());
  ++sources_;
  device_state.forget_inspection();
  messages.say(Level::info, fmt::format("Changed on disk: {}. Reading the shader folders again.", list));
}

void Workbench::note_versions(const VariantList& news) {
  if (news.sources >= sources_) editor.changing.clear();
  if (!news.texts) return;
  editor.loaded(*news.texts, news.variants);
  for (const VariantInfo& v : news.variants) {
    const std::vector<Version>& all = editor.versions.of(v.name);
    if (all.size() < 2) continue;
    for (const Version& of : all) device_state.number_shader(v.name, of.hash, of.number);
  }
}

void Workbench::step_editor() {
  if (!waiting_.empty() && !search.measuring()) {
    const std::set<std::string> names = std::exchange(waiting_, {});
    sources_changed({names.begin(), names.end()});
  }
  VersionsOf of{request.selection, request.modes, "", request.loaded() ? request.loaded()->hash : ""};
  if (device_state.device) of.device = device_key(*device_state.device);
  views.versions({editor.versions.version(), log.version(), of},
                 [&] { return list_versions(editor.versions, log, of); });
}

std::optional<Job> Workbench::race_version(const std::string& hash) {
  const VariantInfo* v = request.loaded();
  if (!v || !device_state.device)
    return messages.refuse("The variant that is shown does not load: there is nothing to compare.");
  if (busy()) return std::nullopt;
  const Version* before = editor.versions.find(v->name, hash);
  const Version* after = editor.versions.find(v->name, v->hash);
  if (!before || !after || before == after) return messages.refuse("There is no such version to compare with.");
  jobs.race = {.asked = request.selection,
               .first_name = fmt::format("#{}", before->number),
               .second_name = fmt::format("#{}", after->number),
               .modes = request.modes,
               .device = *device_state.device};
  return start(JobKind::versions, Job::Race{request.selection, request.modes, source_of(v->name, before->texts),
                                            source_of(v->name, after->texts)});
}

void Workbench::end_race_of_versions(const JobEvent& news) {
  RaceState& race = jobs.race;
  race.error = news.error;
  if (news.result) {
    const auto& [records, turns] = *news.result;
    if (!same_device(records[0].environment.device, race.device))
      race.error = "Another device was opened before the race began.";
    else
      race.row = compare_raced(records[0], turns[0].samples, records[1], turns[1].samples, kInterleavedTolerance);
  }
  const bool fine = race.row && race.no_time().empty() && race.row->comparison.relation != Relation::slower;
  messages.say(fine ? Level::info : Level::warning,
               fmt::format("{} on {}: {}", race.asked.variant, to_text(race.asked.problem), race_text(race)));
}

void Workbench::end_race_of_pins(const JobEvent& news) {
  std::string why = news.error;
  // What raced may not be what is pinned any more: another device, or a shader that was read again.
  if (news.result)
    for (size_t i = 0; i < racing_.size() && why.empty(); ++i)
      if (run_id(news.result->records[i]) != run_id(*racing_[i]))
        why = "Another device was opened, or a shader was read again, before the race began.";
  if (!why.empty()) return messages.say(Level::warning, "The pins did not race: " + why, "compare");
  live.comparisons.take(*news.result);
  size_t timed = 0;
  for (const Record& r : news.result->records) {
    if (r.outcome == Outcome::measured && ++timed) continue;
    log.note(r);
    why += fmt::format(" {}: {}", short_name(r.variant, r.config),
                       r.verdict && !r.verdict->pass ? r.verdict->reason : r.message);
  }
  messages.say(why.empty() ? Level::good : Level::warning,
               fmt::format("Raced {} of {} configs on {}.{}{}", timed, racing_.size(), to_text(racing_.back()->problem),
                           why, not_raced_),
               "compare");
}

}  // namespace attnscope::gui
