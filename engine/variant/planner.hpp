// Planning with the refusal as a value, for searches that try many configs and need no advice.
#pragma once

#include "engine/variant/limits.hpp"
#include "engine/variant/modules.hpp"

namespace attnscope {

class Planner {
 public:
  Planner(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler)
      : variant_(variant), problem_(problem), device_(device), compiler_(compiler) {}

  /// Why no config at all can do: dtype, features, the manifest's `supports`, and Q, K, V, O themselves.
  std::optional<Error> refuse_problem() const;
  /// Why this config cannot do, or the finished plan. Assumes refuse_problem() was asked.
  std::optional<Refusal> plan(const Config&, Plan& out) const;
  /// Whether the manifest says that this named config suits the problem and the device.
  Result<bool> suits(const NamedConfig&) const;
  /// With refuse_problem(), and sentences on which parameters to change.
  Result<Plan> plan_with_advice(const Config&) const;

 private:
  Result<Names> names_of(const Config&) const;
  std::optional<Refusal> plan_pass(size_t index, const Names&, Plan& out, bool check_limits) const;
  std::optional<uint64_t> measure(const Refusal&, const Config&) const;
  std::string advice(const Refusal&, const Config&) const;

  const Variant& variant_;
  const Problem& problem_;
  const DeviceInfo& device_;
  Compiler& compiler_;
};

}  // namespace attnscope
