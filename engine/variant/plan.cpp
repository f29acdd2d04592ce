#include "engine/variant/plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/variant/binding.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

Refusal refusal(Error error) { return Refusal{std::move(error), std::nullopt}; }

// A grid axis or a size: a whole number that is not negative.
Result<uint64_t> whole(const std::string& expression, const Names& names, const std::string& what) {
  const auto value = evaluate(expression, names);
  if (!value) return bad_input(fmt::format("{}: {}", what, value.error().message));
  if (*value < 0 || *value != std::floor(*value) || *value >= 0x1p53)
    return bad_input(fmt::format("{}: \"{}\" is {}, not a whole number", what, expression, grouped(*value)));
  return static_cast<uint64_t>(*value);
}

Result<DType> type_of(const std::string& expression, const Names& names, const std::string& what) {
  const auto value = evaluate(expression, names);
  if (!value) return bad_input(fmt::format("{}: {}", what, value.error().message));
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    if (*value == static_cast<double>(dtype)) return dtype;
  return bad_input(fmt::format("{}: \"{}\" is {}, not one of f32, f16, bf16", what, expression, grouped(*value)));
}

std::string first_unmet(const std::vector<ConstraintDecl>& constraints, const Names& names) {
  for (const auto& c : constraints) {
    const auto value = evaluate(c.require, names);
    if (!value) return value.error().message;
    if (*value == 0) return fmt::format("{} (requires {})", fill_in(c.because, names), c.require);
  }
  return {};
}

}  // namespace

std::string why_not(const Variant& variant, const DeviceInfo& device) {
  std::vector<std::string> missing;
  for (const auto& feature : variant.manifest.features)
    if (!device.has(feature)) missing.push_back(feature);
  if (missing.empty()) return {};
  return fmt::format("{} needs {}, which {} lacks", variant.name, fmt::join(missing, ", "), device.name);
}

std::string why_not(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  if (std::string reason = why_not(variant, device); !reason.empty()) return reason;
  const auto& dtypes = variant.manifest.dtypes;
  if (std::find(dtypes.begin(), dtypes.end(), to_text(problem.dtype)) == dtypes.end())
    return fmt::format("{} has no {} version; it takes {}", variant.name, to_text(problem.dtype),
                       fmt::join(dtypes, ", "));
  if (problem.dtype != DType::f32 && !device.has("storage_16bit"))
    return fmt::format("{} in memory needs storage_16bit, which {} lacks", to_text(problem.dtype), device.name);
  Names names = problem_names(problem, device);
  // Entries that need parameters have no value yet; loading made sure that `supports` mentions none of them.
  for (size_t round = 0; round < variant.manifest.let.size(); ++round)
    for (const auto& [name, text] : variant.manifest.let)
      if (const auto value = evaluate(text, names)) names[name] = *value;
  const std::string unmet = first_unmet(variant.manifest.supports, names);
  return unmet.empty() ? unmet : fmt::format("{}: {}", variant.name, unmet);
}

std::optional<Error> Planner::refuse_problem() const {
  if (std::string reason = why_not(variant_, device_); !reason.empty()) return unsupported(std::move(reason));
  if (const auto checked = check_problem(problem_); !checked) return checked.error();
  if (std::string reason = why_not(variant_, problem_, device_); !reason.empty()) return bad_input(std::move(reason));
  return check_buffers(problem_, {}, device_);
}

Result<bool> Planner::suits(const NamedConfig& named) const {
  if (named.suits.empty()) return false;
  const Result<Names> names = names_of(full_config(variant_, named));
  if (!names) return names.error();
  const Result<double> value = evaluate(named.suits, *names);
  if (!value) return value.error();
  return *value != 0;
}

Result<Names> Planner::names_of(const Config& config) const {
  Names names = problem_names(problem_, device_);
  for (const auto& p : variant_.parameters) names[p.name] = static_cast<double>(config.at(p.name));
  if (const auto done = resolve(variant_.manifest.let, names, "let"); !done)
    return bad_input(fmt::format("{}/manifest.toml: {}", variant_.name, done.error().message));
  return names;
}

