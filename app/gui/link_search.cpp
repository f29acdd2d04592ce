// A link's searches, on a thread of their own with the session of the link.
#include <algorithm>

#include "app/gui/link_core.hpp"
#include "engine/search/keep.hpp"
#include "engine/tune/search_space.hpp"

namespace attnscope::gui {
namespace {

/// A race of so many at the end.
constexpr size_t kFinalists = 5;
/// Refused configs of each variant whose reasons are kept for hovering.
constexpr uint64_t kKeptReasons = 20'000;
/// What is recalled comes by the thousand: so many a news.
constexpr size_t kTrialsANews = 512;
constexpr double kNewsEvery = 0.05;  ///< seconds between news of trials, else

/// Turns a search's events into news: configs into points, trials into batches.
class Teller {
 public:
  Teller(uint64_t id, const DeviceInfo& device, std::function<void(News)> post)
      : id_(id), device_(device), post_(std::move(post)) {}
  void began(const search::SearchBegan& began) {
    for (const search::Arm& arm : began.arms)
      spaces_.push_back(std::make_unique<tune::SearchSpace>(arm.variant, arm.parameters));
    post_(SearchNews{id_, SearchStarted{device_, began.arms}});
  }
  void trial(const std::string& variant, const Trial& trial, bool recalled) {
    const auto [arm, point] = place(variant, trial.config);
    if (!point) return;
    const std::lock_guard lock(mutex_);
    trials_.push_back({arm, *point, trial.median_ns, trial.outcome, trial.dropped, recalled,
                       uint32_t(trial.samples_ns.size()), trial.message, trial.settled});
    if (trials_.size() >= kTrialsANews || (!recalled && steady_seconds() - flushed_ >= kNewsEvery)) flush();
  }
  void planned(const std::string& variant, const SpaceBatch& batch) {
    Legality told;
    told.first = batch.first;
    told.next = batch.next;
    for (const Config& config : batch.legal) {
      const auto [arm, point] = place(variant, config);
      told.arm = arm;
      if (point) told.legal.push_back(*point);
    }
    for (const RefusedConfig& refused : batch.refused) {
      const auto [arm, point] = place(variant, refused.config);
      told.arm = arm;
      if (point) told.refused.emplace_back(*point, refused.why_not);
    }
    if (batch.legal.empty() && batch.refused.empty()) told.arm = arm_of(variant);
    post_(SearchNews{id_, std::move(told)});
  }
  void tick(const std::string& stage, const tune::TuneProgress& progress) {
    {
      const std::lock_guard lock(mutex_);
      flush();
    }
    post_(SearchNews{id_, SearchTick{stage, progress}});
  }
  void note(const std::string& text) { post_(SearchNews{id_, SearchNote{text}}); }
  void end() {
    const std::lock_guard lock(mutex_);
    flush();
  }

 private:
  uint32_t arm_of(const std::string& variant) const {
    const auto it =
        std::find_if(spaces_.begin(), spaces_.end(), [&](const auto& s) { return s->variant() == variant; });
    return uint32_t(it - spaces_.begin());
  }
  std::pair<uint32_t, std::optional<uint64_t>> place(const std::string& variant, const Config& config) const {
    const uint32_t arm = arm_of(variant);
    if (arm >= spaces_.size()) return {0, std::nullopt};
    return {arm, spaces_[arm]->point(config)};
  }
  void flush() {
    flushed_ = steady_seconds();
    if (!trials_.empty()) post_(SearchNews{id_, SearchTrials{std::exchange(trials_, {})}});
  }

