// The workbench: what is asked, known and measured, each a value of its own, and the verbs that change more than one.
// Panels read it and call its verbs; apply() folds in the links' news. Knows nothing of ImGui, windows or threads.
#pragma once

#include "app/gui/charts/maps.hpp"
#include "app/gui/charts/run_plots.hpp"
#include "app/gui/charts/timing_plot.hpp"
#include "app/gui/model/comparisons.hpp"
#include "app/gui/model/correctness.hpp"
#include "app/gui/model/extra_devices.hpp"
#include "app/gui/model/run_list.hpp"
#include "app/gui/worker/worker_thread.hpp"

namespace attnscope::gui {

struct Given {
  std::vector<ProblemPreset> presets;
  Places places;  ///< of what a command line needs
};
/// What is measured once, beside live sampling: the pins on listed problems, points along an axis, a map of errors.
struct Jobs {
  JobState now;  ///< the newest
  ProblemList problems;
  Scaling scaling;
  Correctness correctness;
  RaceState race;  ///< of two versions
  bool runs(JobKind kind) const { return now.running && now.kind == kind; }
  /// What the one that runs measures, in a few words: "measuring all", "measuring along an axis"; "" = none runs.
  std::string text() const {
    if (!now.running) return "";
    return word_of(now.kind, {"measuring all", "measuring along an axis", "mapping the errors",
                              "comparing two versions", "racing the pins"});
  }
};
/// Devices beside the one that is shown.
struct Others {
  ExtraDevices beside;  ///< they measure the same
  OtherGpus gpus;       ///< they are compiled for
};
/// How panels show what there is: what a person chose, and what tick() makes of that.
struct Views {
  PlotView plot;
  LiveShape shape;  ///< how the samples of what is shown are distributed
  SweepMap sweep;   ///< the newest search
  TuningForm tuning;
  RunList log;
  Catalogue catalogue;                                                     ///< the variants
  Why why;                                                                 ///< what is shown takes its time
  Memo<std::tuple<uint64_t, uint64_t, VersionsOf>, VersionList> versions;  ///< of the variant that is shown
};

/// A verb that makes a Job for the current worker, or a Search, gives nullopt and a message where that cannot be.
class Workbench {
 public:
  explicit Workbench(const GuiOptions&);

  UserRequest request;
  DeviceState device_state;
  LiveRuns live;
  Pins pins;
  SessionLog log;
  SearchState search;  ///< the newest one
  Jobs jobs;
  Others others;
  Editor editor;  ///< the shaders' texts
  MessagesLog messages;
  Views views;
  Given given;

  /// Why nothing of what is asked is measured, nor will be before somebody asks for it (try_again()) or mends a shader;
  /// "" while there is hope, and for a variant that did not load.
  std::string stuck() const;
  /// The same, or why the config is refused.
  std::string hopeless() const;
  void set_device(size_t worker_index, const std::string& selector);
  void undo() {
    if (request.history.can_undo()) step_to(request.history.undo(), true);
  }
  void redo() {
    if (request.history.can_redo()) step_to(request.history.redo(), false);
  }
  void try_again();
  void reload_shaders();
  /// What was measured of the chosen variant before its text stopped loading; nullptr: it loads, or nothing was.
  const Record* last_good() const {
    const VariantInfo* v = request.variant();
    const Record* before = v && !v->error.empty() ? live.before().first : nullptr;
    return before && before->variant == v->name ? before : nullptr;
  }
  bool quiet() const { return request.quiet.value_or(device_state.software()); }
  /// What to send to this worker's link now; nullopt: it was never asked for anything.
  std::optional<WorkerRequest> request_of(size_t worker) const;

  // --- what is measured ----------------------------------------------------------------------------------------------
  /// What is measured now enters the session log, as it does when its run ends: before the window closes.
  void log_live() {
    if (!live.timed()) return;
    if (const auto record = live.newest.record()) log.note(*record);
  }
  /// The pins that can run here, of what is asked, and the shown config, taken in turn: all are disturbed alike.
  std::optional<Job> race_pins();
  /// Why it cannot race against what is shown; "": it can.
  std::string why_no_race(const Pin&) const;

