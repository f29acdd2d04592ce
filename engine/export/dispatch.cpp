// dispatch.h and dispatch.c, or the Rust crate: for any problem which modules to run, with what constants, push
// constants, grids and scratch memory; the manifests' formulas are functions there.
#include <cctype>

#include <fmt/ranges.h>

#include "engine/export/describe.hpp"
#include "engine/shader/module.hpp"
#include "engine/tune/header.hpp"
#include "engine/variant/binding.hpp"
#include "engine/visible.hpp"

namespace attnscope::exporting {
namespace {

using tune::c_comment;
using tune::c_string;
using tune::put;

bool of_problem(std::string_view name) { return find_by(problem_expressions(), name, &NamedText::first) != nullptr; }

char type_letter(ScalarType type) { return *word_of(type, {"b", "i", "u", "f", "u"}); }

struct Most {
  size_t constants = 1, push_bytes = 4, passes = 1, scratch = 1;
};

/// Each statement of an entry's function, in C and in Rust.
using Both = std::array<const char*, 2>;
constexpr Both kLet{"    {0}const double {1} = {2};\n", "    {0}let {1}: f64 = {2};\n"};
constexpr Both kRequire{"    {0}if ({1} == 0.0)\n        {0}return 0;\n",
                        "    {0}if {1} == 0.0 {{\n        {0}return None;\n    {0}}}\n"};
constexpr Both kSame{"    {0}if ({1} != {2})\n        {0}return 0;\n",
                     "    {0}if {1} != {2} {{\n        {0}return None;\n    {0}}}\n"};
constexpr Both kUnused{"        (void){};\n", "        let _ = {};\n"};
constexpr Both kWhole{"        if (!attn_whole({0}, &d->{1}))\n            return 0;\n",
                      "        d.{1} = attn_whole({0})?;\n"};
constexpr Both kConstant{"        d->constants[{0}] = attn_bits({1}, '{2}');\n",
                         "        d.constants.push(attn_bits({1}, '{2}')); // {0}\n"};
constexpr Both kPush{"        attn_push(d, {}u, {}, '{}');\n",
                     "        d.put({}, &attn_bits({}, '{}').to_le_bytes());\n"};
constexpr Both kPush64{"        attn_push_u64(d, {}u, {});\n", "        d.put({}, &({} as u64).to_le_bytes());\n"};
constexpr Both kPass{
    "    {{\n        attn_dispatch *d = &out->pass[{0}];\n        d->module = &attn_module_{1};\n{2}    }}\n",
    "    {{\n        let mut d = Dispatch::new(&MODULES[{1}]); // {0}\n{2}        out.dispatches.push(d);\n    }}\n"};
constexpr Both kScratch{
    "    out->scratch[{0}].name = {1};\n    out->scratch[{0}].binding = {2}u;\n"
    "    out->scratch[{0}].zeroed = {3}u;\n    out->scratch[{0}].bytes = attn_u64({4});\n",
    "    // {0}\n    out.scratch.push(Scratch {{ name: {1}, binding: {2}, zeroed: {3} != 0, bytes: {4} as u64 }});\n"};
constexpr Both kEntry{
    "static int attn_plan_{0}(const attn_names *n, attn_plan *out)\n{{\n{1}{2}    out->problem = {3};\n"
    "    out->variant = {4};\n    out->config = {5};\n    out->pass_count = {6}u;\n    out->scratch_count = {7}u;\n"
    "    return 1;\n}}\n\n",
    "fn plan_{0}(n: &Names) -> Option<Plan> {{\n{1}    let mut out = Plan::new({3}, {4}, {5}); // {6} passes, {7} of "
    "scratch\n{2}    Some(out)\n}}\n\n"};

/// Modules by their text, and what has them all: tables in C, files of the crate and a list of them in Rust.
struct Modules {
  std::map<std::string, size_t> known;
  std::string tables;
  std::vector<ExportedFile> files;
};

/// One entry: its function, and its modules where no earlier entry has the same.
class Entry {
 public:
  Entry(const ExportRequest& request, const Variant& variant, const Plan& plan, size_t index, Language language)
      : request_(request), variant_(variant), plan_(plan), index_(index), language_(language) {
    for (const auto& [name, value] : problem_names(request.problem, request.device))
      if (!of_problem(name)) fixed_[name] = value;
  }