std::optional<Refusal> Planner::plan_pass(size_t index, const Names& config_names, Plan& out, bool check_limits) const {
  const PassDecl& decl = variant_.manifest.passes[index];
  const std::string where = fmt::format("{}/manifest.toml: pass '{}'", variant_.name, decl.name);
  Names names = config_names;
  if (!decl.when.empty()) {
    const auto runs = evaluate(decl.when, names);
    if (!runs) return refusal(bad_input(fmt::format("{}: when: {}", where, runs.error().message)));
    if (*runs == 0) return std::nullopt;
  }
  PlanPass pass;
  pass.name = decl.name;
  if (const auto added = add_pass_names(decl, names, where); !added) return refusal(added.error());
  if (!decl.subgroup_size.empty()) {
    const auto size = whole(decl.subgroup_size, config_names, where + ": subgroup_size");
    if (!size) return refusal(size.error());
    pass.subgroup_size = static_cast<uint32_t>(*size);
  }
  const auto request = module_request(variant_.source, decl, problem_.dtype, names);
  if (!request) return refusal(request.error());
  const auto module = get_module(variant_, *request, compiler_);
  if (!module) return refusal(module.error());
  for (const auto& capability : module->reflection.capabilities)
    if (!device_.has(capability))
      return refusal(
          unsupported(fmt::format("{} needs {}, which {} lacks", request->compile.name, capability, device_.name)));
  const auto constants = bind_constants(module->reflection, names, request->compile.name);
  if (!constants) return refusal(constants.error());
  const auto push = bind_push(module->reflection, names, request->compile.name);
  if (!push) return refusal(push.error());
  const auto facts = variant_.modules->facts(request->key, module->spirv, *constants);
  if (!facts) return refusal(Error{facts.error().kind, request->compile.name + ": " + facts.error().message});
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto count = whole(decl.grid[axis], names, where + ": grid");
    if (!count) return refusal(count.error());
    if (*count == 0)
      return refusal(bad_input(
          fmt::format("{}: grid: \"{}\" is 0; a pass that has nothing to do needs a 'when'", where, decl.grid[axis])));
    pass.grid[axis] = static_cast<uint32_t>(std::min<uint64_t>(*count, UINT32_MAX));
  }
  pass.spirv = module->spirv;
  pass.constants = *constants;
  pass.push = *push;
  pass.bindings = module->reflection.storage_bindings;
  pass.facts = *facts;
  if (check_limits)
    if (auto limit = check_pass_limits(pass, index, device_)) return limit;
  out.shared_bytes = std::max(out.shared_bytes, pass.facts.shared_bytes);
  out.private_bytes = std::max(out.private_bytes, pass.facts.private_bytes);
  out.passes.push_back(std::move(pass));
  return std::nullopt;
}

std::optional<Refusal> Planner::plan(const Config& given, Plan& out) const {
  out = Plan{};
  out.variant = variant_.name;
  out.problem = problem_;
  out.config = default_config(variant_);
  for (const auto& [name, value] : given) {
    const auto p = std::find_if(variant_.parameters.begin(), variant_.parameters.end(),
                                [&, key = &name](const Parameter& q) { return q.name == *key; });
    if (p == variant_.parameters.end())
      return refusal(bad_input(fmt::format("{} has no parameter '{}'", variant_.name, name)));
    if (std::find(p->values.begin(), p->values.end(), value) == p->values.end())
      return refusal(
          bad_input(fmt::format("{}={}: {} may be one of {}", name, value, name, fmt::join(p->values, ", "))));
    out.config[name] = value;
  }
  const auto names = names_of(out.config);
  if (!names) return refusal(names.error());
  const auto& m = variant_.manifest;
  if (std::string unmet = first_unmet(m.constraints, *names); !unmet.empty())
    return refusal(bad_input(std::move(unmet)));
  for (size_t i = 0; i < m.passes.size(); ++i)
    if (auto refused = plan_pass(i, *names, out, true)) return refused;
  if (out.passes.empty())
    return refusal(bad_input(fmt::format("{}: no pass has anything to do for this problem and config", variant_.name)));
  for (const auto& s : m.scratch) {
    const std::string what = fmt::format("{}/manifest.toml: scratch '{}'", variant_.name, s.name);
    const auto bytes = whole(s.bytes, *names, what);
    if (!bytes) return refusal(bytes.error());
    // An empty buffer cannot be bound; a pass whose `when` is false may leave its scratch without a use.
    const bool used = std::any_of(out.passes.begin(), out.passes.end(), [&](const PlanPass& pass) {
      return std::find(pass.bindings.begin(), pass.bindings.end(), s.binding) != pass.bindings.end();
    });
    if (!used) continue;
    if (*bytes == 0) return refusal(bad_input(fmt::format("{}: \"{}\" is 0 bytes, and a pass uses it", what, s.bytes)));
    out.scratch.push_back({s.name, s.binding, *bytes});
    out.scratch_bytes += *bytes;
  }
  if (auto error = check_buffers(problem_, out.scratch, device_)) return refusal(std::move(*error));
  if (!m.extra_bytes.empty()) {
    const auto extra = evaluate(m.extra_bytes, *names);
    if (!extra)
      return refusal(bad_input(fmt::format("{}/manifest.toml: extra_bytes: {}", variant_.name, extra.error().message)));
    out.extra_bytes = *extra;
  }
  const auto accumulate = type_of(m.accumulate, *names, variant_.name + "/manifest.toml: precision");
  if (!accumulate) return refusal(accumulate.error());
  const auto probabilities = type_of(m.probabilities, *names, variant_.name + "/manifest.toml: precision");
  if (!probabilities) return refusal(probabilities.error());
  const auto f16_pairs = evaluate(m.f16_pairs, *names);
  if (!f16_pairs)
    return refusal(bad_input(fmt::format("{}/manifest.toml: precision: {}", variant_.name, f16_pairs.error().message)));
  out.precision = {*accumulate, *probabilities, *f16_pairs != 0};
  return std::nullopt;
}

