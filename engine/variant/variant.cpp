#include "engine/variant/variant.hpp"

#include "engine/variant/binding.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {
namespace {

// Loading has no device and no problem yet; names are what matters, and values only for a pass's defines.
Names sample_names(const Manifest& manifest) {
  DeviceInfo device;
  device.limits.subgroup_size = device.limits.min_subgroup_size = device.limits.max_subgroup_size = 32;
  device.limits.max_shared_bytes = 32768;
  device.limits.max_workgroup_invocations = 256;
  Problem problem;
  if (const auto dtype = parse_dtype(manifest.dtypes.front())) problem.dtype = *dtype;
  return variant_names(manifest, problem, device);
}

class Loader {
 public:
  Loader(Variant& variant, Compiler& compiler)
      : variant_(variant), compiler_(compiler), file_(variant.name + "/manifest.toml") {}

  Result<void> load() {
    names_ = sample_names(variant_.manifest);
    TRY(check_tensors());
    TRY(add_parameter_names());
    TRY(within(file_, resolve(variant_.manifest.let, names_, "let")));
    for (const auto& pass : variant_.manifest.passes) TRY(check_pass(pass));
    for (const auto& [what, found] : shared_)
      if (!found) return wrong(fmt::format("{} is nothing that a shader has", what));
    TRY(take_parameters());
    add_constraints();
    TRY(check_scratch());
    TRY(check_expressions());
    return check_configs();
  }

 private:
  Error wrong(const std::string& message) const { return bad_input(file_ + ": " + message); }

  Result<void> check_tensors() const {
    for (const auto& [name, decl] : variant_.manifest.tensors)
      for (const std::string& text :
           {decl.type, decl.offset, decl.strides[0], decl.strides[1], decl.strides[2], decl.strides[3]})
        TRY(check_names(text, names_, fmt::format("tensors: {} of {}", text == decl.type ? "type" : "a stride", name)));
    return {};
  }

  Result<void> add_parameter_names() {
    for (const auto& p : variant_.manifest.parameters) {
      if (names_.contains(p.name))
        return wrong(fmt::format("parameter '{}' has the name of something known already", p.name));
      names_[p.name] = double(p.values.front());
    }
    for (const auto& [name, text] : variant_.manifest.let)
      if (names_.contains(name))
        return wrong(
            fmt::format("let '{}' has the name of something known already (a parameter, or a name of "
                        "docs/variants.md): name it otherwise, and bind it under 'constants' or 'push'",
                        name));
    return {};
  }

  Result<void> check_block(const PushDecl& block, const Names& names, const std::string& where) {
    const auto check = [&](const PushValue& value) -> Result<void> {
      if (value.type != PushType::address) return check_names(value.value, names, where);
      const Role* role = find_role(value.value);
      const auto& scratch = variant_.manifest.scratch;
      const bool known =
          role ? role->formed : std::ranges::any_of(scratch, [&](auto& s) { return s.name == value.value; });
      if (!known)
        return bad_input("{}: '{}' has no address: q, k, v, o, mask and scratch buffers have", where, value.value);
      used_scratch_.insert(value.value);
      return {};
    };
    for (const auto& [name, value] : block.named) TRY(check(value));
    for (const auto& [offset, value] : block.placed) TRY(check(value));
    return {};
  }

