#include "app/gui/workbench/workbench.hpp"

#include "app/gui/model/labels.hpp"
#include "engine/page/command.hpp"

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
    : given(given_by(options)), wanted_config_(options.config), start_(options.start) {
  request.device = options.device;
  request.paused = !options.measure;
  request.quiet = options.quiet;
  if (!given.presets.empty() && !given.presets.front().problems.empty())
    request.selection.problem = given.presets.front().problems.front();
  else if (auto small = parse_problem("1x4x32x32"))
    request.selection.problem = *small;
  variant_was_chosen(options.variant);
  device_state.workers.assign(std::max<size_t>(1, options.workers.size()), "");
  for (size_t i = 0; i < options.workers.size(); ++i)
    device_state.workers[i] = fmt::format("{}", fmt::join(options.workers[i], " "));
}

std::optional<GpuRequest> Workbench::gpu_request() const {
  const VariantInfo* v = current_variant();
  return v && v->error.empty() && !choosing() ? std::optional(GpuRequest{request.selection, v->hash}) : std::nullopt;
}

void Workbench::set_problem(const Problem& problem) {
  problem_chosen_ = true;
  Selection& selection = request.selection;
  if (selection.problem == problem) return;
  selection.problem = problem;
  if (chosen_ == Choice::by_engine)
    leave_to_engine();
  else
    chosen_ = Choice::before;
  history.remember(selection, automatic_);
}

void Workbench::variant_was_chosen(const std::string& name) {
  automatic_ = name.empty() || name == kAutoVariant;
  if (!automatic_) request.selection.variant = name;
}

void Workbench::end_automatic() {
  automatic_ = false;
  why_automatic_.clear();
}

void Workbench::leave_to_engine() {
  chosen_ = Choice::by_engine;
  choose_ = true;
  why_automatic_.clear();
  if (const VariantInfo* v = current_variant()) request.selection.config = default_config(*v);
}

void Workbench::keep_config() {
  const auto& [problem, variant, config] = request.selection;
  if (chosen_ == Choice::by_engine)
    last_config_.erase(variant);
  else
    last_config_[variant] = config;
}

void Workbench::set_variant(const std::string& name) {
  Selection& selection = request.selection;
  if (name == kAutoVariant) {
    if (automatic_) return;
    keep_config();
    automatic_ = true;
    leave_to_engine();
    history.remember(selection, automatic_);
    return;
  }
  const VariantInfo* v = device_state.variant(name);
  if (!v) return;
  end_automatic();
  if (selection.variant == name) return;
  keep_config();
  selection.variant = name;
  leave_to_engine();
  if (const auto last = last_config_.find(name); last != last_config_.end()) {
    selection.config = last->second;
    chosen_ = Choice::before;
  }
  history.remember(selection, automatic_);
}

void Workbench::set_value(const std::string& parameter, int64_t value) {
  Config config = request.selection.config;
  config[parameter] = value;
  set_config(config);
}

void Workbench::set_config(const Config& config) {
  if (request.selection.config == config) return;
  request.selection.config = config;
  take_by_hand();
  history.remember(request.selection, automatic_);
}

Result<void> Workbench::set_config(std::string_view text) {
  const VariantInfo* v = current_variant();
  if (!v) return bad_input("No variant is chosen.");
  const Config config = TRY(parse_config(*v, text));
  if (!asks_for_default(text)) {
    set_config(config);
    return {};
  }
  leave_to_engine();
  history.remember(request.selection, automatic_);
  return {};
}

void Workbench::restore_config(const Config& config) {
  request.selection.config = config;
  end_automatic();
  chosen_ = Choice::before;
}

void Workbench::set_device(size_t worker_index, const std::string& selector) {
  if (request.worker == worker_index && request.device == selector) return;
  left_devices_[request.worker] = request.device;
  request.worker = worker_index;
  request.device = selector;
  device_state.open(std::nullopt);
  before_.leave(live_);
  live_ = {};
  tuned_.reset();
  ++attempt_;
}

