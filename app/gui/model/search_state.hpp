// A search and all that was told of it: every number in it is of one device, problem, modes, and of one version of each
// variant. It grows by what is told and never looks at all of it again.
#pragma once

#include <ctime>
#include <unordered_map>
#include <unordered_set>

#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

/// A trial, slim: a window keeps 100,000.
struct SlimTrial {
  uint32_t arm = 0;      ///< into SearchState::arms()
  uint64_t point = 0;    ///< of the arm's space
  double median_ns = 0;  ///< of the race where it raced
  Outcome outcome = Outcome::error;
  bool dropped = false, recalled = false, settled = true;  ///< as of Trial
  uint32_t samples = 0;
  std::string message;  ///< empty where it was measured
  double tried_ns = 0;  ///< its median as it was tried: comparable with those of the other trials; infinite if dropped
  bool raced() const { return median_ns != tried_ns; }
  /// To the end: what TuneProgress counts as measured.
  bool timed() const { return outcome == Outcome::measured && !dropped && tried_ns > 0; }
};

class SearchState {
 public:
  /// A new best: with this trial (of all variants, by number) it took so long.
  struct Step {
    uint64_t trial = 0;
    double ns = 0;
  };
  struct Arm {
    explicit Arm(search::Arm a);
    search::Arm arm;
    std::unique_ptr<tune::SearchSpace> space;  ///< points and configs, and which of them can run and were not tried
    std::vector<uint32_t> trials;              ///< numbers, in the order told
    std::vector<std::pair<uint64_t, std::string>> refused;  ///< some of those that cannot
    std::vector<Step> steps;                                ///< of the trials that stand: the last one is of `best`
    int64_t best = -1;                                      ///< the number of its fastest trial
    std::vector<std::pair<uint64_t, double>> predicted;     ///< points and ns, of those that the device's model knows
    uint64_t timed = 0;

   private:
    friend class SearchState;
    std::unordered_map<uint64_t, uint32_t> newest_;  ///< trial by point
    std::unordered_set<uint64_t> refused_points_;
    std::map<uint64_t, uint64_t> decided_;  ///< stretches of points, first to next
  };

  /// A person asked for it; nothing is told of it yet. `goes_on` with the one before: the race of that stands.
  void begin(const Search&, double now, bool goes_on = false);
  /// What is told of another search than the newest is old.
  void apply(const SearchEvent& news, double now) {
    if (news.id != asked_.id && !std::holds_alternative<SearchNote>(news.what)) return;
    std::visit([&](const auto& item) { on(item, now); }, news.what);
  }