std::optional<uint64_t> Planner::measure(const Refusal& refused, const Config& config) const {
  const auto names = names_of(config);
  if (!names || !first_unmet(variant_.manifest.constraints, *names).empty()) return std::nullopt;
  Plan plan;
  if (plan_pass(refused.pass, *names, plan, false) || plan.passes.empty()) return std::nullopt;
  const auto& facts = plan.passes.front().facts;
  return refused.limit == PassLimit::shared_memory
             ? facts.shared_bytes
             : uint64_t{facts.local_size[0]} * facts.local_size[1] * facts.local_size[2];
}

// Tries every other candidate of each parameter alone: those that bring the number down are worth naming, and those
// that change it at all say what the number came from.
std::string Planner::advice(const Refusal& refused, const Config& config) const {
  std::string cause, lower, raise;
  const auto append = [](std::string& list, const std::string& item, const char* separator) {
    list += (list.empty() ? "" : separator) + item;
  };
  for (const auto& p : variant_.parameters) {
    bool matters = false, helps_lower = false, helps_raise = false;
    for (const int64_t value : p.values) {
      Config other = config;
      other[p.name] = value;
      const auto number = value == config.at(p.name) ? std::nullopt : measure(refused, other);
      if (!number || *number == refused.asked) continue;
      matters = true;
      if (*number < refused.asked) (value < config.at(p.name) ? helps_lower : helps_raise) = true;
    }
    if (matters) append(cause, fmt::format("{}={}", p.name, config.at(p.name)), ",");
    if (helps_lower) append(lower, p.name, " or ");
    if (helps_raise) append(raise, p.name, " or ");
  }
  std::string text = cause.empty() ? "" : fmt::format(" It comes from {}.", cause);
  if (!lower.empty()) text += fmt::format(" Lower {}.", lower);
  if (!raise.empty())
    text += fmt::format(" {}{} {}.", lower.empty() ? "" : "Or ", lower.empty() ? "Raise" : "raise", raise);
  if (lower.empty() && raise.empty())
    text += " No parameter alone lowers it: use a smaller head_dim or another variant.";
  return text;
}

Result<Plan> Planner::plan_with_advice(const Config& config) const {
  if (auto error = refuse_problem()) return std::move(*error);
  Plan out;
  auto refused = plan(config, out);
  if (!refused) return out;
  if (refused->limit) refused->error.message += advice(*refused, out.config);
  return std::move(refused->error);
}

Result<Plan> make_plan(const Variant& variant, const Problem& problem, const Config& config, const DeviceInfo& device,
                       Compiler& compiler) {
  return Planner(variant, problem, device, compiler).plan_with_advice(config);
}

}  // namespace attnscope