  Result<void> check_pass(const PassDecl& pass) {
    const std::string where = fmt::format("{}: pass '{}'", file_, pass.name);
    Names names = names_;
    for (const auto& [name, text] : pass.constants)
      if (names.contains(name))
        return bad_input(
            "{}: constant '{}' has the name of something known already (a let, a parameter, or a name of "
            "docs/variants.md), which binds it: leave it out here, or bind it by constant_id",
            where, name);
    TRY(add_pass_names(pass, names, where));
    const DType dtype = *parse_dtype(variant_.manifest.dtypes.front());
    const auto request = TRY(module_request(variant_.source, pass, dtype, names));
    const auto module = TRY(get_module(variant_, request, compiler_));
    const Reflection& reflection = module.reflection;
    const std::string shader = request.compile.name;

    if (auto r = check_bindings(reflection, names, pass.push, shader); !r)
      return with_strangers(r.error(), reflection, shader);
    TRY(check_block(pass.push, names, where + ": push"));
    for (const auto& [place, block] : reflection.uniforms) {
      const std::string what = fmt::format("{}: uniform block on {}", where, place_text(place));
      TRY(push_parts(block, names, pass.uniform(place), what));
      TRY(check_block(pass.uniform(place), names, what));
    }
    for (const auto& [name, text] : pass.constants) {
      const bool there = std::ranges::any_of(reflection.constants, [&, &name = name](const SpecConstant& c) {
        return c.name == name || constant_key(c.id) == name;
      });
      if (!there && !pass.shared_constants.contains(name))
        return bad_input("{}: constant '{}' is not a spec constant of {}", where, name, shader);
      shared_.emplace("constants: '" + name + "'", false).first->second |= there;
    }
    for (const PushMember& member : reflection.push) {
      shared_["push: '" + member.name + "'"] = true;
      for (const auto& [offset, value] : pass.push.placed)
        if (offset >= member.offset && offset < member.offset + member.bytes)
          shared_[fmt::format("push: '{}'", offset)] = true;
    }
    for (const auto& [name, value] : pass.push.named) shared_.emplace("push: '" + name + "'", false);
    for (const auto& [offset, value] : pass.push.placed) shared_.emplace(fmt::format("push: '{}'", offset), false);
    for (const auto& constant : reflection.constants) defaults_[constant.name].emplace_back(shader, constant);
    const auto slots = TRY(within(file_, slots_of(variant_.manifest, pass, reflection, names, shader)));
    for (const Slot& slot : slots) used_scratch_.insert(slot.scratch);
    for (const auto& [place, all] : pass.bindings.empty() ? variant_.manifest.bindings : pass.bindings)
      for (const Bound& bound : all) {
        TRY(check_names(bound.when, names, where + ": bindings"));
        if (!bound.when.empty()) used_scratch_.insert(bound.name);
      }
    if (const std::string unused = unused_binding(pass, reflection, shader); !unused.empty())
      return bad_input("{}: {}", where, unused);
    for (const auto& axis : pass.grid) TRY(within(where + ": grid", evaluate(axis, names)));
    if (!pass.when.empty()) TRY(within(where + ": when", evaluate(pass.when, names)));
    return {};
  }

  // A misspelt name leaves one constant unbound and one parameter without a constant: both belong in the message.
  Error with_strangers(Error error, const Reflection& reflection, const std::string& shader) const {
    std::vector<std::string> strangers;
    for (const auto& p : variant_.manifest.parameters)
      if (!p.start &&
          std::ranges::none_of(reflection.constants, [&](const SpecConstant& c) { return c.name == p.name; }))
        strangers.push_back(p.name);
    if (!strangers.empty())
      error.message += fmt::format(". Parameters of {} that {} lacks: {}", file_, shader, fmt::join(strangers, ", "));
    return error;
  }

  Result<void> take_parameters() {
    for (const auto& decl : variant_.manifest.parameters) {
      const auto found = defaults_.find(decl.name);
      if (decl.start) {
        TRY(take_started(decl, found != defaults_.end()));
        continue;
      }
      if (found == defaults_.end()) {
        std::set<std::string> shaders;
        for (const auto& pass : variant_.manifest.passes) shaders.insert(variant_.name + "/" + pass.shader);
        return wrong(fmt::format("parameter '{}' is not a spec constant of {}", decl.name, fmt::join(shaders, " or ")));
      }
      const auto& [shader, constant] = found->second.front();
      const int64_t value =
          constant.type == ScalarType::int32 ? int64_t(int32_t(constant.default_bits)) : int64_t(constant.default_bits);
      if (constant.type == ScalarType::float32 || constant.type == ScalarType::other)
        return wrong(fmt::format("parameter '{}' is not an integer or bool in {}", decl.name, shader));
      for (const auto& [other_shader, other] : found->second)
        if (other.default_bits != constant.default_bits)
          return wrong(fmt::format("parameter '{}' has default {} in {} but {} in {}", decl.name, constant.default_bits,
                                   shader, other.default_bits, other_shader));
      if (!contains(decl.values, value))
        return wrong(fmt::format("parameter '{}': its default {} in {} is not among the values {}", decl.name, value,
                                 shader, fmt::join(decl.values, ", ")));
      variant_.parameters.push_back({decl.name, decl.meaning, decl.values, value});
    }
    return {};
  }

