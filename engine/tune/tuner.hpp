// The tuner: which configs of which variants to try next on one problem, what came of them, and who races at the end.
// It decides and counts; drive.hpp lets it work on devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/tune/measurer.hpp"
#include "engine/tune/strategy.hpp"

namespace attnscope::tune {

/// One variant that competes.
struct ArmRequest {
  std::string variant;
  std::vector<Parameter> parameters;
  /// Tried first, in this order: the default choice, named configs, what is tuned for problems nearby.
  std::vector<Config> seeds;
};
struct TuneRequest {
  Problem problem;
  std::vector<ArmRequest> arms;
  /// What the manifests choose for the problem on this device. It races whatever competes, of an arm or not: no gain
  /// over anything else is one. nullopt: nobody knows, and the fastest of the first seeds stands in.
  std::optional<RaceEntry> untuned = {};
  Protocol protocol;
  uint64_t seed = 1;  ///< of the inputs
  StrategyKind strategy = StrategyKind::surrogate;
  uint64_t search_seed = 1;
  Shard shard;
  double budget_s = 0;         ///< of searching; 0 = no limit
  uint64_t budget_trials = 0;  ///< those that an earlier process made count; refused ones do not; 0 = no limit
  /// Of each variant's legal configs so many, drawn by search_seed before they are split into shards; 0 = all.
  uint64_t random = 0;
  bool drop = true;  ///< end measuring a config when it is surely slower than the best
  /// Of each variant the first seed alone; then all goes to the variant whose best is the fastest.
  bool narrow = false;
};

struct TriedConfig {
  std::string variant;
  Trial trial;
  bool recalled = false;  ///< by an earlier run
};
/// Of one variant.
struct ArmSummary {
  std::string variant;
  uint64_t space = 0;     ///< configs in all
  uint64_t legal = 0;     ///< known to be, of this shard
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
  uint64_t tried = 0;  ///< told of here or by an earlier process; the next six are parts of it, and of nothing else
  uint64_t measured = 0, dropped = 0, refused = 0, wrong = 0, broken = 0;
  /// Of those measured: the device's clock was below its top, and was again when they were measured a second time.
  uint64_t unsettled = 0;
  uint64_t recalled = 0;   ///< of all these, made by an earlier process
  uint64_t goal = 0;       ///< trials there will be; 0 = nobody knows
  TrialsReport spent;      ///< of the device's time, summed over devices
  double planning_ms = 0;  ///< spent on asking which configs are legal, and on choosing
  struct Reason {
    uint64_t count = 0;
    std::string example;  ///< the first of them, with its numbers
  };
  std::map<std::string, Reason> reasons;  ///< of what was refused, wrong or broken: by the text without its numbers
};

/// Thread-safe: several devices ask for work and tell of it. While a measurer plans, whatever else is asked is
/// answered.
class Tuner {
 public:
  explicit Tuner(TuneRequest request);
  ~Tuner();
  const TuneRequest& request() const { return request_; }

  /// A trial of an earlier process: it is not made again.
  void recall(const std::string& variant, const Trial&);
  /// The next configs to try, of one variant; nullopt when the budget of trials is spent or nothing is left, and soon
  /// after `cancel`, which the measurer heeds while it plans. Error: the measurer could not plan.
  Result<std::optional<TrialsRequest>> next(Measurer&, const std::atomic<bool>& cancel);
  /// One that was measured with the device's clock down (Trial::settled) is asked for once more, before anything else;
  /// what comes of that stands.
  void tell(const std::string& variant, const Trial&);
  void add(const TrialsReport&);

  /// The fastest by their trials, of all variants, those within `share` of the best, at most `most`; what a race found
  /// wrong is told of by tell() and drops out.
  std::vector<RaceEntry> finalists(size_t most, double share) const;
  /// What would have run without tuning: TuneRequest::untuned, unless its trial failed; where that is not known, the
  /// fastest of the variants' first seeds. nullopt: none was measured.
  std::optional<RaceEntry> baseline() const;
  bool competes(const std::string& variant) const { return arm_of(variant) != nullptr; }
  TuneProgress progress() const;
  std::vector<ArmSummary> summaries() const;
  /// Every trial, those of earlier processes too, in the order told of.
  std::vector<TriedConfig> tried() const;

 private:
  struct Arm;
  Arm* arm_of(const std::string& variant);
  const Arm* arm_of(const std::string& variant) const;
  void tell_locked(const std::string& variant, const Trial&, bool recalled);
  struct Came;
  void forget(Arm&, const Came&, const Config&);
  Arm* choose();
  bool in_order() const;  ///< a sweep: every config in turn, whatever came of the others
  void narrow();
  size_t batch_size() const;
  /// Who plans, and until when. `lock` holds mutex_ but for the time in which the measurer works.
  struct Planning {
    Measurer& measurer;
    const std::atomic<bool>& cancel;
    std::unique_lock<std::mutex>& lock;
  };
  Result<SpaceBatch> plan(const Arm&, const Planning&, const SpaceRequest&);
  Result<void> grow(Arm&, const Planning&, size_t wanted);
  Result<void> walk(Arm&, const Planning&, uint64_t most_legal, double ms);
  Result<void> sample(Arm&, const Planning&, size_t wanted);
  Result<void> draw(Arm&, const Planning&);

  TuneRequest request_;
  std::mutex asking_;  ///< one device at a time asks for work, and plans; taken before mutex_
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Arm>> arms_;
  std::vector<TriedConfig> tried_;
  TuneProgress progress_;
  bool narrowed_ = false;
};

/// Numbers replaced by '#', so that sentences about different configs count as one.
std::string without_numbers(std::string_view sentence);

}  // namespace attnscope::tune
