// Which parameters to change when a config asks for too much of something that is counted.

#include "engine/variant/planner.hpp"

namespace attnscope {

std::optional<uint64_t> Planner::measure(const Refusal& refused, const Config& config) const {
  rules_->set(config);
  if (rules_->unmet()) return std::nullopt;
  const auto names = names_of(config);
  Draft draft;
  bool runs = false;
  if (!names || draft_pass(refused.pass, *names, draft, runs) || !runs || finish_pass(draft)) return std::nullopt;
  const ModuleFacts& facts = draft.pass.facts;
  switch (*refused.limit) {
    case Limit::shared_memory: return facts.shared_bytes;
    case Limit::private_memory: return facts.private_bytes;
    default: return uint64_t{facts.local_size[0]} * facts.local_size[1] * facts.local_size[2];
  }
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

std::optional<Refusal> Planner::plan_with_advice(const Config& config, Plan& out) const {
  if (auto refused = refuse_problem()) return refused;
  auto refused = plan(config, out);
  if (refused && refused->limit) refused->error.message += advice(*refused, out.config);
  return refused;
}

Result<Plan> make_plan(const Variant& variant, const Problem& problem, const Config& config, const DeviceInfo& device,
                       Compiler& compiler) {
  Plan plan;
  if (auto refused = Planner(variant, problem, device, compiler).plan_with_advice(config, plan))
    return std::move(refused->error);
  return plan;
}

}  // namespace attnscope
