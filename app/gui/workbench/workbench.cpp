#include "app/gui/workbench/workbench.hpp"

#include "app/gui/model/labels.hpp"
#include "engine/page/page.hpp"

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
  for (const auto& words : options.workers) {
    std::string& command = places.workers.emplace_back();
    for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_quoted(word);
  }
  return given;
}

}  // namespace

Workbench::Workbench(const GuiOptions& options)
    : request(options, device_state, messages), live(request, device_state, editor), given(given_by(options)) {
  device_state.workers.assign(std::max<size_t>(1, options.workers.size()), "");
  for (size_t i = 0; i < options.workers.size(); ++i)
    device_state.workers[i] = fmt::format("{}", fmt::join(options.workers[i], " "));
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

std::optional<WorkerRequest> Workbench::wish_beside(const BesideDevice& d) const {
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
  if (const BesideDevice* d = others.beside.of_worker(worker)) return wish_beside(*d);
  WorkerRequest w;
  w.sources = sources_;
  w.quiet = quiet();
  w.modes = request.modes;
  if (worker != request.worker) {
    // It keeps its device for when it is wanted again, and dispatches nothing.
    const auto left = request.left_devices().find(worker);
    if (left == request.left_devices().end()) return std::nullopt;
    w.device = left->second;
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
  else if (run && run->verdict && !run->verdict->pass)
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
  std::vector<Pin> rows;
  for (const Pin& p : pins.all())
    if (p.dataset == path) rows.push_back(p);
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
      items.push_back({{problem, r.variant, r.config}, {r.protocol.cache, r.protocol.launch}, r.seed});
    }
  const std::string without = fmt::format("Not measured: {}.", fmt::join(left_out, ", "));
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

Record Workbench::record_of_asked() const {
  Run run;
  ask(run, request.selection);
  run.protocol.cache = request.modes.cache;
  run.protocol.launch = request.modes.launch;
  run.seed = RunRequest{}.seed;
  if (device_state.device) run.environment.device = *device_state.device;
  if (const VariantInfo* v = request.variant()) run.environment.shader_hash = v->hash;
  return make_record(run);
}

void Workbench::tick(double now) {
  messages.now = now;
  const bool waits = (!device_state.device || !device_state.variants_known || reloading_) &&
                     device_state.device_failure.empty() && device_state.variants_failure.empty();
  if (!waits) waits_since_.reset();
  if (waits && !waits_since_) waits_since_ = now;
  step_pin();
  live.step(pins, now);
  step_editor();
  if (live.timed()) views.plot.show(request.metric, live.timed()->series);
  if (!live.timed() || live.timed()->series.id() != views.plot.marked.series) views.plot.marked = {};
  views.shape.step(live.timed(), request.metric, live.work(), views.plot.log(),
                   views.plot.marking ? MarkedSamples() : views.plot.marked);
  views.why.step(live.timed(), device_state.surroundings(request.selection), device_state.peaks, now);
  views.sweep.step(search, request.selection);
  others.beside.step(live.timed(), request.selection, request.modes, now);
  asked_({request.selection, request.modes, device_state.version()}, [&] { return record_of_asked(); });
  const uint64_t variants = device_state.variants_version();
  pin_names_({pins.version(), variants, asked_.made()}, [&] { return pin_names(asked_.value(), pins, device_state); });
  run_names_({log.version(), variants}, [&] { return run_names(log, device_state); });
  list_runs();
}

}  // namespace attnscope::gui
