// The workbench's verbs of searching, and what is told of searches.
#include <algorithm>

#include "app/gui/model/labels.hpp"
#include "app/gui/workbench/workbench.hpp"
#include "engine/record/same_device.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {

std::optional<Search> Workbench::begin(Search wanted, bool goes_on) {
  if (!device_state.device || !device_state.variants_known) {
    say(Level::warning, "Nothing can be searched yet: the device is not open.");
    return std::nullopt;
  }
  if (!job_text().empty() && busy()) return std::nullopt;
  wanted.id = next_search_++;
  wanted.problem = request.selection.problem;
  wanted.modes = request.modes;
  wanted.machine = device_state.machine;
  search.begin(wanted, now_, goes_on);
  // What is drawn later in this very frame is of no variant that is gone.
  views.sweep.step(search, request.selection);
  return wanted;
}

std::optional<Search> Workbench::sweep_best() {
  views.sweep.choose_variant("");
  return begin({.variants = {}, .strategy = tune::StrategyKind::random, .budget = kSearchBudget, .narrow = true});
}

std::optional<Search> Workbench::sweep(const std::string& variant) {
  views.sweep.choose_variant(variant);
  return begin({.variants = {variant}, .strategy = tune::StrategyKind::random, .budget = kSearchBudget});
}

std::optional<Search> Workbench::keep_going() {
  if (!can_keep_going()) return std::nullopt;
  Search wanted = search.asked();
  wanted.budget = {};
  return begin(std::move(wanted), true);
}

Result<std::optional<Search>> Workbench::tune() {
  Search wanted{.strategy = views.tuning.strategy};
  if (!views.tuning.budget.empty()) {
    wanted.budget = TRY(tune::parse_budget(views.tuning.budget));
  }
  if (!views.tuning.all_variants) wanted.variants = {request.selection.variant};
  views.sweep.choose_variant("");
  return begin(std::move(wanted));
}

std::optional<Search> Workbench::look_back() {
  if (!device_state.device || !device_state.variants_known || search.running() || jobs.now.running ||
      best_race_.running)
    return std::nullopt;
  const std::string of =
      fmt::format("{}|{}|{}|{}|{}|{}", device_key(*device_state.device), device_state.machine, sources_,
                  to_text(request.selection.problem), to_text(request.modes.cache), to_text(request.modes.launch));
  if (looked_ == of) return std::nullopt;
  looked_ = of;
  if (search.known() && search_of_other().empty()) return std::nullopt;
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
      return fmt::format("an earlier version of {}", v->name);
  return "";
}

void Workbench::take(const std::string& variant, const Config& config) {
  if (!device_state.variant(variant)) return say(Level::warning, fmt::format("There is no variant '{}' now.", variant));
  take_ask({search.asked().problem, variant, config}, search.asked().modes);
}

Selection Workbench::fastest_trial() const {
  const SlimTrial& trial = search.trials()[size_t(search.best())];
  return {search.asked().problem, search.arms()[trial.arm].arm.variant, search.config(trial)};
}

bool Workbench::can_accept() const {
  return !search.running() && search.outcome() && search.best() >= 0 && search_of_other().empty();
}

std::optional<Job> Workbench::take_best(bool keep) {
  if (best_race_.running || versions_race_.running || search.best() < 0) return std::nullopt;
  const Selection best = fastest_trial();
  const double best_ns = search.trials()[size_t(search.best())].median_ns;
  const VariantInfo* v = device_state.variant(best.variant);
  if (!v || !v->error.empty()) {
    say(Level::warning, fmt::format("There is no variant '{}' now{}.", best.variant, v ? " that loads" : ""));
    return std::nullopt;
  }
  const Live* live = timed();
  if (best == request.selection && search_of_other().empty()) {
    say(Level::info, "What is shown is the best of the search already.", "map");
    wants_keep_ |= keep;
    return std::nullopt;
  }
  if (!live || !search_of_other().empty()) {
    wants_keep_ |= keep;
    take(best.variant, best.config);
    if (!keep) say(Level::info, "The best of the search is shown now; the default stays.", "map");
    return std::nullopt;
  }
  RaceState& race = best_race_ = race_of(request.selection, best);
  race.keep = keep;
  const Record shown_record = record_of_asked();
  Record best_record = shown_record;
  best_record.variant = best.variant;
  best_record.config = best.config;
  const Record* both[] = {&shown_record, &best_record};
  const auto names = labels_of(both, device_state);
  race.first_name = names[0];
  race.second_name = names[1];
  if (const search::SearchOutcome* out = search.outcome(); out && out->result.winner && out->result.baseline) {
    const Record& b = *out->result.baseline;
    if (b.variant == request.selection.variant && b.config == request.selection.config && !out->result.words.empty()) {
      race.row = row_of(b, *out->result.winner);
      race.row->comparison = out->result.words.front();
      settle_best();
      return std::nullopt;
    }
  }
  say(Level::info, fmt::format("Racing {} against what is shown, {}.", race.second_name, race.first_name));
  return begin_race(race, std::max(best_ns, live->series.statistics()->median));
}

