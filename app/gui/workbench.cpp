#include "app/gui/workbench.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/page/command.hpp"
#include "engine/record/compare_records.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {

Workbench::Workbench(const GuiOptions& options)
    : presets(options.presets), wanted_config_(options.config), start_(options.start) {
  asked.device = options.device;
  asked.paused = !options.measure;
  asked.quiet = options.quiet;
  if (!presets.empty() && !presets.front().problems.empty())
    asked.ask.problem = presets.front().problems.front();
  else if (auto small = parse_problem("1x4x32x32"))
    asked.ask.problem = *small;
  variant_was_chosen(options.variant);
  known.workers.assign(std::max<size_t>(1, options.workers.size()), "");
  for (size_t i = 0; i < options.workers.size(); ++i)
    for (const std::string& word : options.workers[i]) known.workers[i] += (known.workers[i].empty() ? "" : " ") + word;
  wished_ = {0};
  past.file = options.history;
  // The first folder is the shipped one.
  if (!options.shader_dirs.empty()) places.shaders.assign(options.shader_dirs.begin() + 1, options.shader_dirs.end());
  places.sources = options.source_dirs;
  for (const auto& words : options.workers) {
    std::string& command = places.workers.emplace_back();
    for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_quoted(word);
  }
}

void Workbench::set_problem(const Problem& problem) {
  problem_chosen_ = true;
  Ask& ask = asked.ask;
  if (ask.problem == problem) return;
  ask.problem = problem;
  if (chosen_ == Chosen::by_engine)
    leave_to_engine();
  else
    chosen_ = Chosen::before;
  history.remember(ask);
}

void Workbench::variant_was_chosen(const std::string& name) {
  automatic_ = name.empty() || name == kAutoVariant;
  if (!automatic_) asked.ask.variant = name;
}

void Workbench::end_automatic() {
  automatic_ = false;
  why_automatic_.clear();
}

void Workbench::leave_to_engine() {
  chosen_ = Chosen::by_engine;
  choose_ = true;
  why_automatic_.clear();
  if (const VariantInfo* v = current_variant()) asked.ask.config = default_config(*v);
}

void Workbench::set_variant(const std::string& name) {
  Ask& ask = asked.ask;
  if (name == kAutoVariant) {
    if (automatic_) return;
    if (chosen_ != Chosen::by_engine) last_config_[ask.variant] = ask.config;
    automatic_ = true;
    leave_to_engine();
    history.remember(ask);
    return;
  }
  const VariantInfo* v = known.variant(name);
  if (!v) return;
  end_automatic();
  if (ask.variant == name) return;
  if (chosen_ == Chosen::by_engine)
    last_config_.erase(ask.variant);
  else
    last_config_[ask.variant] = ask.config;
  ask.variant = name;
  leave_to_engine();
  if (const auto last = last_config_.find(name); last != last_config_.end()) {
    ask.config = last->second;
    chosen_ = Chosen::before;
  }
  history.remember(ask);
}

void Workbench::set_value(const std::string& parameter, int64_t value) {
  Config config = asked.ask.config;
  config[parameter] = value;
  set_config(config);
}

void Workbench::set_config(const Config& config) {
  if (asked.ask.config == config) return;
  asked.ask.config = config;
  take_by_hand();
  history.remember(asked.ask);
}

Result<void> Workbench::set_config(std::string_view text) {
  const VariantInfo* v = current_variant();
  if (!v) return bad_input("No variant is chosen.");
  const Result<Config> config = parse_config(*v, text);
  if (!config) return config.error();
  if (!asks_for_default(text)) {
    set_config(*config);
    return {};
  }
  leave_to_engine();
  history.remember(asked.ask);
  return {};
}

void Workbench::restore_config(const Config& config) {
  asked.ask.config = config;
  end_automatic();
  chosen_ = Chosen::before;
}

void Workbench::set_device(size_t worker_index, const std::string& selector) {
  if (asked.worker == worker_index && asked.device == selector) return;
  left_devices_[asked.worker] = asked.device;
  asked.worker = worker_index;
  asked.device = selector;
  if (std::find(wished_.begin(), wished_.end(), worker_index) == wished_.end()) wished_.push_back(worker_index);
  known.open(std::nullopt);
  before_.leave(live_);
  live_ = {};
  // Neither is of this device.
  lost_.reset();
  tuned_.reset();
  ++attempt_;
}

/// A config is of one variant: whoever sets one by hand has chosen that variant too.
void Workbench::take_by_hand() {
  chosen_ = Chosen::by_hand;
  end_automatic();
}

void Workbench::use_nearest() {
  if (const Inspection* i = current_inspection(); i && !i->nearest.empty()) set_config(i->nearest);
}

void Workbench::undo() {
  if (!history.can_undo()) return;
  const History::Step& step = history.undo();
  // What was asked once by hand is not adapted again.
  if (const auto* change = std::get_if<History::Asked>(&step)) {
    asked.ask = change->before;
    take_by_hand();
  }
  if (const auto* removed = std::get_if<History::Removed>(&step)) pins.put_back(removed->pins);
  if (const auto* removed = std::get_if<History::RemovedRuns>(&step)) tried.put_back(removed->entries);
}

