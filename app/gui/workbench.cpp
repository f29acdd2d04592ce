#include "app/gui/workbench.hpp"

#include <algorithm>
#include <ctime>
#include <span>

#include <fmt/format.h>

#include "engine/measure/statistics.hpp"

namespace attnscope::gui {

Workbench::Workbench(const GuiOptions& options)
    : device_selector(options.device),
      paused(!options.measure),
      quiet_choice(options.quiet),
      presets(options.presets),
      wanted_variant_(options.variant),
      wanted_config_(options.config) {
  if (!presets.empty() && !presets.front().problems.empty()) ask.problem = presets.front().problems.front();
  else if (auto small = parse_problem("1x4x32x32")) ask.problem = *small;
  ask.variant = wanted_variant_;
  workers.assign(std::max<size_t>(1, options.workers.size()), "");
  for (size_t i = 0; i < options.workers.size(); ++i) {
    for (const std::string& word : options.workers[i]) workers[i] += (workers[i].empty() ? "" : " ") + word;
  }
}

void Workbench::changed() { history.remember(ask); }

void Workbench::set_problem(const Problem& problem) {
  if (ask.problem == problem) return;
  ask.problem = problem;
  adopt_nearest_ = true;
  if (const VariantInfo* v = current_variant(); v && follows_problem_) ask.config = default_config(*v);
  follows_problem_ = false;
  changed();
}

void Workbench::set_variant(const std::string& name) {
  const VariantInfo* v = variant(name);
  if (!v || ask.variant == name) return;
  if (follows_problem_)
    last_config_.erase(ask.variant);
  else
    last_config_[ask.variant] = ask.config;
  ask.variant = name;
  const auto last = last_config_.find(name);
  ask.config = last != last_config_.end() ? last->second : default_config(*v);
  adopt_nearest_ = true;
  follows_problem_ = false;
  changed();
}

void Workbench::set_value(const std::string& parameter, int64_t value) {
  if (ask.config[parameter] == value) return;
  ask.config[parameter] = value;
  adopt_nearest_ = follows_problem_ = false;
  changed();
}

void Workbench::set_config(const Config& config) {
  if (ask.config == config) return;
  ask.config = config;
  adopt_nearest_ = follows_problem_ = false;
  changed();
}

void Workbench::set_device(size_t worker_index, const std::string& selector) {
  if (worker == worker_index && device_selector == selector) return;
  worker = worker_index;
  device_selector = selector;
  device.reset();
  device_failure.clear();
  inspection.reset();
  live = {};
  ++attempt_;
}

void Workbench::use_nearest() {
  if (const Inspection* i = current_inspection(); i && !i->nearest.empty()) set_config(i->nearest);
}

void Workbench::undo() {
  if (history.can_undo()) ask = history.undo();
}

void Workbench::redo() {
  if (history.can_redo()) ask = history.redo();
}

void Workbench::try_again() {
  live.failure.clear();
  ++attempt_;
}

void Workbench::reload_shaders() {
  ++sources_;
  inspection.reset();
  say(Level::info, "Reading the shader folders again.");
}

bool Workbench::can_pin() const { return live_is_current() && live.series.statistics() && live.verdict; }

void Workbench::pin() {
  if (!can_pin()) return;
  size_t colour = 0;
  const auto taken = [&](size_t c) { return std::any_of(pins.begin(), pins.end(), [&](const Pin& p) { return p.colour == c; }); };
  while (taken(colour)) ++colour;
  pins.push_back({next_id_++, colour, true, live_record()});
  say(Level::info, fmt::format("Pinned {} on {}.", short_name(ask.variant, ask.config), to_text(ask.problem)));
}

void Workbench::adopt_results(const std::vector<Record>& records) {
  for (const Record& r : records) {
    results.push_back(r);
    note_tried(r);
    if (r.outcome != Outcome::measured || !r.statistics) continue;
    if (std::find(bar_problems.begin(), bar_problems.end(), r.problem) == bar_problems.end()) bar_problems.push_back(r.problem);
    const bool pinned = std::any_of(pins.begin(), pins.end(), [&](const Pin& p) {
      return p.record.variant == r.variant && p.record.config == r.config;
    });
    if (!pinned) pins.push_back({next_id_++, pins.size(), true, r});
  }
}

std::vector<Record> Workbench::all_records() const {
  std::vector<Record> all;
  const auto add = [&](const Record& r) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Record& o) {
      return o.problem == r.problem && o.variant == r.variant && o.config == r.config &&
             o.environment.device.name == r.environment.device.name;
    });
    if (same == all.end()) all.push_back(r);
    else *same = r;
  };
  for (const Pin& p : pins) add(p.record);
  for (const Tried& t : tried) add(t.record);
  for (const Record& r : results) add(r);
  if (can_pin()) add(live_record());
  return all;
}

void Workbench::unpin(uint64_t id) { std::erase_if(pins, [&](const Pin& p) { return p.id == id; }); }
void Workbench::clear_pins() { pins.clear(); }

