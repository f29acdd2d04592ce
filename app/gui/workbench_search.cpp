// The workbench's verbs of searching, and what is told of searches.
#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "app/gui/state/labels.hpp"
#include "app/gui/workbench.hpp"
#include "engine/record/same_device.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {

namespace {

constexpr uint64_t kEnoughToTell = 8;    ///< trials before it is told how long a search takes
constexpr double kLongSearch = 10 * 60;  ///< s: nobody waits for it unasked

}  // namespace

std::optional<Search> Workbench::begin(Search search) {
  if (!known.device || !known.variants_known) {
    say(Level::warning, "Nothing can be searched yet: the device is not open.");
    return std::nullopt;
  }
  if (across.job.running) {
    say(Level::warning, "The pins are being measured: cancel that first, or wait for it.");
    return std::nullopt;
  }
  if (best_race_.running) {
    say(Level::warning, "The best is being raced against what is shown: that takes a moment.");
    return std::nullopt;
  }
  search.id = next_search_++;
  search.problem = asked.ask.problem;
  search.modes = asked.modes;
  search.machine = known.machine;
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
  if (!known.device || !known.variants_known || searched.running() || across.job.running || best_race_.running)
    return std::nullopt;
  const std::string of =
      fmt::format("{}|{}|{}|{}|{}|{}", device_key(*known.device), known.machine, sources_, to_text(asked.ask.problem),
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
  // A software device is the same as one of another machine by all that it tells.
  if (!same_device(searched.device(), *known.device) || s.machine != known.machine)
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

std::optional<Job> Workbench::take_best(bool keep) {
  if (best_race_.running || before_after_.running || searched.best() < 0) return std::nullopt;
  const SlimTrial& trial = searched.trials()[size_t(searched.best())];
  Ask best{searched.asked().problem, searched.arms()[trial.arm].arm.variant, searched.config(trial)};
  double best_ns = trial.median_ns;
  if (const Record* winner = race_winner()) {
    best.variant = winner->variant;
    best.config = winner->config;
    best_ns = winner->statistics->median;
  }
  const VariantInfo* v = known.variant(best.variant);
  if (!v || !v->error.empty()) {
    say(Level::warning, fmt::format("There is no variant '{}' now{}.", best.variant, v ? " that loads" : ""));
    return std::nullopt;
  }
  const Live* live = timed();
  if (best == asked.ask && search_of_other().empty()) {
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
  BestRace& race = best_race_ = {};
  race.keep = keep;
  race.shown = asked.ask;
  race.best = best;
  race.modes = asked.modes;
  race.device = *known.device;
  race.machine = known.machine;
  const Record shown_record = record_of_asked();
  Record best_record = shown_record;
  best_record.variant = best.variant;
  best_record.config = best.config;
  const Record* both[] = {&shown_record, &best_record};
  const auto names = labels_of(both, known);
  race.shown_name = names[0];
  race.best_name = names[1];
  // The search's own race had both, turn by turn.
  if (const search::SearchOutcome* out = searched.outcome(); out && out->result.winner && out->result.baseline) {
    const Record& b = *out->result.baseline;
    if (b.variant == asked.ask.variant && b.config == asked.ask.config && !out->result.words.empty()) {
      race.word = out->result.words.front();
      race.shown_ns = b.statistics->median;
      race.best_ns = best_ns;
      settle_best();
      return std::nullopt;
    }
  }
  race.job = next_job_++;
  race.running = true;
  race.stage = "start";
  Job job{.id = race.job, .items = {}, .quiet = quiet()};
  job.rivals = Job::Rivals{race.shown, race.best, race.modes, std::max(best_ns, live->series.statistics()->median)};
  say(Level::info, fmt::format("Racing {} against what is shown, {}.", race.best_name, race.shown_name));
  return job;
}

void Workbench::on(const RivalsRaced& news) {
  if (news.job != best_race_.job || !best_race_.running) return;
  best_race_.stage = news.stage;
  if (!news.stage.empty()) return;
  best_race_.running = false;
  best_race_.error = news.error;
  if (news.race && !same_device(news.race->records[0].environment.device, best_race_.device)) {
    best_race_.error = "Another device was opened before the race began.";
  } else if (news.race) {
    const Record &shown = news.race->records[0], &best = news.race->records[1];
    tried.note(shown);
    tried.note(best);
    best_race_.word = word_of_race(shown, news.race->turns[0].samples, best, news.race->turns[1].samples);
    if (shown.statistics) best_race_.shown_ns = shown.statistics->median;
    if (best.statistics) best_race_.best_ns = best.statistics->median;
  }
  settle_best();
}

void Workbench::settle_best() {
  const BestRace& race = best_race_;
  const auto verdict = race.verdict();
  if (!verdict) return say(Level::warning, word_text(race) + " Nothing was changed.", "map");
  // Who went on meanwhile is not called back.
  const bool here = known.device && same_device(*known.device, race.device) && known.machine == race.machine;
  const bool stands = here && asked.ask == race.shown && asked.modes == race.modes;
  const bool keep = race.keep && *verdict != BestRace::Verdict::stay && searched.asked().problem == race.best.problem;
  const std::string kept = !race.keep ? ""
                           : !keep    ? " Nothing was remembered."
                           : here     ? " It is remembered as the default here."
                                      : fmt::format(" It is remembered as the default of {}.", race.device.name);
  wants_keep_ |= keep;
  switch (*verdict) {
    case BestRace::Verdict::take:
      say(Level::good,
          word_text(race) + "." +
              (stands ? race.keep ? "" : " It is shown now; the default stays."
                      : " Something else is shown by now: it stays.") +
              kept,
          "map");
      if (stands) take_ask(race.best, race.modes);
      return;
    case BestRace::Verdict::equal:
      return say(Level::info, "What is shown is as fast, and stays: " + word_text(race) + "." + kept, "map");
    case BestRace::Verdict::stay: break;
  }
  say(Level::warning,
      fmt::format("{}{}.{}",
                  race.word->relation == Relation::slower ? "What is shown is faster, and stays: "
                                                          : "Nobody can tell; what is shown stays: ",
                  word_text(race), kept),
      "map");
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

void Workbench::tell_long_search() {
  const tune::TuneProgress& p = searched.progress();
  if (!searched.measuring() || !searched.known() || searched.asked().budget.seconds > 0 ||
      told_long_ == searched.asked().id || p.tried - p.recalled < kEnoughToTell)
    return;
  told_long_ = searched.asked().id;
  const double left = search::seconds_left(p, searched.seconds(now_), 0);
  if (left < kLongSearch) return;
  const std::string time =
      left < 5400 ? fmt::format("{:.0f} minutes", left / 60) : fmt::format("{:.1f} hours", left / 3600);
  say(Level::info,
      fmt::format("All {} configs of this map take about {}. The best so far can be shown at any time; Tuning finds a "
                  "good one within a budget that is given.",
                  p.goal, time),
      "tuning");
}

void Workbench::on(const SearchNews& news) {
  const bool measuring = searched.measuring();
  searched.apply(news, now_);
  for (const std::string& alarm : searched.take_alarms()) say(Level::warning, alarm);
  if (news.id != searched.asked().id) return;
  if (const auto* kept = std::get_if<SearchKept>(&news.what); kept && kept->error.empty() && !kept->entries.empty()) {
    const tune::TunedEntry& best = kept->entries.front();
    const bool here = known.device && same_device(*known.device, searched.device());
    say(Level::good,
        fmt::format("Remembered for {}: {} {} for {}, {}.", here ? "this device" : best.device, best.variant,
                    attnscope::to_text(best.config), to_text(best.problem), gui::time_text(best.median_ns)),
        "tuning");
  }
  tell_long_search();
  const auto* ended = std::get_if<SearchEnded>(&news.what);
  if (!ended || !measuring) return;
  // The next search takes the place of this one; what raced was measured whole, and is a run like any other.
  if (ended->outcome) {
    if (ended->outcome->result.baseline) tried.note(*ended->outcome->result.baseline);
    for (const Record& r : ended->outcome->result.raced) tried.note(r);
  }
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
