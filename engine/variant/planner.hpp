// Planning with the refusal as a value, for searches that try many configs and need no advice.
#pragma once

#include "engine/variant/limits.hpp"
#include "engine/variant/modules.hpp"
#include "engine/variant/rules.hpp"
#include "engine/variant/work.hpp"

namespace attnscope {

/// For one thread at a time. What it is made of outlives it.
class Planner {
 public:
  Planner(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler);

  /// Why no config at all can do: dtype, features, the manifest's `supports`, and every constraint, grid axis and
  /// buffer that no parameter changes.
  std::optional<Refusal> refuse_problem() const;
  /// Why this config cannot do, or the finished plan. Assumes refuse_problem() was asked.
  std::optional<Refusal> plan(const Config&, Plan& out) const;
  /// The constraints alone, for a search to ask before it plans; their state is the last config that was set or
  /// planned.
  Rules& rules() const { return *rules_; }
  /// The refusal of a config by a constraint that it does not meet.
  Refusal unmet(size_t constraint, const Config&) const;
  /// Milliseconds that compiling shaders took so far.
  double compiling_ms() const { return compiling_ms_; }
  /// Whether the manifest says that this named config suits the problem and the device.
  Result<bool> suits(const NamedConfig&) const;
  /// What it has to do; nullopt where a constraint is unmet, or the manifest does not say. Compiles nothing.
  std::optional<ConfigWork> work(const Config&) const;
  /// An expression over the names of a whole config.
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