/// A config is of one variant: whoever sets one by hand has chosen that variant too.
void Workbench::take_by_hand() {
  chosen_ = Choice::by_hand;
  end_automatic();
}

void Workbench::step_to(const History::Step& step, bool back) {
  if (step.asks()) {
    const auto& [selection, automatic] = back ? step.before : step.after;
    request.selection = selection;
    // What was asked once by hand is not adapted again; what the engine chose is its choice again.
    take_by_hand();
    automatic_ = automatic;
    if (automatic) chosen_ = Choice::by_engine;
    choose_ = false;
  }
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

void Workbench::undo() {
  if (history.can_undo()) step_to(history.undo(), true);
}

void Workbench::redo() {
  if (history.can_redo()) step_to(history.redo(), false);
}

void Workbench::try_again() {
  waits_since_.reset();
  live_.failure.clear();
  device_state.device_failure.clear();
  device_state.variants_failure.clear();
  ++attempt_;
}

std::string Workbench::stuck() const {
  if (!device_state.device_failure.empty()) return device_state.device_failure;
  if (!device_state.variants_failure.empty())
    return "The shaders could not be loaded: " + device_state.variants_failure;
  if (waits_since_ && now_ - *waits_since_ > kSlowStart)
    return fmt::format("The worker has not answered for {:.0f} s: it {}.", now_ - *waits_since_,
                       device_state.device ? "loads the shaders" : "opens the device");
  const VariantInfo* v = current_variant();
  if (!v && device_state.variants_known && !request.selection.variant.empty())
    return fmt::format("There is no variant '{}' any more: choose another, or bring its folder back.",
                       request.selection.variant);
  if (v && !v->error.empty()) return "";
  const Live* live = shown();
  return live ? live->failure : "";
}

void Workbench::reload_shaders() {
  waits_since_.reset();
  ++sources_;
  waiting_.clear();
  device_state.forget_inspection();
  reloading_ = true;
  say(Level::info, "Reading the shader folders again.");
}

bool Workbench::quiet() const { return request.quiet.value_or(device_state.software()); }

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
  const VariantInfo* v = current_variant();
  if (v && v->error.empty() && !choosing() && d.variants_known) w.selection = request.selection;
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
    const auto left = left_devices_.find(worker);
    if (left == left_devices_.end()) return std::nullopt;
    w.device = left->second;
    w.run = false;
    return w;
  }
  w.device = request.device;
  w.choose = choosing();
  w.automatic = w.choose && automatic_;
  if ((current_variant() && current_variant()->error.empty()) || (w.automatic && device_state.variants_known))
    w.selection = request.selection;
  w.run = !request.paused;
  w.attempt = attempt_;
  w.closer = request.closer;
  w.peaks = peaks_wanted_;
  return w;
}

const Live* Workbench::shown() const {
  if (live_.selection != request.selection || live_.modes != request.modes || !device_state.device) return nullptr;
  if (changing_.contains(request.selection.variant)) return nullptr;
  if (!live_.began) return &live_;
  const VariantInfo* v = current_variant();
  const Environment& e = live_.began->environment;
  const bool same = v && v->error.empty() && e.shader_hash == v->hash && same_device(e.device, *device_state.device);
  return same ? &live_ : nullptr;
}

const Live* Workbench::timed() const {
  const Live* live = shown();
  return live && live->timed() ? live : nullptr;
}

const Compared* Workbench::verdict(const Pin& pin) const {
  if (!copy_ || !timed()) return nullptr;
  const Compared* c = comparisons_.raced(*pin.record, *copy_->record);
  if (!c && std::min(pin.record->samples_ns.size(), copy_->record->samples_ns.size()) >= Comparisons::kEnough)
    c = comparisons_.of(pin.record, copy_->record);
  return c && c->why_not.empty() ? c : nullptr;
}