  const Search& asked() const { return asked_; }
  bool known() const { return started_; }
  bool running() const { return running_; }
  /// It takes the device: nothing else is measured meanwhile.
  bool measuring() const { return running_ && !asked_.look_only; }
  const std::string& stage() const { return stage_; }
  /// The race at the end: its stage, as of Progress, when each began, and configs made ready, with the one at work.
  struct Race {
    std::string stage;
    double began = 0, since = 0;
    uint64_t configs = 0;
    bool sampled = false;
  };
  const Race& race() const { return race_; }
  const std::string& error() const { return error_; }  ///< why it ended before its time
  const DeviceInfo& device() const { return device_; }
  const std::vector<Arm>& arms() const { return arms_; }
  /// The model that predicted the arms' times, as of PredictedTime.
  const std::string& model() const { return model_; }
  const std::vector<SlimTrial>& trials() const { return trials_; }
  const tune::TuneProgress& progress() const { return progress_; }
  const search::SearchOutcome* outcome() const { return outcome_.get(); }
  /// Somebody stopped it.
  bool stopped() const { return !running_ && !asked_.look_only && outcome_ && outcome_->result.interrupted; }
  /// It came to the end of its budget, and configs were left.
  bool ended_by_budget() const {
    if (running_ || asked_.look_only || !error_.empty() || !outcome_ || outcome_->result.interrupted) return false;
    const uint64_t done = progress_.tried - progress_.refused;
    if (asked_.budget.trials > 0 && done >= asked_.budget.trials) return true;
    return asked_.budget.seconds > 0 && (progress_.goal == 0 || done < progress_.goal);
  }
  /// In the tuning cache since it was accepted.
  bool kept() const { return kept_; }
  /// Of a trial, as the newest search of this problem in these modes took on average; 0 = none was long enough to say.
  double trial_seconds() const { return trial_s_; }
  double seconds(double now) const { return (running_ ? now : ended_at_) - began_at_; }
  /// Of the trials, by the race where they raced; -1 = none has a time. Its fastest, until a new trial is faster.
  int64_t best() const { return best_; }
  /// arms().size() when it does not compete
  size_t arm_of(const std::string& variant) const {
    const auto is = [&](const Arm& a) { return a.arm.variant == variant; };
    return size_t(std::ranges::find_if(arms_, is) - arms_.begin());
  }
  /// The newest trial of what is asked, if that has a time; nullptr: it was not timed.
  const SlimTrial* timed(const Selection& of) const {
    const size_t arm = arm_of(of.variant);
    const auto point =
        of.problem == asked_.problem && arm < arms_.size() ? arms_[arm].space->point(of.config) : std::nullopt;
    const uint32_t* number = point ? find_at(arms_[arm].newest_, *point) : nullptr;
    return number && trials_[*number].timed() ? &trials_[*number] : nullptr;
  }
  Config config(const SlimTrial& t) const { return arms_[t.arm].space->config(t.point); }
  /// Where there is a best().
  Selection fastest() const {
    const SlimTrial& trial = trials_[size_t(best_)];
    return {asked_.problem, arms_[trial.arm].arm.variant, config(trial)};
  }
  /// Raised by a trial told again, which is not what it was; and by every other search.
  uint64_t rewritten() const { return rewritten_; }
  /// Sentences about what went wrong that nobody was told of yet.
  std::vector<std::string> take_alarms() { return std::exchange(alarms_, {}); }

 private:
  void on(const SearchStarted&, double now);
  void on(const SearchTrial&, double now);
  void on(const SpacePlanned&, double now);
  void on(const SearchTick&, double now);
  void on(const RaceStage&, double now);
  void on(const SearchEnded&, double now);
  void on(const SearchKept&, double now);
  void on(const SearchNote&, double now);
  /// Gives a trial its median of the race; whether it may be the best: one that did not race is no faster.
  bool held(SlimTrial&) const;
  void consider(uint32_t number);
  /// Of all trials anew, with the steps there.
  void find_best();

  Search asked_;
  bool started_ = false, running_ = false, kept_ = false;
  std::string stage_, error_, model_;
  Race race_;
  double began_at_ = 0, ended_at_ = 0, trial_s_ = 0;
  DeviceInfo device_;
  std::vector<Arm> arms_;
  std::vector<SlimTrial> trials_;
  tune::TuneProgress progress_;
  std::shared_ptr<const search::SearchOutcome> outcome_;
  int64_t best_ = -1;
  uint64_t rewritten_ = 0;
  std::vector<Record> raced_;  ///< of the newest race
  std::vector<std::string> alarms_;
  std::map<std::string, uint64_t> lost_;  ///< trials that ended a worker, by reason
};

/// Those with a time, the fastest first; of equal ones that which was told first.
std::vector<const SearchState::Arm*> fastest_first(const SearchState&);

// What a person asks of a search, and what the tuning cache has for what is shown. Values.

/// Of a search that nobody gave another budget.
inline constexpr tune::Budget kSearchBudget{.seconds = 60, .trials = 0};

struct TuningForm {
  tune::StrategyKind strategy = tune::StrategyKind::surrogate;
  std::string budget = "60s";  ///< as --budget takes it; "" = until nothing is left
  bool all_variants = true;

  Result<tune::Budget> limit() const { return budget.empty() ? tune::Budget() : tune::parse_budget(budget); }
};

/// Where a tuned config is from, in few words: "tuned here, 12 min ago".
std::string provenance(const tune::TunedMatch&, std::time_t now);

}  // namespace attnscope::gui