  Result<std::string> text(Modules& modules, Most& most) {
    TRY(conditions());
    most.passes = std::max(most.passes, plan_.passes.size());
    for (size_t i = 0; i < plan_.passes.size(); ++i) TRY(pass(i, modules, most));
    const size_t scratch = TRY(this->scratch(most));
    return say(kEntry, index_, lets_, body_, c_string(to_text(plan_.problem)), c_string(variant_.name),
               c_string(to_text(plan_.config)), plan_.passes.size(), scratch);
  }

 private:
  template <class... A>
  std::string say(const Both& both, const A&... arguments) const {
    return fmt::format(fmt::runtime(both[size_t(language_)]), arguments...);
  }
  Result<std::string> c(const std::string& expression, const std::set<std::string>& of_pass = {},
                        const std::string& subgroup_size = {}) {
    std::optional<Error> inner;
    const auto place = [&](std::string name) -> std::string {
      // A kernel for windows serves one that hides nothing, too.
      if (name == "window" && plan_.problem.windowed()) name = "asked_window";
      if (name == "subgroup_size" && !subgroup_size.empty()) return subgroup_size;
      if (of_pass.contains(name)) return "c_" + name;
      if (const auto parameter = plan_.config.find(name); parameter != plan_.config.end())
        return c_number(double(parameter->second));
      if (const auto let = variant_.manifest.let.find(name); let != variant_.manifest.let.end()) {
        if (made_.insert(name).second) {
          // What it is made of comes before it.
          const auto value = c(let->second);
          if (!value) {
            inner = value.error();
            return {};
          }
          lets_ += say(kLet, "", "l_" + name, *value);
        }
        return "l_" + name;
      }
      if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) return c_number(fixed->second);
      return of_problem(name) ? (language_ == Language::c ? "n->" : "n.") + name : std::string();
    };
    auto out = to_source(expression, language_, place);
    if (inner) return *inner;
    return out;
  }
  /// The entry does not serve where this is not so.
  Result<void> require(const std::string& expression) {
    const auto condition = TRY(c(expression));
    body_ += say(kRequire, "", condition);
    return {};
  }

  Result<void> conditions() {
    const Problem& p = plan_.problem;
    std::vector<std::string> same{fmt::format("dtype == {}", int(p.dtype)),
                                  fmt::format("ktype == {}", int(p.k_type)),
                                  fmt::format("vtype == {}", int(p.v_type)),
                                  fmt::format("mla == {}", p.mla ? 1 : 0),
                                  p.topk == 0 ? "topk == 0" : "topk != 0",
                                  fmt::format("varlen == {}", p.varlen.empty() ? 0 : 1),
                                  p.page_size == 0 ? "page_size == 0" : "page_size != 0",
                                  p.windowed() ? "window != 0" : "window == 0",
                                  p.softcap == 0 ? "softcap == 0" : "softcap != 0"};
    for (const auto& [name, asked] :
         {std::pair{"sinks", p.sinks}, {"mask", p.mask != MaskKind::none}, {"alibi", p.mask == MaskKind::alibi}})
      add_line(same, "{} == {}", name, asked ? 1 : 0);
    // Registers and shared memory follow the dims: another one could be beyond the device's limits.
    if (request_.general) {
      add_line(same, "head_dim <= {0} && v_dim <= {0}", kGeneralDim);
    } else {
      add_line(same, "head_dim == {} && v_dim == {}", p.head_dim, p.v_dim);
      add_line(same, "causal == {}", p.causal ? 1 : 0);
    }
    for (const std::string& condition : same) TRY(require(condition));
    for (const auto* all : {&variant_.manifest.supports, &variant_.manifest.constraints})
      for (const ConstraintDecl& one : *all) TRY(require(one.require));
    // A pass that did not run here is none that runs there.
    for (const PassDecl& decl : variant_.manifest.passes) {
      if (decl.when.empty()) continue;
      const bool runs = std::ranges::any_of(plan_.passes, [&](const PlanPass& pass) { return pass.name == decl.name; });
      TRY(require(runs ? decl.when : "!(" + decl.when + ")"));
    }
    return {};
  }