std::optional<Job> Workbench::measure_all() {
  if (pins.empty() || bar_problems.empty()) {
    say(Level::warning, pins.empty() ? "Nothing is pinned: pin a config (P), then measure all."
                                     : "The list of problems is empty: add one, then measure all.");
    return std::nullopt;
  }
  Job made{.id = next_id_++, .items = {}, .quiet = quiet(), .cache = cache, .launch = launch};
  for (const Problem& problem : bar_problems)
    for (const Pin& p : pins) made.items.push_back({problem, p.record.variant, p.record.config});
  job = {made.id, 0, made.items.size(), {}, now_, true};
  return made;
}

bool Workbench::quiet() const {
  return quiet_choice.value_or(device && device->type == DeviceType::software);
}

Wish Workbench::wish() const {
  Wish w;
  w.worker = worker;
  w.device = device_selector;
  w.sources = sources_;
  if (current_variant() && current_variant()->error.empty()) w.ask = ask;
  w.run = !paused;
  w.quiet = quiet();
  w.cache = cache;
  w.launch = launch;
  w.attempt = attempt_;
  return w;
}

const VariantInfo* Workbench::variant(const std::string& name) const {
  for (const VariantInfo& v : variants)
    if (v.name == name) return &v;
  return nullptr;
}

std::string Workbench::why_not(const std::string& name) const {
  const VariantInfo* v = variant(name);
  if (!v) return "There is no such variant.";
  if (!v->error.empty()) return v->error;
  if (!v->why_not.empty()) return v->why_not;
  const auto known = checked_.find(name);
  return known != checked_.end() && known->second.first == ask.problem ? known->second.second : "";
}

const Inspection* Workbench::current_inspection() const {
  return inspection && inspected_ask == ask ? &*inspection : nullptr;
}

// While the answer for the newest config is on its way, the one before is the better guess than none.
std::string Workbench::why_not_value(const std::string& parameter, size_t candidate) const {
  if (!inspection || inspected_ask.variant != ask.variant) return "";
  for (const ParameterChoices& c : inspection->choices)
    if (c.name == parameter && candidate < c.why_not.size()) return c.why_not[candidate];
  return "";
}

Work Workbench::work() const {
  if (!inspection || inspected_ask != live.ask) return {problem_flops(live.ask.problem), problem_bytes(live.ask.problem)};
  return {inspection->flops, inspection->bytes};
}

const Record* Workbench::result_for(const Pin& p, const Problem& problem) const {
  const auto matches = [&](const Record& r) {
    return r.problem == problem && r.variant == p.record.variant && r.config == p.record.config &&
           r.environment.device.name == p.record.environment.device.name;
  };
  for (auto r = results.rbegin(); r != results.rend(); ++r)
    if (matches(*r)) return &*r;
  return p.record.problem == problem ? &p.record : nullptr;
}

Record Workbench::live_record() const {
  Record r = live.record.value_or(Record{});
  r.problem = live.ask.problem;
  r.variant = live.ask.variant;
  r.config = live.ask.config;
  r.protocol.cache = cache;
  r.protocol.launch = launch;
  r.verdict = live.verdict;
  r.samples_ns = live.series.samples();
  r.statistics = live.series.statistics();
  if (live.resources) r.resources = *live.resources;
  const Work w = work();
  r.flops = w.flops;
  r.bytes = w.bytes;
  if (r.statistics && r.statistics->median > 0) {
    r.tflops = w.flops / r.statistics->median / 1e3;
    r.gbps = w.bytes / r.statistics->median;
  }
  if (inspection && inspected_ask == live.ask) {
    r.extra_bytes = inspection->extra_bytes;
    r.scratch_bytes = inspection->scratch_bytes;
  }
  if (!live.failure.empty()) {
    r.outcome = Outcome::error;
    r.message = live.failure;
  } else if (r.verdict && !r.verdict->pass) {
    r.outcome = Outcome::failed_verdict;
    r.message = r.verdict->reason;
  } else if (r.statistics) {
    r.outcome = Outcome::measured;
    r.message = live.series.drifting() ? "The samples drift: the device may be throttling." : "";
  }
  r.seed = 1;
  if (const VariantInfo* v = variant(r.variant)) {
    r.config_name = config_name(*v, r.config);
    r.environment.shader_hash = v->hash;
  }
  if (device) r.environment.device = *device;
  r.environment.program_version = ATTNSCOPE_VERSION;
  std::time_t t = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  r.environment.time_utc = text;
  return r;
}

const Record& Workbench::live_summary() {
  if (!summary_) summary_ = live_record();
  return *summary_;
}

const Comparison* Workbench::against_live(const Pin& p) {
  constexpr double kPeriod = 2, kApart = 0.25;
  constexpr size_t kEnough = 10, kUsed = 400;
  Compared& c = compared_[p.id];
  if (c.live != live.ask) c = {};
  const std::vector<double>& mine = live.series.samples();
  if (p.record.problem != live.ask.problem || mine.size() < kEnough || p.record.samples_ns.size() < kEnough) return nullptr;
  if ((!c.known || now_ - c.at > kPeriod) && now_ - compared_at_ > kApart) {
    const auto newest = [&](const std::vector<double>& v) { return std::span(v).last(std::min(v.size(), kUsed)); };
    c = {compare_samples(newest(p.record.samples_ns), newest(mine)), now_, live.ask, true};
    compared_at_ = now_;
  }
  return c.known ? &c.result : nullptr;
}

}  // namespace attnscope::gui