  // What means nothing for a problem costs a search no trials.
  void add_constraints() {
    for (size_t i = 0; i < variant_.parameters.size(); ++i) {
      const std::string& applies = variant_.manifest.parameters[i].applies;
      const Parameter& p = variant_.parameters[i];
      if (!applies.empty())
        variant_.manifest.constraints.push_back(
            {fmt::format("({}) || {} == {}", applies, p.name, p.default_value),
             fmt::format("{0}={{{0}}} means nothing here, where it stays at {1}", p.name, p.default_value)});
    }
  }

  // The manifest says its default; what the shaders have is then of no matter.
  Result<void> take_started(const ParameterDecl& decl, bool is_constant) {
    if (!contains(decl.values, *decl.start))
      return wrong(fmt::format("parameter '{}': its start {} is not among the values {}", decl.name, *decl.start,
                               fmt::join(decl.values, ", ")));
    if (!is_constant && !mentions(decl.name))
      return wrong(fmt::format("parameter '{}' is neither a spec constant of a shader nor in any expression of a pass",
                               decl.name));
    variant_.parameters.push_back({decl.name, decl.meaning, decl.values, *decl.start});
    return {};
  }

  bool mentions(const std::string& parameter) const {
    const auto in = [&](const std::string& text) {
      const auto used = used_names(text);
      return used && used->contains(parameter);
    };
    const auto in_values = [&](const auto& values) {
      return std::ranges::any_of(values, [&](const auto& v) { return in(v.second); });
    };
    const auto in_push = [&](const auto& values) {
      return std::ranges::any_of(values, [&](const auto& v) { return in(v.second.value); });
    };
    const auto in_block = [&](const PushDecl& block) { return in_push(block.named) || in_push(block.placed); };
    const Manifest& m = variant_.manifest;
    return in_values(m.let) || std::ranges::any_of(m.passes, [&](const PassDecl& p) {
             return in_values(p.constants) || in_values(p.defines) || in_block(p.push) ||
                    std::ranges::any_of(p.uniforms, [&](const auto& u) { return in_block(u.second); }) || in(p.when) ||
                    in(p.subgroup_size) || std::ranges::any_of(p.grid, in) ||
                    std::ranges::any_of(p.texts, [&](const auto& t) { return in(t.second.pick); });
           });
  }

  Result<void> check_scratch() const {
    std::set<uint32_t> seen;
    for (const auto& scratch : variant_.manifest.scratch) {
      if (scratch.binding && !seen.insert(*scratch.binding).second)
        return wrong(fmt::format("scratch '{}': binding {} is taken by another", scratch.name, *scratch.binding));
      // Where defines make modules differ, not every one needs it.
      const bool may_differ = std::ranges::any_of(variant_.manifest.passes, [](auto& p) { return !p.defines.empty(); });
      if (!used_scratch_.contains(scratch.name) && !(scratch.binding && may_differ))
        return wrong(scratch.binding
                         ? fmt::format("scratch '{}': no pass uses binding {}", scratch.name, *scratch.binding)
                         : fmt::format("scratch '{}': no pass uses it", scratch.name));
      TRY(within(fmt::format("{}: scratch '{}'", file_, scratch.name), evaluate(scratch.bytes, names_)));
    }
    return {};
  }

