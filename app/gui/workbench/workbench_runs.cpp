// What a person does with runs that were measured: restore one, name it, remove it, list them.

#include "app/gui/model/labels.hpp"
#include "app/gui/workbench/workbench.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

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
  for (const tune::TriedConfig& tried_config : found->tried) {
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
  request.history = {};
}

std::string Workbench::name_of(const SessionLog::Entry& e) const {
  if (const Remark* r = log.remarks.of(to_text(e.run)); r && !r->name.empty()) return r->name;
  const auto name = run_names_.value().find(e.number);
  return name == run_names_.value().end() ? short_name(e.record->variant, e.record->config) : name->second;
}

void Workbench::list_runs() {
  const uint64_t names = log.remarks.version() + run_names_.made() + device_state.variants_version();
  views.log.step(log.version() * 1'000'003 + names, [&] {
    std::vector<RunRow> rows;
    for (const SessionLog::Entry& e : log.entries()) {
      const std::string key = to_text(e.run);
      const Remark* remark = log.remarks.of(key);
      rows.push_back({e.number, e.record, key, name_of(e), remark ? *remark : Remark{}, e.best, e.earlier});
    }
    return rows;
  });
}

std::string Workbench::why_not_again(const Record& r) const {
  const VariantInfo* v = device_state.variant(r.variant);
  if (!device_state.device || !same_device(*device_state.device, r.environment.device))
    return "it is of another device";
  if (!v) return "there is no such variant now";
  return v->hash == r.environment.shader_hash ? "" : "its shader has changed since it was pinned";
}

bool Workbench::can_race(const Pin& p) const {
  const Record &asked = asked_.value(), &r = *p.record;
  return r.problem == asked.problem && r.protocol.cache == asked.protocol.cache &&
         r.protocol.launch == asked.protocol.launch && r.seed == asked.seed && p.run != run_id(asked) &&
         why_not_again(r).empty();
}

std::optional<Job> Workbench::race_pins() {
  if (busy()) return std::nullopt;
  if (!live.timed()) return messages.refuse("What is shown has no time yet: there is nothing to race against.");
  const Record& asked = asked_.value();
  RaceRequest race = search::pair_request(asked.problem);
  race.protocol.cache = asked.protocol.cache;
  race.protocol.launch = asked.protocol.launch;
  race.seed = asked.seed;
  race.resources = false;
  std::vector<Comparisons::Shared> runs;
  size_t left_out = 0;
  std::set<RunId> seen;
  // A person's pins come before the rows of files.
  for (const bool own : {true, false})
    for (const Pin& p : pins.all()) {
      const Record& r = *p.record;
      if (p.dataset.empty() != own || !can_race(p) || !seen.insert(p.run).second) continue;
      if (race.entries.size() == kMostRaced && ++left_out) continue;
      runs.push_back(p.record);
      race.entries.push_back({r.variant, r.config});
    }
  if (race.entries.empty())
    return messages.refuse(
        "No other pin of this problem, in these modes, can run here: pin a config (P) and choose another.");
  if (left_out > 0)
    messages.say(Level::info, fmt::format("The first {} pins race; {} more do not.", kMostRaced, left_out));
  runs.push_back(std::make_shared<const Record>(asked));
  race.entries.push_back({asked.variant, asked.config});
  racing_ = std::move(runs);
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
      items.push_back({{*at.problem, of.variant, of.config}, {of.protocol.cache, of.protocol.launch}, of.seed});
    }
  }
  return items;
}

std::optional<Job> Workbench::measure_scaling() {
  if (busy()) return std::nullopt;
  std::vector<std::string> left_out;
  for (const ScaleRow& row : scaling_rows())
    if (!row.live)
      if (const std::string why = why_not_again(*row.own); !why.empty())
        left_out.push_back(fmt::format("{} ({})", row.name, why));
  if (!left_out.empty()) messages.say(Level::info, fmt::format("Not measured: {}.", fmt::join(left_out, ", ")));
  const Job::Items items = scaling_items();
  if (items.empty()) return std::nullopt;
  return start(JobKind::scaling, items, items.size());
}

std::optional<Job> Workbench::look_at_errors() {
  if (busy()) return std::nullopt;
  if (!request.loaded() || !device_state.device) return std::nullopt;
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
  const bool from_here =
      std::any_of(names.begin(), names.end(), [&](const auto& n) { return editor.changing.contains(n); });
  const std::string list =
      names.size() > 4 ? fmt::format("{} variants", names.size()) : fmt::format("{}", fmt::join(names, ", "));
  if (search.measuring() && !from_here) {
    if (waiting_.empty())
      messages.say(Level::info,
                   fmt::format("Changed on disk: {}. They are read when the search is over; F5 reads them now.", list));
    waiting_.insert(names.begin(), names.end());
    return;
  }
  const bool mine = std::find(names.begin(), names.end(), request.selection.variant) != names.end();
  // Who edits a variant wants to see that one.
  if (mine && request.automatic()) request.end_automatic();
  // Of what was lost the next save is another try.
  if (mine && !live.newest.failure.empty()) ++attempt_;
  editor.changing.insert(names.begin(), names.end());
  ++sources_;
  device_state.forget_inspection();
  messages.say(Level::info, fmt::format("Changed on disk: {}. Reading the shader folders again.", list));
}

void Workbench::note_versions(const VariantsKnown& news) {
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

void Workbench::end_race_of_versions(const JobNews& news) {
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

void Workbench::end_race_of_pins(const JobNews& news) {
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
  messages.say(
      why.empty() ? Level::good : Level::warning,
      fmt::format("Raced {} of {} configs on {}.{}", timed, racing_.size(), to_text(racing_.back()->problem), why),
      "compare");
}

}  // namespace attnscope::gui
