#include "engine/variant/plan.hpp"

#include "engine/clock.hpp"
#include "engine/variant/binding.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

template <class Pass, class F>
void for_each_address(Pass& pass, F f) {
  for (auto& address : pass.push_addresses) f(address);
  for (auto& block : pass.uniforms)
    for (auto& address : block.addresses) f(address);
}
/// Those of bindings, and those of addresses.
template <class Pass, class F>
void for_each_slot(Pass& pass, F f) {
  for (auto& slot : pass.slots) f(slot);
  for_each_address(pass, [&](auto& address) { f(address.slot); });
}

Refusal refusal(Error error, std::string reason) { return Refusal{std::move(error), std::move(reason)}; }
Refusal broken(Error error, std::string reason) {
  return {.error = std::move(error), .reason = std::move(reason), .broken = true};
}

std::optional<Refusal> check_candidates(const Variant& variant, const Config& given, Config& full) {
  full = default_config(variant);
  for (const auto& [name, value] : given) {
    const auto p = std::ranges::find(variant.parameters, name, &Parameter::name);
    if (p == variant.parameters.end())
      return refusal(bad_input("{} has no parameter '{}'", variant.name, name), "unknown parameter");
    if (!contains(p->values, value))
      return refusal(bad_input("{}={}: {} may be one of {}", name, value, name, fmt::join(p->values, ", ")),
                     fmt::format("a value of {} that is no candidate", name));
    full[name] = value;
  }
  return std::nullopt;
}

}  // namespace

Result<uint64_t> whole_number(const std::string& expression, const Names& names, const std::string& what,
                              uint64_t most) {
  const double value = TRY(within(what, evaluate(expression, names)));
  if (value < 0 || value != std::floor(value) || value > double(most))
    return bad_input("{}: \"{}\" is {}, not a whole number from 0 to {}", what, expression, grouped(value),
                     grouped(most));
  return uint64_t(value);
}

Result<DType> type_of(const std::string& expression, const Names& names, const std::string& what) {
  const double value = TRY(within(what, evaluate(expression, names)));
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    if (value == double(dtype)) return dtype;
  return bad_input("{}: \"{}\" is {}, not one of f32, f16, bf16", what, expression, grouped(value));
}

Planner::Planner(const Variant& variant, const Problem& problem, const DeviceInfo& device, Compiler& compiler)
    : variant_(variant), problem_(problem), device_(device), compiler_(compiler) {
  // Names of a problem that is none, such as its strides, have no values.
  if (check_problem(problem)) known_ = variant_names(variant.manifest, problem, device, &forms_);
  rules_ = std::make_unique<Rules>(variant, known_);
}

Result<double> Planner::value(const std::string& expression, const Config& config) const {
  const Names names = TRY(names_of(config));
  return evaluate(expression, names);
}

Result<Names> Planner::names_of(const Config& config) const {
  Names names = known_;
  rules_->set(config);
  if (rules_->add_values(names)) return names;
  // Once more, for the sentence.
  names = known_;
  for (const auto& p : variant_.parameters) names[p.name] = double(config.at(p.name));
  TRY(within(variant_.name + "/manifest.toml", resolve(variant_.manifest.let, names, "let")));
  return names;
}

Refusal Planner::unmet(size_t constraint, const Config& config) const {
  const ConstraintDecl& c = variant_.manifest.constraints[constraint];
  const auto names = names_of(config);
  if (!names) return refusal(names.error(), c.require);
  const auto value = evaluate(c.require, *names);
  return refusal(value ? bad_input(unmet_text(c, *names)) : value.error(), c.require);
}

std::optional<Refusal> Planner::draft_grid(const PassDecl& decl, size_t index, Draft& draft,
                                           const std::string& where) const {
  std::array<uint64_t, 3> grid{1, 1, 1};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string reason = fmt::format("grid of pass '{}'", decl.name);
    const auto count = whole_number(decl.grid[axis], draft.names, where + ": grid");
    if (!count) return refusal(count.error(), reason);
    if (*count == 0)
      return refusal(
          bad_input("{}: grid: \"{}\" is 0; a pass that has nothing to do needs a 'when'", where, decl.grid[axis]),
          reason);
    grid[axis] = *count;
  }
  if (auto refused = check_pass_grid(decl.name, index, grid, device_)) {
    refused->error.message += " Use a smaller problem or larger tiles.";
    return refused;
  }
  for (size_t axis = 0; axis < 3; ++axis) draft.pass.grid[axis] = uint32_t(grid[axis]);
  return std::nullopt;
}

