// The workbench's verbs of searching, and what is told of searches.

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

namespace {
constexpr const char* kEarlierVersion = "an earlier version of ";
}  // namespace

std::optional<Search> Workbench::begin(Search wanted, bool goes_on) {
  if (!device_state.device || !device_state.variants_known)
    return messages.refuse("Nothing can be searched yet: the device is not open.");
  if (!jobs.text().empty() && busy()) return std::nullopt;
  wanted.id = next_search_++;
  wanted.problem = request.selection.problem;
  wanted.modes = request.modes;
  wanted.machine = device_state.machine;
  wanted.quiet = quiet();
  wanted.current = {request.selection.variant, request.selection.config};
  search.begin(wanted, messages.now, goes_on);
  // What is drawn later in this very frame is of no variant that is gone.
  views.sweep.step(search, request.selection);
  return wanted;
}

std::optional<Search> Workbench::sweep_best() {
  // One that was stopped, or has spent its budget, goes on as it was asked for.
  if ((search.stopped() || search.ended_by_budget()) && search_of_other().empty()) {
    Search again = search.asked();
    if (!search.stopped()) again.budget = kSearchBudget;
    return begin(std::move(again), true);
  }
  views.sweep.choose_variant("");
  return begin({.variants = {}, .strategy = tune::StrategyKind::random, .budget = kSearchBudget, .narrow = true});
}

Result<std::optional<Search>> Workbench::tune() {
  Search wanted{.strategy = views.tuning.strategy};
  wanted.budget = TRY(views.tuning.limit());
  if (!views.tuning.all_variants) wanted.variants = {request.selection.variant};
  views.sweep.choose_variant("");
  return begin(std::move(wanted));
}

std::optional<Search> Workbench::look_back() {
  if (!device_state.device || !device_state.variants_known || search.running() || jobs.now.running) return std::nullopt;
  const std::string of =
      fmt::format("{}|{}|{}|{}|{}|{}", device_key(*device_state.device), device_state.machine, sources_,
                  to_text(request.selection.problem), to_text(request.modes.cache), to_text(request.modes.launch));
  if (looked_ == of) return std::nullopt;
  looked_ = of;
  const std::string other = search_of_other();
  // One of shaders that changed since stays, said to be that, until another begins.
  if (search.known() && (other.empty() || other.starts_with(kEarlierVersion))) return std::nullopt;
  return begin({.look_only = true});
}

std::string Workbench::search_of_other() const {
  if (!search.known() || !device_state.device) return "";
  const Search& s = search.asked();
  // A software device is the same as one of another machine by all that it tells.
  if (!same_device(search.device(), *device_state.device) || s.machine != device_state.machine)
    return "another device, " + search.device().name;
  if (s.problem != request.selection.problem) return "another problem, " + to_text(s.problem);
  if (s.modes != request.modes) return fmt::format("{}, {}", to_text(s.modes.cache), to_text(s.modes.launch));
  for (const SearchState::Arm& arm : search.arms())
    if (const VariantInfo* v = device_state.variant(arm.arm.variant);
        v && v->hash != arm.arm.hash && !arm.trials.empty())
      return fmt::format("{}{}", kEarlierVersion, v->name);
  return "";
}

bool Workbench::take_best() {
  if (search.best() < 0) return false;
  const Selection best = search.fastest();
  if (best != request.selection || !search_of_other().empty()) take(best.variant, best.config);
  return request.selection == best;
}

void Workbench::on(const SearchEvent& news) {
  const bool measuring = search.measuring();
  search.apply(news, messages.now);
  for (const std::string& alarm : search.take_alarms()) messages.say(Level::warning, alarm);
  if (news.id != search.asked().id) return;
  if (const auto* kept = std::get_if<SearchKept>(&news.what); kept && kept->error.empty() && !kept->entries.empty()) {
    const tune::TunedEntry& best = kept->entries.front();
    const bool here = device_state.device && same_device(*device_state.device, search.device());
    messages.say(
        Level::good,
        fmt::format("Saved as the default for {}: {} for {}, {}.", here ? "this device" : best.device,
                    short_name(best.variant, best.config), to_text(best.problem), gui::time_text(best.median_ns)),
        "tuning");
  }
  const auto* ended = std::get_if<SearchEnded>(&news.what);
  if (!ended || !measuring) return;
  // The next search takes the place of this one; what raced was measured whole, and is a run like any other.
  if (ended->outcome) {
    if (ended->outcome->result.baseline) log.note(*ended->outcome->result.baseline);
    for (const Record& r : ended->outcome->result.raced) log.note(r);
    if (const RaceResult& race = ended->outcome->result.race; !race.records.empty()) live.comparisons.take(race);
  }
  const std::string what = to_text(search.asked().problem);
  const std::string counts = search::counts_text(search.progress());
  const bool whole = ended->outcome && !ended->outcome->result.interrupted;
  const char* how = search.ended_by_budget() ? "ended with its budget" : whole ? "done" : "cancelled";
  if (!ended->error.empty())
    messages.say(
        ended->outcome ? Level::warning : Level::error,
        fmt::format("The search of {} ended: {}{}", what, ended->error, ended->outcome ? " " + counts + "." : ""),
        "map");
  else
    messages.say(whole ? Level::good : Level::info, fmt::format("Search {}. {} ({})", how, counts, what), "map");
}

