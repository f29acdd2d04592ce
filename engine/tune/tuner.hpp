// The tuner: chooses the next configs to try on one problem, keeps their results, and chooses those that race.
#pragma once

#include <mutex>

#include "engine/measure/compare.hpp"
#include "engine/session/session.hpp"
#include "engine/tune/search_space.hpp"

namespace attnscope::tune {

struct ArmRequest {
  std::string variant;
  std::vector<Parameter> parameters;
  /// Tried first, in this order: the default choice, named configs, what is tuned for problems nearby.
  std::vector<Config> seeds;
};
struct SearchTerms {
  Problem problem;
  Protocol protocol;
  uint64_t seed = 1;  ///< of the inputs, and of what is drawn
  StrategyKind strategy = StrategyKind::surrogate;
  Budget budget;
  bool drop = true;  ///< end measuring a config when it is surely slower than the best
  /// Only the first seed of each variant; then all of the variant whose best is the fastest, then of the next.
  bool narrow = false;
  uint64_t keep_refused = 0;  ///< refused configs of each variant that are listed one by one as spaces are planned
  /// What runs now: it is tried first and races, so that a gain over it is of one time and place.
  std::optional<RaceEntry> current = {};
};
struct TuneRequest : SearchTerms {
  std::vector<ArmRequest> arms;
  /// The manifests' choice, which always races: a gain counts only over it. nullopt: the fastest of the first seeds.
  std::optional<RaceEntry> untuned = {};
};

struct ConfigTrial {
  std::string variant;
  Trial trial;
  bool recalled = false;  ///< by an earlier run
};
struct ArmSummary {
  std::string variant;
  uint64_t space = 0;     ///< configs in all
  uint64_t legal = 0;     ///< known to be
  bool complete = false;  ///< each config of the space was decided on
  uint64_t tried = 0;     ///< refused ones not counted
  double best_ns = 0;     ///< 0 = nothing measured
  Config best;
  std::vector<PrunedReason> pruned;  ///< most first; of configs that were decided on
};
struct TuneProgress {
  std::string best_variant;  ///< "" = nothing measured yet
  Config best;
  double best_ns = 0;
  uint64_t tried = 0;  ///< reported here or by an earlier process; the next six are parts of it, and of nothing else
  uint64_t measured = 0, dropped = 0, refused = 0, wrong = 0, broken = 0;
  /// Of those measured: the device's clock was below its top, and was again when they were measured a second time.
  uint64_t unsettled = 0;
  uint64_t recalled = 0;   ///< of all these, made by an earlier process
  uint64_t goal = 0;       ///< trials there will be; 0 = nobody knows
  uint64_t racing = 0;     ///< configs of the race at the end, once it has begun
  TrialsReport spent;      ///< of the device's time, summed over devices
  uint64_t reopened = 0;   ///< dropped early for a best that turned out wrong, and so to be tried again
  double planning_ms = 0;  ///< that devices waited for the choice of configs
  struct Reason {
    uint64_t count = 0;
    std::string example;  ///< the first of them, with its numbers
  };
  std::map<std::string, Reason> reasons;  ///< why configs were refused, wrong or broken, by the text without numbers
};

/// Thread-safe: several devices ask for work and report it, also while configs are chosen or a session plans.
class Tuner {
 public:
  /// Told of each planned part of a variant's space.
  using Planned = std::function<void(const std::string& variant, const SpaceBatch&)>;
  explicit Tuner(TuneRequest request, Planned planned = {});
  ~Tuner();
  const TuneRequest& request() const { return request_; }

  /// Adds a trial of an earlier process. It is repeated only if it was dropped and no remaining result is faster.
  void recall(const std::string& variant, const Trial&);
  /// Configs to try again before new ones: measured with a low clock, or dropped for a best that was wrong.
  std::optional<TrialsRequest> again();
  /// The next configs of one variant; nullopt when nothing is left, when the budget is spent, if trials on their way
  /// decide what is next, and soon after `cancel`. Error: the session could not plan.
  Result<std::optional<TrialsRequest>> next(Session&, const Cancel& cancel);
  /// The session's, with as many refused ones listed as the request still wants, and told of.
  Result<SpaceBatch> plan_space(Session&, const std::string& variant, SpaceRequest, const Cancel& cancel);
  /// Called when a device begins with a request: updates its best.
  void begin(TrialsRequest&);
  /// Returns how many trials must be repeated, because they were dropped for a best that this one shows to be wrong.
  uint64_t tell(const std::string& variant, const Trial&);
  /// After a request ended: configs without a result are not on their way any more.
  void end(const TrialsRequest&);
  /// Nothing is on its way: the answer of next() does not change any more.
  bool idle() const;
  void add(const TrialsReport&);
  void add_wait(double ms);      ///< to TuneProgress::planning_ms
  void race_of(size_t configs);  ///< TuneProgress::racing