std::optional<Refusal> Planner::draft_pass(size_t index, const Names& names, Draft& draft, bool& runs) const {
  const PassDecl& decl = variant_.manifest.passes[index];
  const std::string where = fmt::format("{}/manifest.toml: pass '{}'", variant_.name, decl.name);
  const auto faulty = [&](Error error) { return broken(std::move(error), "a fault of " + where); };
  runs = true;
  if (!decl.when.empty()) {
    const auto when = evaluate(decl.when, names);
    if (!when) return faulty(bad_input("{}: when: {}", where, when.error().message));
    runs = *when != 0;
    if (!runs) return std::nullopt;
  }
  draft.index = index;
  draft.names = names;
  draft.pass.name = decl.name;
  if (const auto added = add_pass_names(decl, draft.names, where); !added) return faulty(added.error());
  if (!decl.subgroup_size.empty()) {
    const auto size = whole_number(decl.subgroup_size, names, where + ": subgroup_size", UINT32_MAX);
    if (!size) return faulty(size.error());
    draft.pass.subgroup_size = uint32_t(*size);
  }
  // What is cheap to find out comes before a compiler is asked.
  if (auto refused = draft_grid(decl, index, draft, where)) return refused;
  auto request = module_request(variant_.source, decl, problem_.dtype, draft.names);
  if (!request) return faulty(request.error());
  const auto start = Clock::now();
  auto module = get_module(variant_, *request, compiler_);
  compiling_ms_ += ms_since(start);
  if (!module) return broken(module.error(), fmt::format("pass '{}' does not compile", decl.name));
  draft.request = std::move(*request);
  draft.module = std::move(*module);
  draft.pass.spirv = draft.module.spirv;
  const std::string& shader = draft.request.compile.name;
  const Reflection& reflection = draft.module.reflection;
  const auto addresses = [&](const Block& block, const PushDecl& values) -> Result<std::vector<Address>> {
    std::vector<Address> out;
    for (const PushPart& part : TRY(push_parts(block, draft.names, values, shader))) {
      if (!part.address) continue;
      const Role* role = find_role(part.expression);
      out.push_back({part.offset, role ? Slot{0, role->binding, {}} : Slot{0, std::nullopt, part.expression}});
    }
    return out;
  };
  const auto placed = [&]() -> Result<void> {
    draft.pass.slots = TRY(slots_of(variant_.manifest, decl, reflection, draft.names, shader));
    draft.pass.push_addresses = TRY(addresses(reflection, decl.push));
    for (const auto& [place, block] : reflection.uniforms)
      draft.pass.uniforms.emplace_back(PlanBlock{place, {}, {}}).addresses = TRY(addresses(block, decl.uniform(place)));
    return {};
  }();
  if (!placed) return faulty(placed.error());
  // A shader may declare a buffer that only some problems have.
  for_each_slot(draft.pass, [&](Slot& slot) {
    if (slot.tensor && !has_tensor(problem_, *slot.tensor)) slot = {slot.place, std::nullopt, std::string(kDummy)};
  });
  return std::nullopt;
}

std::optional<Refusal> Planner::finish_pass(Draft& draft) const {
  const std::string& shader = draft.request.compile.name;
  const Reflection& reflection = draft.module.reflection;
  const PassDecl& decl = variant_.manifest.passes[draft.index];
  PlanPass& pass = draft.pass;
  const auto bound = [&]() -> Result<void> {
    pass.constants = TRY(bind_constants(reflection, draft.names, shader));
    pass.push = TRY(bind_push(reflection, draft.names, decl.push, shader));
    for (PlanBlock& block : pass.uniforms)
      block.bytes = TRY(bind_push(reflection.uniforms.at(block.place), draft.names, decl.uniform(block.place),
                                  shader + " uniform block on " + place_text(block.place)));
    const auto& spirv = draft.module.spirv;
    pass.facts = TRY(within(shader, variant_.modules->facts(draft.request.key, spirv, pass.constants)));
    return {};
  }();
  if (!bound) return refusal(bound.error(), fmt::format("constants of pass '{}'", pass.name));
  return std::nullopt;
}

std::optional<Refusal> Planner::plan_scratch(const Names& names, const std::vector<Draft>& drafts, Plan& out) const {
  const auto used = [&](const std::string& name) {
    bool found = false;
    for (const Draft& draft : drafts)
      for_each_slot(draft.pass, [&](const Slot& s) { found = found || (!s.tensor && s.scratch == name); });
    return found;
  };
  for (const auto& s : variant_.manifest.scratch) {
    const std::string what = fmt::format("{}/manifest.toml: scratch '{}'", variant_.name, s.name);
    const auto bytes = whole_number(s.bytes, names, what);
    if (!bytes) return refusal(bytes.error(), fmt::format("size of scratch '{}'", s.name));
    // An empty buffer cannot be bound; a pass whose `when` is false may leave its scratch without a use.
    if (!used(s.name)) continue;
    if (*bytes == 0)
      return refusal(bad_input("{}: \"{}\" is 0 bytes, and a pass uses it", what, s.bytes),
                     fmt::format("size of scratch '{}'", s.name));
    out.scratch.push_back({s.name, *bytes, s.zeroed, false});
    out.scratch_bytes += *bytes;
  }
  for (PlanScratch& s : out.scratch)
    for (const Draft& draft : drafts)
      for_each_address(draft.pass, [&](const Address& a) { s.addressed = s.addressed || a.slot.scratch == s.name; });
  // It is no memory that the kernel works with.
  if (used(std::string(kDummy))) out.scratch.push_back({std::string(kDummy), kDummyBytes, false, false});
  return check_buffers(problem_, out.forms, out.scratch, device_);
}