  // --- keeping -------------------------------------------------------------------------------------------------------
  /// What is shown, or, until it has samples enough for a word, as soon as it has; the messages say why it never will.
  void pin();
  void unpin(uint64_t id) {
    request.history.removed(pins.remove([&](const Pin& p) { return p.id == id; }));
  }
  void clear_pins();
  /// Another session in place of this one's pins, log and names.
  void clear_session();
  void remove_runs(const std::set<uint64_t>& numbers);
  void pin(const Record&);
  /// Of a run in the session log: a person's own name, else what sets it apart.
  std::string name_of(const SessionLog::Entry&) const;
  /// A result file as a dataset of its own, in place of what was read from it before; a step to undo, as closing it.
  void open_dataset(const std::string& path, const std::vector<Record>&);
  void close_dataset(const std::string& path) {
    request.history.removed(pins.remove([&](const Pin& p) { return p.dataset == path; }));
  }
  /// Everything kept: the pins just as they are, what was measured across problems, the session log, what is shown now,
  /// the trials of the newest search that ended; the very same run once.
  std::vector<Record> all_records() const;
  /// Pins x problems. A pin of another device, or of a shader that has changed since, is left out, and that is said.
  std::optional<Job> measure_all();
  /// The problems of the scaling plot, at the values chosen or by default.
  std::vector<ScaledProblem> scaling_problems() const;
  /// What its curves are of: the pins that are shown and what is asked now.
  std::vector<ScaleRow> scaling_rows() const;
  /// The points not known yet, of pins of this device and shader and of what is asked; those of small problems first.
  std::vector<Job::Item> scaling_items() const;
  std::optional<Job> measure_scaling();
  /// Where what is asked is wrong, in `head` or the worst head.
  std::optional<Job> look_at_errors();
  /// Of just what is asked now, or nullptr.
  const ErrorMapAnswer* errors() const { return jobs.correctness.of(asked_.value()); }
  /// They were asked for, of just this run, whether or not there was an answer.
  bool errors_tried() const { return jobs.correctness.tried(run_id(asked_.value())); }

  // --- searching -----------------------------------------------------------------------------------------------------
  /// What was stopped or came to the end of its budget goes on; else each variant's default, then the map of the
  /// fastest one's space, then of the next, within kSearchBudget: what a new shape asks for.
  std::optional<Search> sweep_best();
  /// All of one variant's space, in an order that fills the map evenly, within the same.
  std::optional<Search> sweep(const std::string& variant) {
    views.sweep.choose_variant(variant);
    return begin({.variants = {variant}, .strategy = tune::StrategyKind::random, .budget = kSearchBudget});
  }
  /// What ended by its budget, on until nothing is left to try.
  std::optional<Search> keep_going() {
    if (!can_keep_going()) return std::nullopt;
    Search wanted = search.asked();
    wanted.budget = {};
    return begin(std::move(wanted), true);
  }
  bool can_keep_going() const { return search.ended_by_budget() && search_of_other().empty(); }
  /// As the form says; the error is of its budget.
  Result<std::optional<Search>> tune();
  /// What an earlier search of just this left, once for each device, problem and mode; nullopt: nothing to look for.
  std::optional<Search> look_back();
  /// What sets the search shown apart from what is asked now: "another problem, 1x4x64x32"; "" = it is of just that.
  std::string search_of_other() const;
  /// A config of the search, with its problem and modes: undo brings back what was.
  void take(const std::string& variant, const Config& config) {
    request.take({search.asked().problem, variant, config}, search.asked().modes);
  }
  bool can_accept() const {
    return !search.running() && search.outcome() && search.best() >= 0 && search_of_other().empty();
  }
  /// Makes the best so far what is asked; whether it is that now.
  bool take_best();
  /// Somebody saved files of these variants: they are read again, after a search that measures unless they were saved
  /// from here (Editor::changing). What is lost and has not changed is not dispatched again.
  void sources_changed(const std::vector<std::string>& names);
  /// The current version against another one at the config that is asked for.
  std::optional<Job> race_version(const std::string& hash);

  // --- news and time -------------------------------------------------------------------------------------------------
  void tick(double now);
  /// `disturbed`: a frame was drawn in the batch that the news may carry; `now` in seconds.
  void apply(const DeviceEvent&, bool disturbed, double now);
  double now() const { return messages.now; }
  /// Seconds that what is asked has waited for its first time.
  double waited() const { return now() - waits_from_.value(); }
  /// ", 12 s": for how long the stage of the run or job goes on; "" = it is not worth telling.
  std::string elapsed_text() const;
  /// The same of waited().
  std::string waited_text() const;

  /// Just what is asked, as far as that is known before a run tells.
  Record record_of_asked() const;
  /// What other GPUs are to compile; nullopt: nothing that loads is asked for.
  std::optional<GpuRequest> gpu_request() const {
    if (!request.loaded() || request.choosing()) return std::nullopt;
    return GpuRequest{request.selection, request.loaded()->hash};
  }
  std::string short_name(const std::string& variant, const Config& config) const {
    return gui::short_name(device_state.loaded(variant), variant, config);
  }
  /// What sets the config that is asked for apart from the pins.
  std::string name_of_asked() const {
    const auto& [problem, variant, config] = request.selection;
    return asked_.is_of({request.selection, request.modes, device_state.version()}) ? pin_names_.value().at(0)
                                                                                    : short_name(variant, config);
  }
  /// What sets the pin apart from the others and from what is asked now.
  std::string name_of(const Pin& p) const {
    if (const Remark r = log.remarks.of(remark_key(p)); !r.name.empty()) return r.name;
    const auto name = pin_names_.value().find(p.id);
    return name == pin_names_.value().end() ? short_name(p.record->variant, p.record->config) : name->second;
  }

