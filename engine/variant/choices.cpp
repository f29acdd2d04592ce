// Which values are legal around a config, the nearest legal config, and the named one that suits a problem.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

// The config space as indices into each parameter's values.
using Steps = std::vector<size_t>;

size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

// Calls `visit` with every way to change exactly `count` of the parameters from `first` on, `steps` index steps in all;
// stops when it returns true.
template <class Visit>
bool vary(const Variant& variant, const Steps& from, Steps& at, size_t first, size_t count, size_t steps,
          const Visit& visit) {
  if (count == 0) return steps == 0 && visit(at);
  for (size_t p = first; p + count <= variant.parameters.size(); ++p) {
    for (size_t i = 0; i < variant.parameters[p].values.size(); ++i) {
      const size_t step = distance(i, from[p]);
      if (step == 0 || step > steps) continue;
      at[p] = i;
      if (vary(variant, from, at, p + 1, count - 1, steps - step, visit)) return true;
    }
    at[p] = from[p];
  }
  return false;
}

}  // namespace

std::vector<ParameterChoices> parameter_choices(const Variant& variant, const Problem& problem, const Config& config,
                                                const DeviceInfo& device, Compiler& compiler) {
  const Planner planner(variant, problem, device, compiler);
  const auto hopeless = planner.refuse_problem();
  std::vector<ParameterChoices> out;
  for (const auto& p : variant.parameters) {
    ParameterChoices choices{p.name, {}};
    for (const int64_t value : p.values) {
      Config other = config;
      other[p.name] = value;
      Plan plan;
      const auto refused = hopeless ? Refusal{*hopeless, std::nullopt} : planner.plan(other, plan);
      choices.why_not.push_back(refused ? refused->error.message : "");
    }
    out.push_back(std::move(choices));
  }
  return out;
}

std::string suited_config(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler) {
  const Planner planner(variant, problem, device, compiler);
  if (planner.refuse_problem()) return {};
  for (const NamedConfig& named : variant.manifest.configs) {
    const Result<bool> suits = planner.suits(named);
    if (!suits || !*suits) continue;
    Plan plan;
    if (!planner.plan(full_config(variant, named), plan)) return named.name;
  }
  return {};
}

Result<Config> nearest_legal(const Variant& variant, const Problem& problem, const Config& config,
                             const DeviceInfo& device, Compiler& compiler) {
  const Planner planner(variant, problem, device, compiler);
  if (auto error = planner.refuse_problem()) return std::move(*error);
  // A value that is no candidate starts from the candidate closest to it.
  Steps from;
  Config start = default_config(variant);
  size_t most_steps = 0;
  for (const auto& p : variant.parameters) {
    const auto given = config.find(p.name);
    const int64_t value = given == config.end() ? p.default_value : given->second;
    const auto closest = std::min_element(p.values.begin(), p.values.end(), [&](int64_t a, int64_t b) {
      return std::llabs(a - value) < std::llabs(b - value);
    });
    from.push_back(static_cast<size_t>(closest - p.values.begin()));
    start[p.name] = *closest;
    most_steps += p.values.size() - 1;
  }
  Plan plan;
  const auto refused = planner.plan(start, plan);
  if (!refused) return start;

  Config found;
  const auto legal = [&](const Steps& at) {
    Config candidate;
    for (size_t i = 0; i < at.size(); ++i) candidate[variant.parameters[i].name] = variant.parameters[i].values[at[i]];
    if (planner.plan(candidate, plan)) return false;
    found = std::move(candidate);
    return true;
  };
  for (size_t count = 1; count <= variant.parameters.size(); ++count)
    for (size_t steps = count; steps <= most_steps; ++steps) {
      Steps at = from;
      if (vary(variant, from, at, 0, count, steps, legal)) return found;
    }
  return Error{refused->error.kind, fmt::format("no config of {} is legal here; from {}: {}", variant.name,
                                                to_text(start), refused->error.message)};
}

}  // namespace attnscope