void Workbench::settle_best() {
  const RaceState& race = best_race_;
  const std::string text = race_text(race);
  if (!race.row || !race.no_time().empty()) return say(Level::warning, text + " Nothing was changed.", "map");
  // Who went on meanwhile is not called back.
  const bool here =
      device_state.device && same_device(*device_state.device, race.device) && device_state.machine == race.machine;
  const bool stands = here && request.selection == race.first && request.modes == race.modes;
  const Relation relation = race.row->comparison.relation;
  const bool faster = relation == Relation::faster, slower = relation == Relation::slower;
  const bool keep =
      race.keep && (faster || relation == Relation::same) && search.asked().problem == race.second.problem;
  const std::string kept = !race.keep ? ""
                           : !keep    ? " Nothing was saved."
                           : here     ? " It is saved as the default here."
                                      : fmt::format(" It is saved as the default of {}.", race.device.name);
  wants_keep_ |= keep;
  if (faster) {
    const char* what = !stands ? " Something else is shown by now: it stays."
                       : keep  ? ""
                               : " It is shown now; the default stays.";
    say(Level::good, text + "." + what + kept, "map");
    if (stands) take_ask(race.second, race.modes);
    return;
  }
  const char* what = relation == Relation::same ? "The current config is as fast and was kept: "
                     : slower                   ? "The current config is faster and was kept: "
                                                : "Too close to call; kept the current config: ";
  say(relation == Relation::same ? Level::info : Level::warning, what + text + "." + kept, "map");
}

const tune::TunedMatch* Workbench::tuned() const {
  const bool of_this = tuned_ && tuned_->match && tuned_->problem == request.selection.problem &&
                       tuned_->variant == request.selection.variant && tuned_->modes == request.modes;
  return of_this ? &*tuned_->match : nullptr;
}

std::string Workbench::tuned_caption() const {
  const tune::TunedMatch* match = tuned();
  return match && match->entry.config == request.selection.config ? provenance(*match, std::time(nullptr)) : "";
}

void Workbench::on(const TunedKnown& news) { tuned_ = news; }

void Workbench::on(const SearchNews& news) {
  const bool measuring = search.measuring();
  search.apply(news, now_);
  for (const std::string& alarm : search.take_alarms()) say(Level::warning, alarm);
  if (news.id != search.asked().id) return;
  if (const auto* kept = std::get_if<SearchKept>(&news.what); kept && kept->error.empty() && !kept->entries.empty()) {
    const tune::TunedEntry& best = kept->entries.front();
    const bool here = device_state.device && same_device(*device_state.device, search.device());
    say(Level::good,
        fmt::format("Saved as the default for {}: {} {} for {}, {}.", here ? "this device" : best.device, best.variant,
                    attnscope::to_text(best.config), to_text(best.problem), gui::time_text(best.median_ns)),
        "tuning");
  }
  const auto* ended = std::get_if<SearchEnded>(&news.what);
  if (!ended || !measuring) return;
  // The next search takes the place of this one; what raced was measured whole, and is a run like any other.
  if (ended->outcome) {
    if (ended->outcome->result.baseline) log.note(*ended->outcome->result.baseline);
    for (const Record& r : ended->outcome->result.raced) log.note(r);
  }
  const std::string what = to_text(search.asked().problem);
  const std::string counts = search::counts_text(search.progress());
  if (!ended->error.empty())
    say(ended->outcome ? Level::warning : Level::error,
        fmt::format("The search of {} ended: {} {}.", what, ended->error, ended->outcome ? counts : ""), "map");
  else
    say(Level::good,
        fmt::format("The search of {} {}: {}.{}", what,
                    search.ended_by_budget()                                ? "came to the end of its budget"
                    : ended->outcome && !ended->outcome->result.interrupted ? "is done"
                                                                            : "was cancelled",
                    counts, search.ended_by_budget() ? " Keep going tries the others." : ""),
        "map");
}

}  // namespace attnscope::gui