  /// The fastest trials within `share` of the best, at most `most`; what a race found wrong drops out by tell().
  std::vector<RaceEntry> finalists(size_t most, double share) const;
  /// What would run without tuning: TuneRequest::untuned, unless it failed; else the fastest first seed, if measured.
  std::optional<RaceEntry> baseline() const;
  /// SearchTerms::current, where its variant competes and its trial did not fail.
  std::optional<RaceEntry> current() const;
  bool competes(const std::string& variant) const { return arm_of(variant) != nullptr; }
  TuneProgress progress() const;
  std::vector<ArmSummary> summaries() const;
  /// Every trial, those of earlier processes too, in the order reported.
  std::vector<ConfigTrial> tried() const;

 private:
  struct Arm;
  std::optional<RaceEntry> unless_failed(const RaceEntry&) const;
  Arm* arm_of(const std::string& variant) const;
  void tell_locked(const std::string& variant, const Trial&, bool recalled);
  struct PointResult;
  void forget(Arm&, const PointResult&, const Config&);
  uint64_t reopen();
  TrialsRequest hand_out(Arm&, const std::vector<Point>&);
  Arm* choose();
  bool in_order() const;  ///< a sweep: every config in turn, whatever came of the others
  Arm* fastest_left() const;
  size_t batch_size() const;
  uint64_t on_their_way() const;  ///< trials without a result yet; a second trial of a config is none
  struct Planning {
    Session& session;
    const Cancel& cancel;
  };
  Result<void> grow(Arm&, const Planning&, size_t wanted);
  Result<void> walk(Arm&, const Planning&, uint64_t most_legal, double ms);
  void add_walked(Arm&);
  Result<void> sample(Arm&, const Planning&, size_t wanted);

  TuneRequest request_;
  const Planned planned_;
  /// Guards each arm's space and strategy. Taken before mutex_, so that reporting a trial never waits for a choice.
  std::mutex asking_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Arm>> arms_;
  std::vector<ConfigTrial> tried_;
  TuneProgress progress_;
  Arm* narrowed_ = nullptr;
  uint64_t not_made_ = 0;          ///< configs handed out without a trial
  bool recalled_dropped_ = false;  ///< not checked yet whether that still holds
};

/// Numbers replaced by '#', so that sentences about different configs count as one.
std::string without_numbers(std::string_view sentence);

// Lets a tuner work on devices, a thread each, while another chooses ahead; then a race decides.

struct DriveOptions {
  size_t finalists = 5;  ///< that race; 0 = no race
  /// Some requests more are chosen before results are in, and their pipelines are made while one is measured.
  bool compile_ahead = false;
  /// Each trial as it comes, on whatever thread measured it, one at a time: a place to keep it.
  std::function<void(const std::string& variant, const Trial&)> trial = {};
  /// For a person, with trial(): a sentence.
  std::function<void(const std::string&)> note = {};
  /// What sessions tell of their stages, on whatever thread.
  EventSink stages = {};
  double race_batch_ms = 0;  ///< above 0: the race is paced (RaceRequest::paced) in batches of this
  /// About ten times a second, on a thread of its own, with the stage: "search", "race".
  std::function<void(const std::string& stage)> tick = {};
};
struct TuneResult {
  bool interrupted = false;  ///< `cancel` was set before all was done
  /// The fastest of the race, its record whole. Absent: nothing raced.
  std::optional<Record> winner;
  /// Of the race too: Tuner::baseline. May be the winner itself, or of a variant that does not compete.
  std::optional<Record> baseline;
  std::vector<Record> raced;  ///< of those that compete, fastest first
  /// Parallel to `raced`: each against the baseline, turn by turn; empty when that did not race.
  std::vector<Comparison> words;
  /// The winner against what runs now (Tuner::current); nullopt where that is the winner or did not race.
  std::optional<Comparison> over_current;
  RaceResult race;      ///< all of its entries as they were taken
  std::string no_race;  ///< why nothing raced: nothing was measured, interrupted, the devices' error
};

/// The error is a device's that could not work at all; what was tried until then is in the tuner.
Result<TuneResult> drive(Tuner&, std::span<Session* const>, const DriveOptions&, const Cancel& cancel);

}  // namespace attnscope::tune