std::string Workbench::why_no_verdict(const Pin& pin) const {
  const Live* live = timed();
  if (pin.record->problem != request.selection.problem) return "other problem";
  if (!live) return "nothing live";
  if (pin.record->samples_ns.empty()) return "no samples";
  if (const LiveCopy* copy = live_copy()) {
    if (const Compared* c = comparisons_.raced(*pin.record, *copy->record); c && !c->why_not.empty()) return c->why_not;
    if (const std::string why = why_not_comparable(*pin.record, *copy->record); !why.empty()) {
      // "not comparable: two cache modes, hot and cold": its middle.
      const size_t from = why.find(": ") == std::string::npos ? 0 : why.find(": ") + 2;
      return why.substr(from, why.find(',', from) - from);
    }
  }
  // A pin gets no more of them.
  if (pin.record->samples_ns.size() < Comparisons::kEnough) return "few samples";
  return live->series.statistics()->count < Comparisons::kEnough ? "too few yet" : "comparing";
}

Work Workbench::work() const {
  if (const Live* live = shown(); live && live->began) return {live->began->flops, live->began->bytes};
  return {problem_flops(request.selection.problem), problem_bytes(request.selection.problem)};
}

std::string Workbench::hopeless() const {
  if (std::string why = stuck(); !why.empty()) return why;
  if (const Inspection* i = current_inspection(); i && !i->why_not.empty())
    return (i->broken ? "The shader is refused: " : "The config is refused: ") + i->why_not;
  return "";
}

bool Workbench::step_pin() {
  if (!wants_pin_) return true;
  if (choosing()) wants_pin_ = {request.selection, request.modes};
  const Live* live = shown();
  std::string why;
  if (*wants_pin_ != std::pair{request.selection, request.modes})
    why = fmt::format("something else was chosen before it had {} samples.", Comparisons::kEnough);
  else if (live && live->verdict && !live->verdict->pass)
    why = "it is wrong. " + live->verdict->reason;
  else
    why = hopeless();
  // A pin gets no more samples.
  const bool enough = why.empty() && timed() && live->series.taken() >= Comparisons::kEnough;
  if (why.empty() && !enough) return false;
  const Selection of = std::exchange(wants_pin_, {})->first;
  if (enough)
    pin(*live->record());
  else
    refuse(fmt::format("{} was not pinned: {}", short_name(of.variant, of.config), why));
  return true;
}

void Workbench::pin() {
  wants_pin_ = {request.selection, request.modes};
  if (step_pin()) return;
  say(Level::info,
      fmt::format("{} is pinned as soon as it has {} samples{}.", name_of_asked(), Comparisons::kEnough,
                  request.paused ? "; measuring is paused (Space)" : ""),
      "compare");
}

void Workbench::unpin(uint64_t id) {
  history.removed(pins.remove([&](const Pin& p) { return p.id == id; }));
}

void Workbench::clear_pins() {
  std::vector<Pin> gone = pins.remove([](const Pin& p) { return p.dataset.empty(); });
  const size_t count = gone.size();
  history.removed(std::move(gone));
  if (count > 0)
    say(Level::info, count == 1 ? "Removed a pin; Ctrl+Z brings it back."
                                : fmt::format("Removed {} pins; Ctrl+Z brings them back.", count));
}

void Workbench::open_dataset(const std::string& path, const std::vector<Record>& records) {
  close_dataset(path);
  pins.open(path, records);
  std::vector<Pin> rows;
  for (const Pin& p : pins.all())
    if (p.dataset == path) {
      jobs.problems.add(p.record->problem);
      rows.push_back(p);
    }
  const size_t without = records.size() - rows.size();
  say(rows.empty() ? Level::warning : Level::good,
      fmt::format("Opened {}: {}{}.", path, counted(rows.size(), "result"),
                  without > 0 ? fmt::format("; {} without a time are left out", without) : ""),
      "compare");
  if (!rows.empty()) history.opened(std::move(rows));
}

