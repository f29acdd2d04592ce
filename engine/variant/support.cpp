// What a device or a problem rules out, whatever the config, and what a device's limits rule out of a plan.

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

std::optional<Refusal> refusal(std::optional<LimitFault> over, const std::string& pass, size_t index) {
  if (!over) return std::nullopt;
  Refusal out{std::move(over->error), fmt::format("{} of {}", to_text(over->limit), pass)};
  const bool counts =
      over->limit == Limit::shared_memory || over->limit == Limit::private_memory || over->limit == Limit::invocations;
  if (counts && over->asked > over->allowed) out.limit = over->limit;
  out.pass = index;
  out.asked = over->asked;
  out.allowed = over->allowed;
  return out;
}

std::string quoted(const std::string& pass) { return fmt::format("pass '{}'", pass); }

}  // namespace

std::string unmet_text(const ConstraintDecl& c, const Names& names) {
  return fmt::format("{} (requires {})", fill_in(c.because, names), c.require);
}

std::string why_not(const Variant& variant, const DeviceInfo& device) {
  const auto missing = filtered(variant.manifest.features, [&](const auto& feature) { return !device.has(feature); });
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
  if (!forms_) return Refusal{bad_input("{}: {}", variant_.name, forms_.error().message), "the form of a tensor"};
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
  std::vector<PlanScratch> fixed;
  if (std::ranges::any_of(variant_.manifest.passes, varies)) return fixed;
  for (const auto& s : variant_.manifest.scratch)
    if (rules_->level_of(s.bytes) == 0)
      if (const auto bytes = whole_number(s.bytes, names, s.name)) fixed.push_back({s.name, *bytes, s.zeroed, false});
  return fixed;
}

std::optional<Refusal> check_pass(const PlanPass& pass, const Reflection& reflection, size_t index,
                                  const DeviceInfo& device) {
  const std::string name = quoted(pass.name);
  return refusal(check_module({name, reflection, pass.facts, pass.subgroup_size}, device), name, index);
}

std::optional<Refusal> check_pass_grid(const std::string& pass, size_t index, const std::array<uint64_t, 3>& grid,
                                       const DeviceInfo& device) {
  return refusal(check_grid(quoted(pass), grid, device), quoted(pass), index);
}

std::optional<Refusal> check_buffers(const Problem& problem, const TensorForms& forms,
                                     const std::vector<PlanScratch>& scratch, const DeviceInfo& device) {
  const uint64_t element = dtype_bytes(problem.dtype);
  std::vector<std::pair<std::string, uint64_t>> buffers{
      {"Q", problem.q_elements() * element},
      {"K", problem.k_bytes()},
      {"V", problem.v_bytes()},
      {"O", problem.o_elements() * element},
      {"the sequence offsets", problem.varlen.empty() ? 0 : 4 * (uint64_t{problem.varlen.size()} + 1)},
      {"the page table", 4 * uint64_t{problem.batch} * problem.pages()},
      {"the lists of keys", 4 * problem.list_elements()}};
  if (problem.sinks) buffers.emplace_back("the sinks", 4 * uint64_t{problem.heads_q});
  if (problem.mask != MaskKind::none) buffers.emplace_back("the mask", 2 * problem.mask_elements());
  for (const auto& [binding, form] : forms)
    if (form.home == binding)
      buffers.emplace_back(fmt::format("{} as {}", find_role(binding)->text, to_text(form.dtype)),
                           form_bytes(problem, binding, forms));
  for (const auto& s : scratch) buffers.emplace_back(fmt::format("scratch '{}'", s.name), s.bytes);
  // Of four and five bits a buffer of 4 GiB has more elements than a shader's numbers count.
  for (const auto& [name, count] : {std::pair("K", problem.k_elements()), std::pair("V", problem.v_elements())})
    if (count > UINT32_MAX)
      return Refusal{bad_input("elements: {} has {}; a shader counts up to {} of a tensor. Use a smaller "
                               "problem.",
                               name, grouped(count), grouped(UINT32_MAX)),
                     fmt::format("elements of {}", name)};
  uint64_t sum = 0;
  for (const auto& [name, bytes] : buffers) {
    const uint64_t taken = guarded_bytes(bytes);
    const auto over = [&, &name = name, &bytes = bytes](const char* kind, uint64_t allowed, const char* in) {
      return Refusal{
          bad_input("{}: {} needs {}{}; {} allows {} in one {}. Use a smaller problem{}.", kind, name,
                    bytes_beside(bytes, allowed),
                    bytes > allowed ? "" : fmt::format(" and {} for guards", bytes_text(double(taken - bytes))),
                    device.name, bytes_beside(allowed, bytes), in,
                    name.starts_with("scratch") ? " or a variant without it" : ""),
          fmt::format("{} of {}", kind, name)};
    };
    if (taken > device.limits.max_storage_buffer_bytes)
      return over("storage buffer", device.limits.max_storage_buffer_bytes, "buffer");
    if (device.limits.max_allocation_bytes != 0 && taken > device.limits.max_allocation_bytes)
      return over("allocation", device.limits.max_allocation_bytes, "allocation");
    sum += taken;
  }
  if (device.limits.device_memory_bytes != 0 && sum > device.limits.device_memory_bytes)
    return Refusal{
        bad_input("device memory: the tensors and scratch buffers need {}; {} has {}. Use a smaller problem.",
                  bytes_beside(sum, device.limits.device_memory_bytes), device.name,
                  bytes_beside(device.limits.device_memory_bytes, sum)),
        "device memory"};
  return std::nullopt;
}

}  // namespace attnscope