void Workbench::redo() {
  if (!history.can_redo()) return;
  const History::Step& step = history.redo();
  if (const auto* change = std::get_if<History::Asked>(&step)) {
    asked.ask = change->after;
    take_by_hand();
  }
  if (const auto* removed = std::get_if<History::Removed>(&step))
    for (const Pin& p : removed->pins) pins.remove(p.id);
  if (const auto* removed = std::get_if<History::RemovedRuns>(&step)) {
    std::set<uint64_t> numbers;
    for (const Tried::Entry& e : removed->entries) numbers.insert(e.number);
    tried.remove(numbers);
  }
}

void Workbench::try_again() {
  lost_.reset();
  live_.failure.clear();
  ++attempt_;
}

void Workbench::reload_shaders() {
  ++sources_;
  lost_.reset();
  waiting_.clear();
  known.forget_inspection();
  reloading_ = true;
  say(Level::info, "Reading the shader folders again.");
}

bool Workbench::quiet() const {
  return asked.quiet.value_or(known.device && known.device->type == DeviceType::software);
}

std::optional<Wish> Workbench::wish_beside(const BesideDevice& d) const {
  // One that could not be reached is not tried again with every change of a parameter.
  if (!d.connected || !d.failure.empty()) return std::nullopt;
  Wish w;
  w.device = d.selector;
  w.sources = sources_;
  w.quiet = asked.quiet.value_or(d.device && d.device->type == DeviceType::software);
  w.modes = asked.modes;
  w.attempt = d.attempt;
  // Of a variant that is being read again, what it will be is not known.
  const VariantInfo* v = current_variant();
  if (v && v->error.empty() && !choosing() && d.variants_known) w.ask = asked.ask;
  w.run = !asked.paused && !searched.measuring() && job_text().empty() && d.lost != std::pair{asked.ask, asked.modes};
  return w;
}

std::optional<Wish> Workbench::wish(size_t worker) const {
  if (const BesideDevice* d = beside.of_worker(worker)) return wish_beside(*d);
  if (std::find(wished_.begin(), wished_.end(), worker) == wished_.end()) return std::nullopt;
  Wish w;
  w.sources = sources_;
  w.quiet = quiet();
  w.modes = asked.modes;
  if (worker != asked.worker) {
    // It keeps its device for when it is wanted again, and dispatches nothing.
    const auto left = left_devices_.find(worker);
    if (left == left_devices_.end()) return std::nullopt;
    w.device = left->second;
    w.run = false;
    return w;
  }
  w.device = asked.device;
  w.choose = choosing();
  w.automatic = w.choose && automatic_;
  if ((current_variant() && current_variant()->error.empty()) || (w.automatic && known.variants_known))
    w.ask = asked.ask;
  w.run = !asked.paused && lost_ != std::pair{asked.ask, asked.modes};
  w.attempt = attempt_;
  w.closer = asked.closer;
  w.peaks = peaks_wanted_;
  return w;
}

const Live* Workbench::shown() const {
  if (live_.ask != asked.ask || live_.modes != asked.modes || !known.device) return nullptr;
  if (changing_.contains(asked.ask.variant)) return nullptr;
  if (!live_.began) return &live_;
  const VariantInfo* v = current_variant();
  const Environment& e = live_.began->environment;
  const bool same = v && v->error.empty() && e.shader_hash == v->hash && same_device(e.device, *known.device);
  return same ? &live_ : nullptr;
}

const Live* Workbench::timed() const {
  const Live* live = shown();
  return live && live->timed() ? live : nullptr;
}

const Standing* Workbench::standing() const {
  const Standing* s = standings_.current();
  const Live* live = timed();
  return s && live && same_run(run_of(s->live), run_of(*live->began)) ? s : nullptr;
}

const Comparison* Workbench::word(const Pin& pin) const { return standing() ? standings_.word(pin.id) : nullptr; }

std::string Workbench::why_no_word(const Pin& pin) const {
  const Live* live = timed();
  if (pin.record->problem != asked.ask.problem) return "other problem";
  if (!live) return "nothing live";
  if (pin.record->samples_ns.empty()) return "no samples";
  if (const Standing* s = standing())
    if (const std::string why = why_not_comparable(*pin.record, s->live); !why.empty()) {
      // "not comparable: two cache modes, hot and cold": its middle.
      const size_t from = why.find(": ") == std::string::npos ? 0 : why.find(": ") + 2;
      return why.substr(from, why.find(',', from) - from);
    }
  // A pin gets no more of them.
  if (pin.record->samples_ns.size() < Standings::kEnough) return "few samples";
  return live->series.statistics()->count < Standings::kEnough ? "too few yet" : "comparing";
}