  Result<void> check_expressions() const {
    const auto& m = variant_.manifest;
    Names problem_only = sample_names(m);
    for (const auto& [name, text] : m.let)
      if (depends_on_problem_alone(text)) problem_only[name] = 0;
    for (const auto& c : m.supports) TRY(check_names(c.require, problem_only, "supports"));
    if (!m.rank.empty()) {
      TRY(check_names(m.rank, problem_only, "rank"));
      // One of names may have no value on some problems, which are refused then.
      if (auto r = evaluate(m.rank, {}); !r && used_names(m.rank)->empty()) return wrong("rank: " + r.error().message);
    }
    for (const auto& c : m.no_spills) TRY(check_names(c.require, names_, "no_spills"));
    for (const auto& c : m.constraints) TRY(check_names(c.require, names_, "constraint"));
    for (const auto* text : {&m.extra_bytes, &m.accumulate, &m.probabilities, &m.scores, &m.kv, &m.f16_pairs})
      TRY(check_names(*text, names_, "extra_bytes or precision"));
    for (const auto* text : {&m.tiles.query, &m.tiles.key, &m.tiles.value, &m.tiles.splits, &m.tiles.whole,
                             &m.tiles.heads, &m.tiles.all_keys, &m.tiles.lane_stride, &m.tiles.lane_bytes})
      TRY(check_names(*text, names_, "tiles"));
    return {};
  }

  bool depends_on_problem_alone(const std::string& text) const {
    const Manifest& m = variant_.manifest;
    const auto names = names_below(text, [&](const std::string& name) { return find_at(m.let, name); });
    return names && std::ranges::none_of(m.parameters, [&](const auto& p) { return names->contains(p.name); });
  }

  /// Of an expression that is not there ("") all is known.
  Result<void> check_names(const std::string& text, const Names& known, const std::string& what) const {
    if (text.empty()) return {};
    const auto used = TRY(within(file_ + ": " + what, used_names(text)));
    for (const auto& name : used)
      if (!known.contains(name))
        return wrong(fmt::format("{}: expression \"{}\": unknown name '{}'{}", what, text, name,
                                 names_.contains(name) ? " (only names of the problem and the device here)" : ""));
    return {};
  }

  Result<void> check_configs() const {
    for (const auto& config : variant_.manifest.configs) {
      TRY(check_names(config.suits, names_, fmt::format("config '{}'", config.name)));
      for (const auto& [name, value] : config.values) {
        const auto p = std::ranges::find(variant_.parameters, name, &Parameter::name);
        if (p == variant_.parameters.end())
          return wrong(fmt::format("config '{}': there is no parameter '{}'", config.name, name));
        if (!contains(p->values, value))
          return wrong(fmt::format("config '{}': {}={} is not among the values {}", config.name, name, value,
                                   fmt::join(p->values, ", ")));
      }
    }
    return {};
  }

  Variant& variant_;
  Compiler& compiler_;
  std::string file_;
  Names names_;
  std::map<std::string, std::vector<std::pair<std::string, SpecConstant>>> defaults_;
  std::set<std::string> used_scratch_;
  std::map<std::string, bool> shared_;  ///< what passes bind, and whether any shader has it
};

std::string source_hash(const VariantSource& source, const Manifest& manifest) {
  std::map<std::string, std::string> files{{"manifest.toml", manifest.identity}};
  for (const auto& pass : manifest.passes) {
    files[pass.shader] = *find_source_file(source, pass.shader);
    files.merge(reachable_files(source, pass.shader));
  }
  std::string all;
  for (const auto& [name, text] : files) all += fmt::format("{} {}\n{}", name, text.size(), text);
  return content_hash(all);
}

}  // namespace

Result<std::string> source_hash(const VariantSource& source) {
  if (!source.unreadable.empty()) return bad_input(source.unreadable);
  return source_hash(source, TRY(parse_manifest(source)));
}

Result<Variant> load_variant(const VariantSource& source, Compiler& compiler) {
  if (!source.unreadable.empty()) return bad_input(source.unreadable);
  Variant variant;
  variant.name = source.name;
  variant.manifest = TRY(parse_manifest(source));
  variant.source = source;
  variant.modules = std::make_shared<ModuleCache>();
  variant.hash = source_hash(source, variant.manifest);
  TRY(Loader(variant, compiler).load());
  return variant;
}

}  // namespace attnscope