 private:
  std::optional<WorkerRequest> wish_beside(const ExtraDevice&) const;
  void on(const DeviceOpened& news) {
    device_state.open(news.device);
    device_state.machine = news.machine;
    messages.say(Level::info, fmt::format("Opened {} ({}).", news.device.name, news.device.driver));
  }
  void on(const VariantList&);
  void on(const VariantChecked& news) { device_state.check(news.variant, news.problem, {news.why_not, news.broken}); }
  void on(const SelectionChoice& news) { request.hear(news); }
  void on(const InspectionResult& news) {
    device_state.inspect(news.selection, news.inspection);
    request.hear(news);
  }
  void on(const NeighboursPlanned& news) { device_state.look(news.selection, news.around); }
  void on(const PeaksState&);
  void on(const RunStarted&);
  void on(const RunEvent&);
  void on(const RunEnded&);
  void on(const JobEvent&);
  void on(const Failed&);
  void on(const SearchEvent&);
  void on(const TunedLookup& news) { request.hear(news); }
  void on(const DeviceList&) {}
  void end_race_of_versions(const JobEvent&);
  void end_race_of_pins(const JobEvent&);
  void step_to(const History::Step&, bool back);
  std::optional<Search> begin(Search, bool goes_on = false);
  /// Whether something is being measured, with a line in the messages.
  bool busy();
  /// As the job that runs.
  Job start(JobKind, decltype(Job::what), size_t items = 1);
  /// Why a record's run cannot be measured here again: another device, a shader that has changed; "" when it can.
  std::string why_not_again(const Record&) const;
  /// What is shown is one of the session's runs as soon as it is complete: the best of them is told with it. With twice
  /// as many samples it is noted anew.
  void log_shown();
  void step_editor();
  void note_versions(const VariantList&);
  void list_runs();
  std::string not_raced_;                    ///< a person's pins that are not in that race, and why; ""
  std::vector<Comparisons::Shared> racing_;  ///< by race_pins(): the pins' records, and at last that of what was shown
  Memo<std::array<uint64_t, 3>, std::map<uint64_t, std::string>> pin_names_;  ///< pin_names(); made by tick()
  Memo<std::array<uint64_t, 2>, std::map<uint64_t, std::string>> run_names_;
  Memo<std::tuple<Selection, Modes, uint64_t>, Record> asked_;  ///< record_of_asked(); made by tick()
  std::set<std::string> shadows_told_;  ///< variants of which it was said that they replace another
  LiveCopy logged_;                     ///< by log_shown(), without its record
  bool disturbed_ = false;
  std::optional<double> waits_since_;  ///< nothing came of opening or loading since then
  /// When it was asked for, or could begin.
  Memo<std::tuple<Selection, Modes, uint64_t, uint64_t, bool, bool>, double> waits_from_;
  Memo<std::pair<std::string, Selection>, double> stage_from_;  ///< by tick(), too
  bool reloading_ = false;                                      ///< the shader folders were to be read again
  uint64_t sources_ = 0, attempt_ = 0, next_job_ = 1, next_search_ = 1;
  std::string looked_;                                    ///< of what look_back() asked last
  std::optional<std::pair<Selection, Modes>> wants_pin_;  ///< as soon as it has samples
  /// Whether it waits no longer: it is pinned, or it is said why not.
  bool step_pin();
  std::set<std::string> waiting_;  ///< those whose reading waits for the end of a search
};

// How many configs a search that was not begun would try, and how long that takes: plain numbers from what is known.

struct Estimate {
  uint64_t configs = 0;  ///< that were not tried yet
  bool at_most = false;  ///< not all of the space was decided on: fewer of it may run
  bool about = false;    ///< by the share of those that can run among some that were drawn
  double seconds = -1;   ///< of all of them; negative = nobody knows
  double within = 0;     ///< seconds that are given, and too few for all; 0 = all have the time
};

/// Every legal config of one variant, as far as the budget allows.
Estimate estimate_of(const Workbench&, const std::string& variant, const tune::Budget& = {});
/// The same of the fastest variant after each variant's default; as long as none is, of the largest space.
Estimate estimate_of_sweep(const Workbench&, const tune::Budget& = {});
/// What the form of a tuning run asks for; an error where its budget is none.
Result<Estimate> estimate_of_tuning(const Workbench&);
/// Seconds until a problem has its first time, at the rate of the run shown or before; 0 = below 5 s, or not known.
double first_sample_seconds(const Workbench&, const Problem&);
/// "First sample in about 8 s. ", counted down from when it was asked for; "Waits for 12 s. " where that is 0.
std::string first_sample_text(const Workbench&);
/// "about 40 s": until a problem has its first time; "" below 5 s or unknown.
std::string wait_text(const Workbench&, const Problem&);
/// "480 configs, about 3 min", "at most 1,204 configs, up to 8 min", "at most 1,204 configs, 60 s at most",
/// "480 configs; how long, the first trials tell"; "all were tried".
std::string text_of(const Estimate&);

}  // namespace attnscope::gui
