// The workbench's verbs of searching, and what is told of searches.
#include <ctime>

#include <fmt/format.h>

#include "app/gui/workbench.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {

std::optional<Search> Workbench::begin(Search search) {
  if (!known.device || !known.variants_known) {
    say(Level::warning, "Nothing can be searched yet: the device is not open.");
    return std::nullopt;
  }
  if (across.job.running) {
    say(Level::warning, "The pins are being measured: cancel that first, or wait for it.");
    return std::nullopt;
  }
  search.id = next_search_++;
  search.problem = asked.ask.problem;
  search.modes = asked.modes;
  searched.begin(search, now_);
  // What is drawn later in this very frame is of no variant that is gone.
  sweep_map.step(searched, asked.ask);
  return search;
}

std::optional<Search> Workbench::sweep_best() {
  sweep_map.choose_variant("");
  return begin({.variants = {}, .strategy = tune::StrategyKind::random, .narrow = true});
}

std::optional<Search> Workbench::sweep(const std::string& variant) {
  sweep_map.choose_variant(variant);
  return begin({.variants = {variant}, .strategy = tune::StrategyKind::random});
}

Result<std::optional<Search>> Workbench::tune() {
  Search search{.strategy = tuning.strategy};
  if (!tuning.budget.empty()) {
    const Result<tune::Budget> budget = tune::parse_budget(tuning.budget);
    if (!budget) return budget.error();
    search.budget = *budget;
  }
  if (!tuning.all_variants) search.variants = {asked.ask.variant};
  sweep_map.choose_variant("");
  return begin(std::move(search));
}

std::optional<Search> Workbench::look_back() {
  if (!known.device || !known.variants_known || searched.running() || across.job.running) return std::nullopt;
  const std::string of =
      fmt::format("{}|{}|{}|{}|{}|{}", known.device->name, known.device->driver, sources_, to_text(asked.ask.problem),
                  to_text(asked.modes.cache), to_text(asked.modes.launch));
  if (looked_ == of) return std::nullopt;
  looked_ = of;
  // The one shown is of just this.
  if (searched.known() && search_of_other().empty()) return std::nullopt;
  return begin({.look_only = true});
}

std::string Workbench::search_of_other() const {
  if (!searched.known() || !known.device) return "";
  const Search& s = searched.asked();
  if (searched.device().name != known.device->name || searched.device().driver != known.device->driver)
    return "another device, " + searched.device().name;
  if (s.problem != asked.ask.problem) return "another problem, " + to_text(s.problem);
  if (s.modes != asked.modes) return fmt::format("{}, {}", to_text(s.modes.cache), to_text(s.modes.launch));
  for (const Searched::Arm& arm : searched.arms())
    if (const VariantInfo* v = known.variant(arm.arm.variant); v && v->hash != arm.arm.hash && !arm.trials.empty())
      return fmt::format("an earlier version of {}", v->name);
  return "";
}

void Workbench::take(const std::string& variant, const Config& config) {
  if (!known.variant(variant)) return say(Level::warning, fmt::format("There is no variant '{}' now.", variant));
  take_ask({searched.asked().problem, variant, config}, searched.asked().modes);
}

const Record* Workbench::race_winner() const {
  const search::SearchOutcome* out = searched.outcome();
  return out && out->result.winner ? &*out->result.winner : nullptr;
}

bool Workbench::can_accept() const {
  return !searched.running() && searched.outcome() && searched.best() >= 0 && search_of_other().empty();
}

void Workbench::accept() {
  if (can_accept()) take_best();
}

bool Workbench::take_best() {
  if (const Record* winner = race_winner()) {
    take(winner->variant, winner->config);
    return true;
  }
  if (searched.best() < 0) return false;
  const SlimTrial& best = searched.trials()[size_t(searched.best())];
  take(searched.arms()[best.arm].arm.variant, searched.config(best));
  return true;
}

const tune::TunedMatch* Workbench::tuned() const {
  const bool of_this = tuned_ && tuned_->match && tuned_->problem == asked.ask.problem &&
                       tuned_->variant == asked.ask.variant && tuned_->modes == asked.modes;
  return of_this ? &*tuned_->match : nullptr;
}

std::string Workbench::tuned_caption() const {
  const tune::TunedMatch* match = tuned();
  return match && match->entry.config == asked.ask.config ? provenance(*match, int64_t(std::time(nullptr))) : "";
}

void Workbench::on(const TunedKnown& news) { tuned_ = news; }

void Workbench::on(const SearchNews& news) {
  const bool measuring = searched.measuring();
  searched.apply(news, now_);
  for (const std::string& alarm : searched.take_alarms()) say(Level::warning, alarm);
  if (news.id != searched.asked().id) return;
  if (const auto* kept = std::get_if<SearchKept>(&news.what); kept && kept->error.empty() && !kept->entries.empty()) {
    const tune::TunedEntry& best = kept->entries.front();
    say(Level::good,
        fmt::format("Kept for this device: {} {} for {}, {}.", best.variant, attnscope::to_text(best.config),
                    to_text(best.problem), gui::time_text(best.median_ns)),
        "tuning");
  }
  const auto* ended = std::get_if<SearchEnded>(&news.what);
  if (!ended || !measuring) return;
  const std::string what = to_text(searched.asked().problem);
  const std::string counts = search::counts_text(searched.progress());
  if (!ended->error.empty())
    say(ended->outcome ? Level::warning : Level::error,
        fmt::format("The search of {} ended: {} {}.", what, ended->error, ended->outcome ? counts : ""), "map");
  else
    say(Level::good,
        fmt::format("The search of {} {}: {}.", what,
                    ended->outcome && !ended->outcome->result.interrupted ? "is done" : "was cancelled", counts),
        "map");
}

}  // namespace attnscope::gui