  Result<void> pass(size_t i, Modules& modules, Most& most) {
    const PlanPass& planned = plan_.passes[i];
    const PassDecl* decl = find_by(variant_.manifest.passes, planned.name, &PassDecl::name);
    if (decl == nullptr) return internal_error("a plan has a pass that its manifest has not");
    const Reflection reflection = TRY(reflect(planned.spirv));
    std::set<std::string> named;
    std::string inner, subgroup;
    if (!decl->subgroup_size.empty()) {
      const auto size = TRY(c(decl->subgroup_size));
      inner += say(kLet, "    ", "size", size);
      const std::string other = c_number(fixed_.at("subgroup_size"));
      subgroup = language_ == Language::c ? fmt::format("(size != 0.0 ? size : {})", other)
                                          : fmt::format("(if size != 0.0 {{ size }} else {{ {} }})", other);
      inner += say(kWhole, "size", "subgroup_size");
    }
    const auto in_pass = [&](const std::string& expression) { return c(expression, named, subgroup); };
    // What C would call unused is left out.
    std::map<std::string, std::string> values;
    for (const auto* constant : TRY(in_order_of_use(decl->constants, "constant"))) {
      const std::string& name = constant->first;
      values[name] = TRY(in_pass(constant->second));
      const bool identifier = !std::isdigit(static_cast<unsigned char>(name.front()));
      if (identifier && named.insert(name).second) inner += say(kLet, "    ", "c_" + name, values[name]);
    }
    for (const std::string& name : named) inner += say(kUnused, "c_" + name);
    // The module has these written in.
    const auto require_same = [&](const std::string& expression) -> Result<void> {
      const auto value = TRY(in_pass(expression));
      const auto now = TRY(define_value(planned, *decl, expression));
      inner += say(kSame, "    ", value, c_number(now));
      return {};
    };
    for (const auto& [name, expression] : decl->defines) TRY(require_same(expression));
    for (const auto& [name, text] : decl->texts)
      if (!text.pick.empty()) TRY(require_same(text.pick));
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto count = TRY(in_pass(decl->grid[axis]));
      inner += say(kWhole, count, fmt::format("grid[{}]", axis));
    }
    size_t next = 0;
    std::vector<uint32_t> ids;
    for (const SpecConstant& constant : reflection.constants) {
      if (!planned.constants.contains(constant.id)) continue;
      std::string value;
      if (const auto own = values.find(constant_key(constant.id)); own != values.end())
        value = own->second;
      else
        value = TRY(in_pass(*bound_name(constant, known(named))));
      inner += say(kConstant, next++, value, type_letter(constant.type));
      ids.push_back(constant.id);
    }
    most.constants = std::max(most.constants, ids.size());
    Names members;
    for (const PushMember& member : reflection.push) members[member.name] = 0;
    for (const PushPart& part : TRY(push_parts(reflection, members, decl->push, planned.name))) {
      const auto value = TRY(in_pass(part.expression));
      inner += part.type == ScalarType::other ? say(kPush64, part.offset, value)
                                              : say(kPush, part.offset, value, type_letter(part.type));
    }
    most.push_bytes = std::max(most.push_bytes, planned.push.size());
    const size_t module = TRY(module_of(planned, ids, modules));
    body_ += say(kPass, i, module, inner);
    return {};
  }

  /// All names that a spec constant may stand for.
  Names known(const std::set<std::string>& named) const {
    Names names = problem_names(plan_.problem, request_.device);
    for (const auto& [name, value] : plan_.config) names[name] = 0;
    for (const auto& [name, value] : variant_.manifest.let) names[name] = 0;
    for (const std::string& name : named) names[name] = 0;
    return names;
  }
  Result<double> define_value(const PlanPass& planned, const PassDecl& decl, const std::string& expression) const {
    Names names = problem_names(plan_.problem, request_.device);
    for (const auto& [name, value] : plan_.config) names[name] = double(value);
    TRY(resolve(variant_.manifest.let, names, "let"));
    TRY(add_pass_names(decl, names, planned.name));
    return evaluate(expression, names);
  }