  const uint64_t id_;
  const DeviceInfo& device_;
  const std::function<void(News)> post_;
  std::vector<std::unique_ptr<tune::SearchSpace>> spaces_;  ///< none changes once it is told of
  std::mutex mutex_;
  std::vector<SlimTrial> trials_;
  double flushed_ = 0;
};

Protocol protocol_of(const Modes& modes) {
  Protocol protocol;
  protocol.cache = modes.cache;
  protocol.launch = modes.launch;
  return protocol;
}

}  // namespace

void Link::Core::end_search(const std::string& why) {
  std::unique_lock lock(mutex);
  place.reset();
  if (search) {
    news.push_back(SearchNews{search->id, SearchEnded{why, {}}});
    search.reset();
  }
  if (!searching) return;
  search_ended_by = why;
  cancel_search = true;
  changed.wait(lock, [&] { return !searching; });
}

void Link::Core::ready_to_search() {
  const std::lock_guard lock(mutex);
  if (place) return;
  place = search::Place{session.get(), device, variants};
  changed.notify_all();
}

std::optional<tune::TunedMatch> Link::Core::tuned_for(const Problem& problem, const std::string& variant,
                                                      const Modes& modes) {
  bool old = false;
  {
    const std::lock_guard lock(mutex);
    old = std::exchange(tuned_old, false);
  }
  if (old) {
    tuned_told.reset();
    tables = search::load_tables(options.tuning.tuned, options.tuning.shipped);
    for (const auto* table : {&tables.user, &tables.shipped})
      for (const std::string& note : table->notes) post(SearchNews{0, SearchNote{note}});
  }
  const auto known =
      std::find_if(variants.begin(), variants.end(), [&](const VariantInfo& v) { return v.name == variant; });
  if (known == variants.end()) return std::nullopt;
  auto match =
      search::choose_tuned(*session, tables, {device, problem, variant, known->hash, modes.cache, modes.launch});
  // What was tuned for other problems is a guess: the defaults' neighbour, not their equal.
  if (match && match->how != tune::TunedMatch::How::exact) return std::nullopt;
  return match;
}

void Link::Core::look_up_tuned(const Wish& wish) {
  std::pair<Ask, Modes> of{{wish.ask->problem, wish.ask->variant, {}}, wish.modes};
  {
    const std::lock_guard lock(mutex);
    if (tuned_told == of && !tuned_old) return;
  }
  auto match = tuned_for(wish.ask->problem, wish.ask->variant, wish.modes);
  tuned_told = std::move(of);
  post(TunedKnown{wish.ask->problem, wish.ask->variant, wish.modes, std::move(match)});
}

void Link::Core::search_loop() {
  while (true) {
    std::optional<Search> next;
    std::optional<uint64_t> kept;
    search::Place where;
    std::shared_ptr<const std::vector<VariantSource>> of;
    {
      std::unique_lock lock(mutex);
      // A device does one thing at a time: what is sampled or measured now comes to its end first.
      const auto due = [&] { return place && ((search && (search->look_only || (!sampling && !in_job))) || keep); };
      changed.wait(lock, [&] { return quit || due(); });
      if (quit) return;
      where = *place;
      of = sources;
      if (search) {
        next = std::exchange(search, std::nullopt);
        searching = next;
        search_ended_by.clear();
        cancel_search = false;
      } else {
        kept = std::exchange(keep, std::nullopt);
      }
    }
    if (kept) {
      keep_found(*kept, *of);
    } else {
      run_search(*next, where);
    }
    const std::lock_guard lock(mutex);
    searching.reset();
    again = true;
    // What is sampled now may be what was kept: it is looked up once more, and sampling goes on.
    if (kept && !in_job) cancel = true;
    changed.notify_all();
  }
}

void Link::Core::run_search(const Search& wanted, const search::Place& where) {
  search::SearchRequest request;
  request.problem = wanted.problem;
  request.variants = wanted.variants;
  request.protocol = protocol_of(wanted.modes);
  request.strategy = wanted.strategy;
  request.budget = wanted.budget;
  request.narrow = wanted.narrow;
  request.look_only = wanted.look_only;
  request.fresh = wanted.fresh;
  request.finalists = kFinalists;
  request.keep_refused = kKeptReasons;
  request.journal =
      search::journal_in(options.tuning.trials, where.device, wanted.problem, request.protocol, request.seed);
  Teller teller(wanted.id, where.device, [this](News item) { post(std::move(item)); });
  search::SearchEvents events;
  events.began = [&](const search::SearchBegan& began) { teller.began(began); };
  events.note = [&](const std::string& text) { teller.note(text); };
  events.trial = [&](const std::string& variant, const Trial& trial, bool recalled) {
    teller.trial(variant, trial, recalled);
  };
  events.planned = [&](const std::string& variant, const SpaceBatch& batch) { teller.planned(variant, batch); };
  events.tick = [&](const std::string& stage, const tune::TuneProgress& progress) { teller.tick(stage, progress); };
  const search::TunedTables near = search::load_tables(options.tuning.tuned, options.tuning.shipped);
  Result<search::SearchOutcome> out = search::run_search(request, std::span(&where, 1), near, events, cancel_search);
  teller.end();
  SearchEnded ended;
  {
    const std::lock_guard lock(mutex);
    ended.error = search_ended_by;
  }
  if (out) {
    ended.outcome = std::make_shared<const search::SearchOutcome>(std::move(*out));
    last_search = {wanted.id, ended.outcome, where};
  } else if (ended.error.empty()) {
    ended.error = out.error().message;
  }
  post(SearchNews{wanted.id, std::move(ended)});
}

void Link::Core::keep_found(uint64_t id, const std::vector<VariantSource>& of) {
  SearchKept kept;
  if (!last_search.outcome || last_search.id != id) {
    kept.error = "That search is over.";
    return post(SearchNews{id, std::move(kept)});
  }
  kept.entries = search::tuned_entries(*last_search.outcome);
  search::add_passes(kept.entries, of, options.cache_dir, last_search.place.device);
  const auto notes = search::keep_tuned(options.tuning.tuned, kept.entries, std::span(&last_search.place, 1));
  if (!notes) kept.error = notes.error().message;
  if (notes)
    for (const std::string& note : *notes) post(SearchNews{id, SearchNote{note}});
  {
    const std::lock_guard lock(mutex);
    tuned_old = true;
  }
  post(SearchNews{id, std::move(kept)});
}

}  // namespace attnscope::gui
