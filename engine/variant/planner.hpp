// Planning with the refusal as a value, for searches that try many configs and need no advice.
#pragma once

#include "engine/clock.hpp"
#include "engine/variant/modules.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

class Countdown {
 public:
  Countdown(const SearchBudget& budget, const Cancel* cancel) : budget_(budget), cancel_(cancel) {}
  uint64_t spent() const { return spent_; }
  bool cancelled() const { return cancel_ != nullptr && *cancel_; }
  /// Counts one more candidate; false when there is none left, or no time.
  bool next() {
    if (spent_ > 0 && (cancelled() || spent_ >= budget_.candidates || late_)) return false;
    ++spent_;
    // Most candidates cost about a microsecond, and so would reading the clock.
    if (spent_ % 64 == 0) look_at_clock();
    return true;
  }
  /// After something that may have taken long, `compiling_ms` of it in a compiler: the other steps are still made.
  void look_at_clock(double compiling_ms = 0) {
    constexpr double kMostCompilingMs = 10'000;
    const double ms = ms_since(start_);
    compiling_ms_ = std::max(compiling_ms_, compiling_ms);
    late_ = ms - std::min(compiling_ms_, kMostCompilingMs) > budget_.ms;
  }

 private:
  SearchBudget budget_;
  const Cancel* cancel_;
  Clock::time_point start_ = Clock::now();
  uint64_t spent_ = 0;
  double compiling_ms_ = 0;
  bool late_ = false;
};

/// The lets and constraints of a manifest, compiled for one problem and device: about a microsecond each.
class Rules {
 public:
  /// `known`: the names of problem and device. What does not compile is left to the planner, which says why.
  Rules(const Variant&, const Names& known);
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  /// Gives parameter `p` (an index into Variant::parameters) a value. All begin at their first candidate.
  void set(size_t p, int64_t value);
  void set(const Config&);
  /// The first constraint, as an index into the manifest's, that is unmet (or has no finite value).
  std::optional<size_t> unmet();
  /// The same of what setting parameter `level` - 1 decides; level 0: what no parameter can change.
  std::optional<size_t> unmet_at(size_t level);
  /// One more than the last parameter that the expression depends on. `own`: further named expressions.
  size_t level_of(const std::string& expression, const std::map<std::string, std::string>& own = {}) const;
  /// The values of all parameters and lets; false when a let has none.
  bool add_values(Names&);

 private:
  struct Let {
    std::string name;
    std::optional<CompiledExpression> value;
    std::vector<size_t> uses;  ///< other lets, by index
    size_t level = 0;
    uint64_t parameters = 0;  ///< bit p % 64: depends on parameter p, directly or not
    bool fresh = false, finite = false;
  };
  struct Constraint {
    std::optional<CompiledExpression> require;
    std::vector<size_t> uses;
    size_t level = 0;
  };
  struct Needs {
    std::vector<size_t> lets;
    size_t level = 0;
    uint64_t parameters = 0;
  };
  Needs needs_of(const std::string& expression) const;
  std::optional<CompiledExpression> compile(const std::string& expression);
  bool refresh(size_t let);
  bool met(const Constraint&);

  const Variant& variant_;
  Names places_;  ///< a map: the compiled expressions keep addresses
  std::vector<double*> parameters_;
  std::vector<Let> lets_;  ///< those it uses come first
  std::vector<double*> let_places_;
  std::vector<Constraint> constraints_;
};

/// Of a variant on a problem and a device; for one thread at a time. What it is made of outlives it.
class Planner {
 public:
  Planner(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler);

  const Variant& variant() const { return variant_; }
  /// Why no config at all can do: dtype, features, `supports`, and all that no parameter changes.
  std::optional<Refusal> refuse_problem() const;
  /// Why this config cannot do, or the finished plan. Assumes refuse_problem() was asked.
  std::optional<Refusal> plan(const Config&, Plan& out) const;
  /// The constraints alone; their state is the last config that was set or planned.
  Rules& rules() const { return *rules_; }
  Refusal unmet(size_t constraint, const Config&) const;
  double compiling_ms() const { return compiling_ms_; }
  /// What it has to do; nullopt where a constraint is unmet, or the manifest does not say. Compiles nothing.
  std::optional<ConfigWork> work(const Config&) const;
  Result<double> value(const std::string& expression, const Config&) const;
  /// With refuse_problem(), and sentences on which parameters to change.
  std::optional<Refusal> plan_with_advice(const Config&, Plan& out) const;

 private:
  /// A pass whose grid and module are known, and whose constants have no values yet.
  struct Draft {
    size_t index = 0;
    Names names;
    ModuleRequest request;
    Module module;
    PlanPass pass;
  };
  Result<Names> names_of(const Config&) const;
  std::optional<Refusal> draft_grid(const PassDecl&, size_t index, Draft&, const std::string& where) const;
  /// `runs` is false where the pass has nothing to do.
  std::optional<Refusal> draft_pass(size_t index, const Names&, Draft&, bool& runs) const;
  std::optional<Refusal> finish_pass(Draft&) const;
  std::optional<Refusal> plan_scratch(const Names&, const std::vector<Draft>&, Plan& out) const;
  std::optional<Refusal> refuse_fixed_grids(const Names&) const;
  std::vector<PlanScratch> fixed_scratch(const Names&) const;
  std::optional<uint64_t> measure(const Refusal&, const Config&) const;
  std::string advice(const Refusal&, const Config&) const;

  const Variant& variant_;
  const Problem& problem_;
  const DeviceInfo& device_;
  Compiler& compiler_;
  Names known_;  ///< of the problem and the device
  Result<TensorForms> forms_ = TensorForms{};
  std::unique_ptr<Rules> rules_;
  mutable double compiling_ms_ = 0;
};

/// A grid axis or a size: a whole number from 0 to `most`, at most 2^53. `what` is for the error.
Result<uint64_t> whole_number(const std::string& expression, const Names&, const std::string& what,
                              uint64_t most = (uint64_t{1} << 53) - 1);
/// One of f32, f16, bf16.
Result<DType> type_of(const std::string& expression, const Names&, const std::string& what);
/// "its sentence (requires it)".
std::string unmet_text(const ConstraintDecl&, const Names&);

}  // namespace attnscope