  Result<size_t> module_of(const PlanPass& planned, const std::vector<uint32_t>& ids, Modules& modules) const {
    const Spirv open = TRY(bake(planned.spirv, planned.constants, true));
    const ExportedPass described = TRY(pass_of(planned, {}, request_.device));
    const std::string bytes(bytes_of(open));
    const auto [at, fresh] = modules.known.emplace(content_hash(planned.name + bytes), modules.known.size());
    if (!fresh) return at->second;
    const size_t m = at->second;
    if (language_ == Language::rust) {
      modules.files.push_back({fmt::format("src/{}_{}.spv", planned.name, m), bytes});
      modules.tables += fmt::format(
          "    Module {{\n        name: {},\n        spirv: spirv!(\"{}_{}.spv\"),\n        bindings: &{},\n"
          "        constant_ids: &{},\n        push_bytes: {},\n        full_subgroups: {},\n    }},\n",
          c_string(planned.name), planned.name, m, described.bindings, ids, planned.push.size(),
          described.full_subgroups);
      return m;
    }
    modules.tables += fmt::format(
        "static const uint32_t attn_code_{0}[] = {1};\nstatic const uint32_t attn_bindings_{0}[] = {2};\n"
        "static const uint32_t attn_ids_{0}[] = {3};\nstatic const attn_module attn_module_{0} = {{\n    {4}, "
        "attn_code_{0}, sizeof attn_code_{0}, attn_bindings_{0}, {5}u, attn_ids_{0}, {6}u, {7}u, {8}u}};\n\n",
        m, tune::c_array(*open), tune::c_array(described.bindings), tune::c_array(ids), c_string(planned.name),
        described.bindings.size(), ids.size(), planned.push.size(), described.full_subgroups ? 1 : 0);
    return m;
  }

  Result<size_t> scratch(Most& most) {
    size_t next = 0;
    for (const PlanScratch& s : plan_.scratch) {
      const ScratchDecl* decl = find_by(variant_.manifest.scratch, s.name, &ScratchDecl::name);
      if (decl == nullptr || !decl->binding) continue;
      const auto bytes = TRY(c(decl->bytes));
      body_ += say(kScratch, next++, c_string(s.name), *decl->binding, s.zeroed ? 1 : 0, bytes);
    }
    most.scratch = std::max(most.scratch, next);
    return next;
  }

  const ExportRequest& request_;
  const Variant& variant_;
  const Plan& plan_;
  size_t index_;
  Language language_;
  std::map<std::string, double> fixed_;  ///< names of the device, and of types
  std::set<std::string> made_;           ///< lets
  std::string lets_, body_;
};

Result<std::string> names_of_problem(Language language) {
  std::string out;
  for (const auto& [name, expression] : problem_expressions()) {
    const auto value = TRY(to_source(expression, language, [&](const std::string& used) -> std::string {
      if (!used.starts_with("p_")) return (language == Language::c ? "n->" : "n.") + used;
      return language == Language::c ? "(double)p->" + used.substr(2) : "f64::from(p." + used.substr(2) + ")";
    }));
    out += fmt::format("    n{}{} = {};\n", language == Language::c ? "->" : ".", name, value);
  }
  return out;
}

struct Entries {
  Most most;
  Modules modules;
  std::set<std::string> needs;
  std::string functions, list;
};
Result<Entries> entries_of(std::span<const ExportRequest> requests, Language language) {
  Entries out;
  for (size_t i = 0; i < requests.size(); ++i) {
    const ExportRequest& r = requests[i];
    const auto planned = TRY(plan_of(r));
    for (const std::string& feature : planned.features) {
      const VulkanFeature* known = vulkan_feature(feature);
      if (!known) continue;
      out.needs.insert(known->members.begin(), known->members.end());
      if (!known->extension.empty()) out.needs.insert(known->extension);
    }
    out.functions += TRY(Entry(r, planned.variant, planned.plan, i, language).text(out.modules, out.most));
    const Problem& p = r.problem;
    constexpr Both kRow{"    {{{}.0, {}.0, {}.0, {}.0, {}, attn_plan_{}}}, /* {}: {} */\n",
                        "    ([{}.0, {}.0, {}.0, {}.0], {} != 0, plan_{}), // {}: {}\n"};
    out.list +=
        fmt::format(fmt::runtime(kRow[size_t(language)]), p.seq_q, p.seq_kv, uint64_t{p.batch} * p.heads_q, p.group(),
                    r.general ? 1 : 0, i, c_comment(to_text(p)),
                    r.general ? "general, any shape"
                              : c_comment(r.verified) + "; not general, its head dims, causal and options alone");
  }
  return out;
}

