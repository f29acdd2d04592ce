// What a device or a problem rules out, whatever the config.

#include "engine/attention/problem.hpp"
#include "engine/variant/binding.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

constexpr const char* kNoConfig = " No config changes that: use a smaller problem or another variant.";

/// Names of the problem and the device, and every `let` that needs no others.
Names names_without_config(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  Names names = variant_names(variant.manifest, problem, device);
  // Entries that need parameters have no value yet; loading made sure that nothing which is evaluated here needs one.
  if (const auto order = in_order_of_use(variant.manifest.let, "let"))
    for (const auto* let : *order)
      if (const auto value = evaluate(let->second, names)) names[let->first] = *value;
  return names;
}

std::string first_unmet(const std::vector<ConstraintDecl>& constraints, const Names& names) {
  for (const auto& c : constraints) {
    const auto value = evaluate(c.require, names);
    if (!value) return value.error().message;
    if (*value == 0) return unmet_text(c, names);
  }
  return {};
}

std::string why_no_option(const Variant& variant, const Problem& problem) {
  const auto& taken = variant.manifest.options;
  for (const ProblemOption& option : kProblemOptions)
    if (option.asked(problem) && !contains(taken, option.name))
      return fmt::format(
          "{} does not take '{}' ({}); leave it out of the problem, or use a variant that takes it (auto finds one)",
          variant.name, option.text,
          taken.empty() ? "it takes plain attention only" : fmt::format("it takes {}", fmt::join(taken, ", ")));
  return {};
}

}  // namespace

std::string unmet_text(const ConstraintDecl& c, const Names& names) {
  return fmt::format("{} (requires {})", fill_in(c.because, names), c.require);
}

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
  if (!contains(dtypes, to_text(problem.dtype)))
    return fmt::format("{} has no {} version; it takes {}", variant.name, to_text(problem.dtype),
                       fmt::join(dtypes, ", "));
  if (std::string reason = why_no_option(variant, problem); !reason.empty()) return reason;
  if (problem.dtype != DType::f32 && !device.has("storage_16bit"))
    return fmt::format("{} in memory needs storage_16bit, which {} lacks", to_text(problem.dtype), device.name);
  const Names names = names_without_config(variant, problem, device);
  std::string unmet = first_unmet(variant.manifest.supports, names);
  const std::string& rank = variant.manifest.rank;
  if (unmet.empty() && !rank.empty())
    if (const auto value = evaluate(rank, names); !value) unmet = "rank: " + value.error().message;
  return unmet.empty() ? unmet : fmt::format("{}: {}", variant.name, unmet);
}

VariantRank rank_of(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  VariantRank out{variant.name, 0, why_not(variant, problem, device), {}, variant.hash};
  if (variant.manifest.rank.empty()) return out;
  const Result<double> rank = evaluate(variant.manifest.rank, names_without_config(variant, problem, device));
  out.rank = rank ? *rank : 0;
  return out;
}

std::optional<Refusal> Planner::refuse_problem() const {
  if (std::string reason = why_not(variant_, device_); !reason.empty())
    return Refusal{unsupported(std::move(reason)), "missing feature"};
  if (const auto checked = check_problem(problem_); !checked) return Refusal{checked.error(), "the problem"};
  if (std::string reason = why_not(variant_, problem_, device_); !reason.empty())
    return Refusal{bad_input(std::move(reason)), "a problem that the variant does not take"};
  if (!forms_)
    return Refusal{bad_input(fmt::format("{}: {}", variant_.name, forms_.error().message)), "the form of a tensor"};
  if (auto refused = check_buffers(problem_, *forms_, {}, device_)) return refused;
  const Config config = default_config(variant_);
  rules_->set(config);
  if (const auto constraint = rules_->unmet_at(0)) {
    Refusal refused = unmet(*constraint, config);
    refused.error.message += "." + std::string(kNoConfig);
    return refused;
  }
  // Without values for the defaults there is nothing to evaluate the rest with.
  const Result<Names> names = names_of(config);
  if (!names) return std::nullopt;
  if (auto refused = refuse_fixed_grids(*names)) return refused;
  return check_buffers(problem_, *forms_, fixed_scratch(*names), device_);
}

std::optional<Refusal> Planner::refuse_fixed_grids(const Names& config_names) const {
  const auto& passes = variant_.manifest.passes;
  for (size_t i = 0; i < passes.size(); ++i) {
    const PassDecl& decl = passes[i];
    if (!decl.when.empty()) {
      if (rules_->level_of(decl.when) != 0) continue;
      const auto runs = evaluate(decl.when, config_names);
      if (!runs || *runs == 0) continue;
    }
    Names names = config_names;
    if (!add_pass_names(decl, names, decl.name)) continue;
    std::map<std::string, std::string> own = decl.constants;
    if (!decl.subgroup_size.empty()) own["subgroup_size"] = decl.subgroup_size;
    std::array<uint64_t, 3> grid{1, 1, 1};
    for (size_t axis = 0; axis < 3; ++axis)
      if (rules_->level_of(decl.grid[axis], own) == 0)
        if (const auto count = whole_number(decl.grid[axis], names, "grid"); count && *count != 0) grid[axis] = *count;
    if (auto refused = check_pass_grid(decl.name, i, grid, device_)) {
      refused->error.message += kNoConfig;
      return refused;
    }
  }
  return std::nullopt;
}

// Only where every pass runs with the same module in any config is a buffer sure to be used.
std::vector<PlanScratch> Planner::fixed_scratch(const Names& names) const {
  const auto varies = [](const PassDecl& p) { return !p.when.empty() || !p.defines.empty() || !p.texts.empty(); };
  const auto& passes = variant_.manifest.passes;
  std::vector<PlanScratch> fixed;
  if (std::ranges::any_of(passes, varies)) return fixed;
  for (const auto& s : variant_.manifest.scratch)
    if (rules_->level_of(s.bytes) == 0)
      if (const auto bytes = whole_number(s.bytes, names, s.name)) fixed.push_back({s.name, *bytes, s.zeroed, false});
  return fixed;
}

}  // namespace attnscope