void Workbench::close_dataset(const std::string& path) {
  history.removed(pins.remove([&](const Pin& p) { return p.dataset == path; }));
}

std::optional<Job> Workbench::measure_all() {
  if (busy()) return std::nullopt;
  if (!pins.any_own()) return refuse("Nothing is pinned: pin a config (P), then measure all.");
  if (jobs.problems.all().empty()) return refuse("The list of problems is empty: add one, then measure all.");
  Job::Items items;
  std::vector<std::string> left_out;
  std::set<std::string> seen;
  for (const Problem& problem : jobs.problems.all())
    for (const Pin& p : pins.all()) {
      const Record& r = *p.record;
      if (!p.dataset.empty()) continue;
      if (const std::string why = why_not_again(r); !why.empty()) {
        if (&problem == &jobs.problems.all().front())
          left_out.push_back(fmt::format("{} ({})", short_name(r.variant, r.config), why));
        continue;
      }
      if (!seen.insert(p.key + "|" + to_text(problem)).second) continue;
      items.push_back({{problem, r.variant, r.config}, {r.protocol.cache, r.protocol.launch}, r.seed});
    }
  const std::string without = fmt::format("Not measured: {}.", fmt::join(left_out, ", "));
  if (items.empty()) return refuse(without);
  if (!left_out.empty()) say(Level::warning, without);
  return start(JobKind::all, items, items.size());
}

Job Workbench::start(JobKind kind, decltype(Job::what) what, size_t items) {
  jobs.now = {next_job_++, kind, 0, items, now_, true};
  return {jobs.now.id, quiet(), std::move(what)};
}

bool Workbench::busy() {
  const bool job = !jobs.text().empty();
  if (job || search.measuring())
    refuse(fmt::format("{}: cancel it first, or wait for it.",
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
  if (const VariantInfo* v = current_variant()) run.environment.shader_hash = v->hash;
  return make_record(run);
}

void Workbench::tick(double now) {
  now_ = now;
  const bool waits = (!device_state.device || !device_state.variants_known || reloading_) &&
                     device_state.device_failure.empty() && device_state.variants_failure.empty();
  if (!waits) waits_since_.reset();
  if (waits && !waits_since_) waits_since_ = now;
  step_pin();
  compare(now);
  step_editor();
  before_.step(timed(), copy_ ? copy_->record : nullptr, comparisons_, device_state, pins);
  if (timed()) views.plot.show(request.metric, timed()->series);
  if (!timed() || timed()->series.id() != views.plot.marked.series) views.plot.marked = {};
  views.shape.step(timed(), request.metric, work(), views.plot.log(),
                   views.plot.marking ? MarkedSamples() : views.plot.marked);
  why_.step(timed(), device_state.surroundings(request.selection), device_state.peaks, now);
  views.sweep.step(search, request.selection);
  others.beside.step(timed(), request.selection, request.modes, now);
  asked_({request.selection, request.modes, device_state.version()}, [&] { return record_of_asked(); });
  const uint64_t variants = device_state.variants_version();
  pin_names_({pins.version(), variants, asked_.made()}, [&] { return pin_names(asked_.value(), pins, device_state); });
  run_names_({log.version(), variants}, [&] { return run_names(log, device_state); });
  list_runs();
}

void Workbench::compare(double now) {
  constexpr double kPeriod = 1.5, kSoon = 0.25;  // seconds from one copy to the next, and with twice as many samples
  comparisons_.step();
  const Live* live = timed();
  if (copy_ && (!live || copy_->series != live->series.id())) copy_.reset();
  if (!live) return;
  if (copy_) {
    const bool twice = live->series.statistics()->count >= 2 * copy_->record->samples_ns.size();
    if (copy_->taken == live->series.taken() || now - copied_at_ < (twice ? kSoon : kPeriod)) return;
  }
  copied_at_ = now;
  copy_ = {std::make_shared<const Record>(*live->record()), live->series.id(), live->series.taken()};
}

}  // namespace attnscope::gui
