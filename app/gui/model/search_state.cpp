#include "app/gui/model/search_state.hpp"

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {

SearchState::Arm::Arm(search::Arm a) : arm(std::move(a)), space(std::make_unique<tune::SearchSpace>(arm.parameters)) {}

namespace {

constexpr uint64_t kEnoughTrials = 5;  ///< that a search made, before it says how long one takes

double seconds_each(const tune::TuneProgress& p) {
  return p.spent.done < kEnoughTrials ? 0 : p.spent.wall_ms / 1e3 / double(p.spent.done);
}

}  // namespace

void SearchState::begin(const Search& search, double now, bool goes_on) {
  if (search.problem != asked_.problem || search.modes != asked_.modes || search.machine != asked_.machine)
    trial_s_ = 0;
  asked_ = search;
  started_ = kept_ = false;
  running_ = true;
  stage_ = error_ = {};
  began_at_ = ended_at_ = now;
  arms_.clear();
  trials_.clear();
  progress_ = {};
  outcome_.reset();
  if (!goes_on) raced_.clear();
  best_ = -1;
  lost_.clear();
  ++rewritten_;
}

void SearchState::on(const SearchStarted& started, double) {
  started_ = true;
  device_ = started.device;
  model_ = started.predicted.model;
  for (const search::Arm& a : started.arms) {
    Arm& arm = arms_.emplace_back(a);
    for (const tune::Prediction& p : started.predicted.all)
      if (const auto point = p.variant == a.variant && !p.older ? arm.space->point(p.config) : std::nullopt)
        arm.predicted.emplace_back(*point, 1e3 * p.us);
  }
}

bool SearchState::held(SlimTrial& t) const {
  if (t.outcome != Outcome::measured || t.median_ns <= 0) return false;
  for (const Record& r : raced_)
    if (r.variant == arms_[t.arm].arm.variant && r.statistics && r.config == config(t)) {
      t.median_ns = r.statistics->median;
      return true;
    }
  if (t.dropped) return false;
  return raced_.empty() || (running_ && !t.recalled) || t.median_ns > raced_.front().statistics->median;
}

void SearchState::on(const SearchTrial& told, double) {
  const size_t of = arm_of(told.variant);
  if (of == arms_.size()) return;
  Arm& arm = arms_[of];
  const Trial& t = told.trial;
  const auto point = arm.space->point(t.config);
  if (!point) return;
  const auto number = uint32_t(trials_.size());
  const auto [known, fresh] = arm.newest_.try_emplace(*point, number);
  // What was dropped was judged once, and is known to be slower than the best: no more.
  const double ns = t.dropped ? INFINITY : t.median_ns;
  trials_.push_back(
      {uint32_t(of), *point, ns, t.outcome, t.dropped, told.recalled, t.settled, told.samples, t.message, ns});
  arm.trials.push_back(number);
  arm.space->set_proposed(*point);
  if (t.outcome == Outcome::error && !told.recalled) {
    if (++lost_[tune::without_numbers(t.message)] == 1)
      alarms_.push_back(fmt::format("The search lost {} {}: {} It goes on with the others.", arm.arm.variant,
                                    attnscope::to_text(t.config), t.message));
  }
  arm.timed += trials_.back().timed();
  if (fresh) return consider(number);
  // What it was is void, and may have been the best.
  SlimTrial& before = trials_[known->second];
  arm.timed -= before.timed();
  before.outcome = Outcome::cancelled;
  before.median_ns = 0;
  known->second = number;
  ++rewritten_;
  find_best();
}

void SearchState::consider(uint32_t number) {
  SlimTrial& t = trials_[number];
  Arm& arm = arms_[t.arm];
  if (!held(t) || (arm.best >= 0 && t.median_ns >= trials_[size_t(arm.best)].median_ns)) return;
  arm.best = number;
  arm.steps.push_back({number, t.median_ns});
  if (best_ < 0 || t.median_ns < trials_[size_t(best_)].median_ns) best_ = number;
}

void SearchState::find_best() {
  best_ = -1;
  for (Arm& arm : arms_) {
    arm.best = -1;
    arm.steps.clear();
  }
  for (uint32_t number = 0; number < trials_.size(); ++number) consider(number);
}

void SearchState::on(const SpacePlanned& told, double) {
  const size_t of = arm_of(told.variant);
  if (of == arms_.size()) return;
  Arm& arm = arms_[of];
  const SpaceBatch& batch = told.batch;
  // A stretch planned before is soon told from others. Those of a sampled space overlap; points drawn are no stretch.
  if (batch.next > batch.first) {
    const auto known = arm.decided_.find(batch.first);
    if (known != arm.decided_.end() && known->second >= batch.next) return;
    arm.decided_[batch.first] = batch.next;
  }
  arm.space->add_legal(batch.legal);
  for (const RefusedConfig& r : batch.refused)
    if (const auto point = arm.space->point(r.config); point && arm.refused_points_.insert(*point).second)
      arm.refused.emplace_back(*point, r.why_not);
  uint64_t next = 0;
  for (auto it = arm.decided_.begin(); it != arm.decided_.end() && it->first <= next; ++it)
    next = std::max(next, it->second);
  if (next >= arm.space->size()) arm.space->set_complete();
}

void SearchState::on(const SearchTick& told, double now) {
  if (std::exchange(stage_, told.stage) != told.stage) race_ = {"", now, now};
  progress_ = told.progress;
  if (const double each = seconds_each(progress_); each > 0) trial_s_ = each;
}

void SearchState::on(const RaceStage& told, double now) {
  if (told.stage == race_.stage) return;
  race_.sampled |= told.stage == "sample";
  race_ = {told.stage, race_.began, now, race_.configs + (told.stage == "compile"), race_.sampled};
}

void SearchState::on(const SearchEnded& told, double now) {
  running_ = false;
  ended_at_ = now;
  stage_.clear();
  error_ = told.error;
  outcome_ = told.outcome;
  if (outcome_) progress_ = outcome_->progress;
  if (outcome_ && outcome_->result.winner) {
    raced_ = outcome_->result.raced;
    find_best();
    ++rewritten_;
  }
  if (const double each = seconds_each(progress_); each > 0) trial_s_ = each;
}

void SearchState::on(const SearchKept& told, double) {
  kept_ = told.error.empty();
  if (!kept_) alarms_.push_back("The result is not kept: " + told.error);
}

void SearchState::on(const SearchNote& told, double) { alarms_.push_back(told.text); }

std::vector<const SearchState::Arm*> fastest_first(const SearchState& searched) {
  std::vector<const SearchState::Arm*> arms;
  for (const SearchState::Arm& arm : searched.arms())
    if (!arm.steps.empty()) arms.push_back(&arm);
  std::ranges::stable_sort(arms, {}, [](const SearchState::Arm* arm) { return arm->steps.back().ns; });
  return arms;
}

std::string provenance(const tune::TunedMatch& match, std::time_t now) {
  const std::string when = short_when(match.entry.time_utc, now);
  return when.empty() ? "tuned here" : "tuned here, " + when;
}

}  // namespace attnscope::gui
