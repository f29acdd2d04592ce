#include "engine/tune/passes.hpp"

#include <algorithm>
#include <cctype>

#include "engine/variant/binding.hpp"

namespace attnscope::tune {

Result<std::vector<TunedPass>> describe_passes(const Variant& variant, const Problem& problem, const Config& config,
                                               const DeviceInfo& device, Compiler& compiler) {
  const Result<Plan> plan = make_plan(variant, problem, config, device, compiler);
  if (!plan) return plan.error();
  std::vector<TunedPass> out;
  for (const PlanPass& pass : plan->passes) {
    TunedPass described;
    described.name = pass.name;
    described.grid = pass.grid;
    described.local_size = pass.facts.local_size;
    described.subgroup_size = pass.subgroup_size;
    const auto& passes = variant.manifest.passes;
    const auto decl = std::find_if(passes.begin(), passes.end(), [&](const auto& d) { return d.name == pass.name; });
    if (decl != passes.end()) {
      described.shader = decl->shader;
      described.grid_formula = decl->grid;
    }
    const Result<Reflection> reflection = reflect(pass.spirv);
    if (!reflection) return reflection.error();
    for (const SpecConstant& constant : reflection->constants) {
      const auto value = pass.constants.find(constant.id);
      if (value == pass.constants.end()) continue;
      TunedConstant c{constant.id, constant.name, value->second, {}};
      const std::string key = constant_key(constant.id);
      if (decl != passes.end() && decl->constants.contains(key)) {
        c.formula = decl->constants.at(key);
      } else if (!config.contains(c.name)) {
        if (decl != passes.end() && decl->constants.contains(c.name)) {
          c.formula = decl->constants.at(c.name);
        } else {
          c.formula = c.name;
          std::transform(c.formula.begin(), c.formula.end(), c.formula.begin(),
                         [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
        }
      }
      described.constants.push_back(std::move(c));
    }
    out.push_back(std::move(described));
  }
  return out;
}

}  // namespace attnscope::tune