Work Workbench::work() const {
  if (const Live* live = shown(); live && live->began) return {live->began->flops, live->began->bytes};
  return {problem_flops(asked.ask.problem), problem_bytes(asked.ask.problem)};
}

void Workbench::pin() {
  const Live* live = timed();
  if (!live) return;
  const auto record = live->record();
  if (const Pin* same = pins.same(*record))
    say(Level::info,
        fmt::format("{} on {} is pinned a second time: pin {} keeps its own samples.",
                    short_name(record->variant, record->config), to_text(record->problem), same->slot + 1));
  else
    say(Level::info,
        fmt::format("Pinned {} on {}.", short_name(record->variant, record->config), to_text(record->problem)));
  pins.add(*record);
}

void Workbench::unpin(uint64_t id) { history.removed(pins.remove(id)); }

void Workbench::clear_pins() {
  const size_t count = pins.all().size();
  history.removed(pins.clear());
  if (count > 0)
    say(Level::info, count == 1 ? "Removed a pin; Ctrl+Z brings it back."
                                : fmt::format("Removed {} pins; Ctrl+Z brings them back.", count));
}

void Workbench::adopt_results(const std::vector<Record>& records) {
  std::set<std::string> pinned;
  for (const Pin& p : pins.all()) pinned.insert(p.key);
  for (const Record& r : records) {
    tried.note(r);
    if (r.outcome != Outcome::measured || !r.statistics) continue;
    across.note(r);
    across.add(r.problem);
    if (pinned.insert(run_key(r)).second) pins.add(r);
  }
}

std::optional<Job> Workbench::measure_all() {
  if (searched.measuring() || across.job.running) {
    say(Level::warning, searched.measuring() ? "A search is measuring: cancel it first, or wait for it."
                                             : "Something else is being measured: cancel it first, or wait for it.");
    return std::nullopt;
  }
  if (pins.empty() || across.problems().empty()) {
    say(Level::warning, pins.empty() ? "Nothing is pinned: pin a config (P), then measure all."
                                     : "The list of problems is empty: add one, then measure all.");
    return std::nullopt;
  }
  Job made{.id = next_job_++, .items = {}, .quiet = quiet()};
  std::vector<std::string> left_out;
  std::set<std::string> seen;
  for (const Problem& problem : across.problems())
    for (const Pin& p : pins.all()) {
      const Record& r = *p.record;
      if (const std::string why = why_not_again(r); !why.empty()) {
        if (&problem == &across.problems().front())
          left_out.push_back(fmt::format("{} ({})", short_name(r.variant, r.config), why));
        continue;
      }
      // The same config pinned twice is measured once.
      if (!seen.insert(p.key + "|" + to_text(problem)).second) continue;
      made.items.push_back({{problem, r.variant, r.config}, {r.protocol.cache, r.protocol.launch}, r.seed});
    }
  if (!left_out.empty()) say(Level::warning, fmt::format("Not measured: {}.", fmt::join(left_out, ", ")));
  if (made.items.empty()) return std::nullopt;
  across.job = {made.id, 0, made.items.size(), {}, now_, true};
  return made;
}

/// Just what is asked, as far as that is known before a run tells.
Record Workbench::record_of_asked() const {
  Run run;
  run.problem = asked.ask.problem;
  run.variant = asked.ask.variant;
  run.config = asked.ask.config;
  run.protocol.cache = asked.modes.cache;
  run.protocol.launch = asked.modes.launch;
  run.seed = RunRequest{}.seed;
  if (known.device) run.environment.device = *known.device;
  if (const VariantInfo* v = current_variant()) run.environment.shader_hash = v->hash;
  return make_record(run);
}

void Workbench::tick(double now) {
  now_ = now;
  // Who asked for something else meanwhile and comes back asks for it.
  if (lost_ && lost_ != std::pair{asked.ask, asked.modes}) lost_.reset();
  compare(now);
  step_editor();
  before_.step(timed(), known, now);
  shape.step(timed(), asked.metric, work(), view.log());
  tiles_.step(asked.ask.problem, known.surroundings(asked.ask));
  why_.step(timed(), known.surroundings(asked.ask), known.peaks, now);
  sweep_map.step(searched, asked.ask);
  beside.step(timed(), asked.ask, asked.modes, now);
  if (Named named{asked.ask, asked.modes, known.version()}; !(named == named_)) {
    named_ = std::move(named);
    asked_record_ = record_of_asked();
    ++asked_version_;
  }
  captions_.step(asked_record_, asked_version_, pins, tried, known, now);
  captions_.choose_units(pins, standings_.current());
  list_runs();
}

void Workbench::compare(double now) {
  if (pins.empty()) return standings_.clear();
  const Live* live = timed();
  if (!live) return standings_.step(std::nullopt, pins, now);
  if (standings_.due(pins, now, live->series.statistics()->count) || !standings_.current() ||
      !same_run(run_of(standings_.current()->live), run_of(*live->began)))
    standings_.step(live->record(), pins, now);
}

}  // namespace attnscope::gui
