// The workbench's verbs of searching, and what is told of searches.

#include "app/gui/model/labels.hpp"
#include "app/gui/workbench/workbench.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {

std::optional<Search> Workbench::begin(Search wanted, bool goes_on) {
  if (!device_state.device || !device_state.variants_known)
    return refuse("Nothing can be searched yet: the device is not open.");
  if (!job_text().empty() && busy()) return std::nullopt;
  wanted.id = next_search_++;
  wanted.problem = request.selection.problem;
  wanted.modes = request.modes;
  wanted.machine = device_state.machine;
  wanted.quiet = quiet();
  wanted.current = {request.selection.variant, request.selection.config};
  search.begin(wanted, now_, goes_on);
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
  if (!views.tuning.budget.empty()) wanted.budget = TRY(tune::parse_budget(views.tuning.budget));
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
  if (loadable(variant)) take_ask({search.asked().problem, variant, config}, search.asked().modes);
}

Selection Workbench::fastest_trial() const {
  const SlimTrial& trial = search.trials()[size_t(search.best())];
  return {search.asked().problem, search.arms()[trial.arm].arm.variant, search.config(trial)};
}

bool Workbench::can_accept() const {
  return !search.running() && search.outcome() && search.best() >= 0 && search_of_other().empty();
}

bool Workbench::take_best() {
  if (search.best() < 0) return false;
  const Selection best = fastest_trial();
  if (best != request.selection || !search_of_other().empty()) take(best.variant, best.config);
  return request.selection == best;
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
  }
  const std::string what = to_text(search.asked().problem);
  const std::string counts = search::counts_text(search.progress());
  const bool whole = ended->outcome && !ended->outcome->result.interrupted;
  const char* how = search.ended_by_budget() ? "ended with its budget" : whole ? "done" : "cancelled";
  if (!ended->error.empty())
    say(ended->outcome ? Level::warning : Level::error,
        fmt::format("The search of {} ended: {}{}", what, ended->error, ended->outcome ? " " + counts + "." : ""),
        "map");
  else
    say(whole ? Level::good : Level::info, fmt::format("Search {}. {} ({})", how, counts, what), "map");
}

}  // namespace attnscope::gui