std::optional<Refusal> Planner::plan(const Config& given, Plan& out) const {
  out = Plan{};
  out.variant = variant_.name;
  out.problem = problem_;
  if (auto refused = check_candidates(variant_, given, out.config)) return refused;
  rules_->set(out.config);
  if (const auto constraint = rules_->unmet()) return unmet(*constraint, out.config);
  const auto names = names_of(out.config);
  if (!names) return refusal(names.error(), "a let without a value");
  const auto& m = variant_.manifest;
  std::vector<Draft> drafts;
  for (size_t i = 0; i < m.passes.size(); ++i) {
    Draft draft;
    bool runs = false;
    if (auto refused = draft_pass(i, *names, draft, runs)) return refused;
    if (runs) drafts.push_back(std::move(draft));
  }
  if (drafts.empty())
    return refusal(bad_input("{}: no pass has anything to do for this problem and config", variant_.name),
                   "no pass has anything to do");
  if (!forms_) return refusal(forms_.error(), "the form of a tensor");
  out.forms = *forms_;
  for (const Draft& draft : drafts)
    for_each_address(draft.pass, [&](const Address& a) {
      if (a.slot.tensor)
        out.forms.emplace(*a.slot.tensor, own_form(problem_, *a.slot.tensor)).first->second.addressed = true;
    });
  if (auto refused = plan_scratch(*names, drafts, out)) return refused;
  for (Draft& draft : drafts) {
    if (auto refused = finish_pass(draft)) return refused;
    if (auto refused = check_pass(draft.pass, draft.module.reflection, draft.index, device_)) return refused;
    out.shared_bytes = std::max(out.shared_bytes, draft.pass.facts.shared_bytes);
    out.private_bytes = std::max(out.private_bytes, draft.pass.facts.private_bytes);
    out.passes.push_back(std::move(draft.pass));
  }
  const std::string file = variant_.name + "/manifest.toml";
  const auto faulty = [&](Error error) { return refusal(std::move(error), "a fault of " + file); };
  if (!m.extra_bytes.empty()) {
    const auto extra = evaluate(m.extra_bytes, *names);
    if (!extra || *extra < 0)
      return faulty(
          bad_input("{}: extra_bytes: {}", file, extra ? grouped(*extra) + " is below 0" : extra.error().message));
    out.extra_bytes = *extra;
  }
  out.extra_bytes += form_extra_bytes(problem_, out.forms);
  for (const ConstraintDecl& c : m.no_spills)
    if (const auto fits = evaluate(c.require, *names); out.may_spill.empty() && fits && *fits == 0)
      out.may_spill = fill_in(c.because, *names);
  out.bit_stable = m.nondeterministic.empty();
  for (const auto& [expression, place] : {std::pair{&m.accumulate, &out.precision.accumulate},
                                          {&m.probabilities, &out.precision.probabilities},
                                          {&m.kv, &out.precision.kv},
                                          {&m.scores, &out.precision.scores}}) {
    const auto type = type_of(*expression, *names, file + ": precision");
    if (!type) return faulty(type.error());
    *place = *type;
  }
  // K and V that are not packed are read as they are.
  if (!problem_.packed_kv()) out.precision.kv = DType::f32;
  const auto f16_pairs = evaluate(m.f16_pairs, *names);
  if (!f16_pairs) return faulty(bad_input("{}: precision: {}", file, f16_pairs.error().message));
  out.precision.f16_pairs = *f16_pairs != 0;
  return std::nullopt;
}

// Which parameters to change when a config asks for too much of something that is counted.

std::optional<uint64_t> Planner::measure(const Refusal& refused, const Config& config) const {
  rules_->set(config);
  if (rules_->unmet()) return std::nullopt;
  const auto names = names_of(config);
  Draft draft;
  bool runs = false;
  if (!names || draft_pass(refused.pass, *names, draft, runs) || !runs || finish_pass(draft)) return std::nullopt;
  const ModuleFacts& facts = draft.pass.facts;
  if (*refused.limit == Limit::shared_memory) return facts.shared_bytes;
  return *refused.limit == Limit::private_memory ? facts.private_bytes : facts.invocations();
}

// Tries every other candidate of each parameter: those that bring the number down are named, or else that change it.
std::string Planner::advice(const Refusal& refused, const Config& config) const {
  std::vector<std::string> cause, lower, raise;
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
    if (matters) add_line(cause, "{}={}", p.name, config.at(p.name));
    if (helps_lower) lower.push_back(p.name);
    if (helps_raise) raise.push_back(p.name);
  }
  std::string text = cause.empty() ? "" : fmt::format(" It comes from {}.", joined(cause, ","));
  if (!lower.empty()) text += fmt::format(" Lower {}.", joined(lower, " or "));
  if (!raise.empty()) text += fmt::format(" {} {}.", lower.empty() ? "Raise" : "Or raise", joined(raise, " or "));
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