std::string quoted_list(const std::set<std::string>& all) {
  return joined(all, "", [](const std::string& one) { return c_string(one) + ", "; });
}

}  // namespace

Result<std::vector<ExportedFile>> export_dispatch(std::span<const ExportRequest> requests, const std::string& given) {
  if (requests.empty()) return bad_input("there is no problem to export for");
  const std::string prefix = TRY(prefix_of(given, requests.front()));
  auto [most, modules, needs, functions, entries] = TRY(entries_of(requests, Language::c));
  const DeviceInfo& device = requests.front().device;
  const std::string about = fmt::format(
      "/* SPDX-License-Identifier: MIT */\n/* Attention for {} problems, planned for {} ({}).\n   Made by attnscope {} "
      "(attnscope export). C99, C11 and C++. */\n",
      requests.size(), c_comment(device.name), c_comment(device.driver), ATTNSCOPE_VERSION);
  std::string header = kDispatchHeader, source = kDispatchSource;
  put(header, "{about}", about);
  put(header, "{most_constants}", std::to_string(most.constants));
  put(header, "{most_push_bytes}", std::to_string(most.push_bytes));
  put(header, "{most_passes}", std::to_string(most.passes));
  put(header, "{most_scratch}", std::to_string(most.scratch));
  // Those that a function calls are written; of the others a compiler would complain. What calls comes first.
  const std::string helpers = std::string(kDispatchHelpers) + "\n";
  for (std::string_view left = helpers; !left.empty();) {
    const std::string helper(left.substr(0, left.find("\n\n") + 1)), name = helper.substr(helper.find("attn_"));
    left.remove_prefix(helper.size() + 1);
    if (functions.find(name.substr(0, name.find('(') + 1)) != std::string::npos) functions.insert(0, helper);
  }
  put(source, "{about}", about);
  put(source, "{names}", joined(problem_expressions(), ", ", &NamedText::first));
  put(source, "{values}", TRY(names_of_problem(Language::c)));
  put(source, "{modules}", modules.tables);
  put(source, "{functions}", functions);
  put(source, "{entries}", entries);
  put(source, "{needs}", quoted_list(needs));
  tune::put_weights(source);
  const Exported first = TRY(describe(requests.front()));
  return std::vector<ExportedFile>{{"dispatch.h", with_prefix(header, prefix)},
                                   {"dispatch.c", with_prefix(source, prefix)},
                                   {"example.h", with_prefix(to_example_header(first), prefix)},
                                   {"example.c", with_prefix(to_example(first), prefix)}};
}

Result<std::vector<ExportedFile>> export_crate(std::span<const ExportRequest> requests, const std::string& given) {
  if (requests.empty()) return bad_input("there is no problem to export for");
  const std::string name = TRY(prefix_of(given, requests.front()));
  auto [most, modules, needs, functions, list] = TRY(entries_of(requests, Language::rust));
  std::string library = kCrateTemplate, example = kCrateExample;
  const DeviceInfo& device = requests.front().device;
  put(library, "{about}",
      fmt::format("Attention for {} problems, planned for {} ({}). Made by attnscope {} (attnscope export --rust).",
                  requests.size(), visible_line(device.name), visible_line(device.driver), ATTNSCOPE_VERSION));
  put(library, "{names}", joined(problem_expressions(), ": f64, ", &NamedText::first));
  put(library, "{values}", TRY(names_of_problem(Language::rust)));
  put(library, "{needs}", quoted_list(needs));
  put(library, "{modules}", modules.tables);
  put(library, "{entries}", list);
  put(library, "{functions}", functions);
  tune::put_weights(library);
  const std::string manifest = fmt::format(
      "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2021\"\nrust-version = \"1.77\"\nlicense = \"MIT\"\n",
      name);
  put(example, "{name}", name);
  std::vector<ExportedFile> files{{"Cargo.toml", manifest}, {"src/lib.rs", library}, {"examples/run.rs", example}};
  for (ExportedFile& file : modules.files) files.push_back(std::move(file));
  return files;
}

}  // namespace attnscope::exporting