namespace {

/// Where no search has told yet: executions of a trial (verdict, warm-up, samples, one more), seconds of the rest.
constexpr double kExecutions = 9, kAround = 0.05;

/// The search that is shown, when it is of just what is asked.
const SearchState* search_of_asked(const Workbench& bench) {
  return bench.search.known() && bench.search_of_other().empty() ? &bench.search : nullptr;
}

double seconds_each(const Workbench& bench) {
  if (const SearchState* s = search_of_asked(bench); s && s->trial_seconds() > 0) return s->trial_seconds();
  const Live* run = bench.live.timed();
  // Where nobody knows how long compiling takes, it may be nearly all of a trial.
  if (!run || !run->resources || !run->resources->compile_ms) return 0;
  return kExecutions * run->series.statistics()->median / 1e9 + *run->resources->compile_ms / 1e3 + kAround;
}

void add(Estimate& e, const Workbench& bench, const std::string& variant) {
  uint64_t size = 1, tried = 0;
  const SearchState* s = search_of_asked(bench);
  if (const size_t at = s ? s->arm_of(variant) : 0; s && at < s->arms().size()) {
    const SearchState::Arm& arm = s->arms()[at];
    if (arm.space->complete()) {
      e.configs += arm.space->open_legal();
      return;
    }
    // What the engine found when it looked at just what is asked.
    using Looked = search::SearchEstimate::Arm;
    if (const Looked* looked =
            s->outcome() ? find_by(s->outcome()->estimate.arms, variant, &Looked::variant) : nullptr) {
      e.configs += looked->configs;
      e.about |= looked->about;
      return;
    }
    size = arm.space->size();
    tried = arm.trials.size();
  } else if (const VariantInfo* v = bench.device_state.variant(variant)) {
    for (const Parameter& p : v->parameters) size *= std::max<size_t>(1, p.values.size());
  } else {
    return;
  }
  e.configs += size - std::min(size, tried);
  e.at_most = true;
}

bool competes(const Workbench& bench, const VariantInfo& v) {
  return bench.device_state.why_not(v, to_text(bench.request.selection.problem)).text.empty();
}

void limit(Estimate& e, const Workbench& bench, const tune::Budget& budget) {
  if (budget.trials > 0) {
    const SearchState* s = search_of_asked(bench);
    const uint64_t done = s ? s->progress().tried - s->progress().refused : 0;
    const uint64_t left = budget.trials - std::min(budget.trials, done);
    e.at_most &= e.configs <= left;
    e.configs = std::min(e.configs, left);
  }
  const double each = seconds_each(bench);
  if (each > 0) e.seconds = each * double(e.configs);
  if (budget.seconds > 0 && e.configs > 0 && (each <= 0 || e.seconds > budget.seconds)) e.within = budget.seconds;
}

}  // namespace

Estimate estimate_of(const Workbench& bench, const std::string& variant, const tune::Budget& budget) {
  Estimate e;
  add(e, bench, variant);
  limit(e, bench, budget);
  return e;
}

Estimate estimate_of_sweep(const Workbench& bench, const tune::Budget& budget) {
  Estimate e;
  for (const VariantInfo& v : bench.device_state.variants)
    if (competes(bench, v)) add(e, bench, v.name);
  limit(e, bench, budget);
  return e;
}

Result<Estimate> estimate_of_tuning(const Workbench& bench) {
  const TuningForm& form = bench.views.tuning;
  const tune::Budget budget = TRY(form.limit());
  return form.all_variants ? estimate_of_sweep(bench, budget)
                           : estimate_of(bench, bench.request.selection.variant, budget);
}

namespace {
constexpr double kWorthTelling = 5;  ///< seconds
double seconds_worth_telling(double seconds) { return seconds < kWorthTelling ? 0 : seconds; }
}  // namespace

double first_sample_seconds(const Workbench& bench, const Problem& problem) {
  // The verdict's execution, one to warm up, and the first sample.
  constexpr double kFirst = 3;
  constexpr size_t kEnough = 1000;  // it is asked for in each frame, of many problems
  if (const Live* run = bench.live.shown();
      run && run->began && run->began->predicted && run->began->problem == problem && !run->timed())
    return seconds_worth_telling(kFirst * run->began->predicted->ns / 1e9);
  // Another variant's rate tells nothing.
  double ns_per_flop = 0;
  if (const Live* run = bench.live.timed(); run && bench.live.work().flops > 0)
    ns_per_flop = run->series.statistics()->median / bench.live.work().flops;
  else if (const auto [r, samples] = bench.live.before();
           r && !samples.empty() && r->flops > 0 && r->variant == bench.request.selection.variant)
    ns_per_flop = median_of(samples.last(std::min(samples.size(), kEnough))) / r->flops;
  return seconds_worth_telling(kFirst * ns_per_flop * problem_flops(problem) / 1e9);
}

std::string first_sample_text(const Workbench& bench) {
  const double expected = first_sample_seconds(bench, bench.request.selection.problem), so_far = bench.waited();
  if (expected == 0) return so_far < kWorthTelling ? "" : fmt::format("Waits for {}. ", span_text(so_far));
  if (so_far < expected) return fmt::format("First sample in about {}. ", span_text(expected - so_far));
  return fmt::format("Taking longer than the expected {}: {} so far. ", span_text(expected), span_text(so_far));
}

std::string wait_text(const Workbench& bench, const Problem& problem) {
  const double seconds = first_sample_seconds(bench, problem);
  return seconds == 0 ? "" : "about " + span_text(seconds);
}

std::string text_of(const Estimate& e) {
  if (e.configs == 0) return "all were tried";
  const std::string count = (e.about ? "about " : e.at_most ? "at most " : "") + counted(e.configs, "config");
  if (e.within > 0) return fmt::format("{}, up to {}", count, span_text(e.within));
  if (e.seconds < 0) return count + "; how long, the first trials tell";
  return fmt::format("{}, {} {}", count, e.at_most ? "up to" : "about", span_text(e.seconds));
}

}  // namespace attnscope::gui
