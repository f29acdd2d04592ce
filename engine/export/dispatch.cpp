// dispatch.h and dispatch.c: many problems at once, and for each problem that comes, also of a shape that none of them
// has, which modules to run, with what constants, push constants, grids and scratch memory. The manifests' formulas are
// C functions there.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/attention/options.hpp"
#include "engine/export/describe.hpp"
#include "engine/export/expression_c.hpp"
#include "engine/shader/bake.hpp"
#include "engine/tune/header.hpp"
#include "engine/tune/problem_class.hpp"
#include "engine/variant/binding.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope::exporting {
namespace {

using tune::c_comment;
using tune::c_string;

/// Of problem_names(), those that a problem alone decides; attn_names_of() below computes them.
constexpr std::string_view kProblemNames[] = {
    "batch",   "heads_q", "heads_kv", "group",    "seq_q",       "seq_kv",     "head_dim",  "v_dim",      "causal",
    "scale",   "dtype",   "total_q",  "total_kv", "dtype_bytes", "varlen",     "page_size", "pages",      "window",
    "softcap", "sinks",   "mask",     "alibi",    "mask_row",    "mask_batch", "kvtype",    "wide_range", "kv_bytes",
    "q_row",   "q_head",  "q_batch",  "k_row",    "k_head",      "k_batch",    "k_page",    "v_row",      "v_head",
    "v_batch", "v_page",  "o_row",    "o_head",   "o_batch"};

constexpr const char* kDispatchTypes = R"c(
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A problem. Layouts are those of attnscope's docs/variants.md. What is 0 is absent. */
typedef struct {
    uint32_t dtype; /* 0 f32, 1 f16, 2 bf16 */
    uint32_t batch, heads_q, heads_kv, seq_q, seq_kv, head_dim, v_dim;
    uint32_t causal;            /* aligned to the bottom right */
    uint32_t window, sinks;     /* keys of a sliding window; a logit for each head */
    uint32_t mask;              /* 1 shared, 2 one for each batch, 3 alibi, 4 a causal one in memory */
    uint32_t kvtype;            /* 0 as dtype, 1 q8_0, 2 f8e4m3, 3 q4_0, 4 q4_1, 5 q5_0, 6 q5_1, 7 iq4_nl */
    uint32_t page_size;         /* of a paged cache */
    uint32_t total_q, total_kv; /* rows of packed sequences; batch is their number, seq_q = seq_kv the longest */
    uint32_t wide_range;        /* 1: inputs may exceed what f16 holds */
    double softcap;
    double scale; /* 0 = 1 / sqrt(head_dim) */
} attn_problem;

typedef struct {
    const char *name;
    const uint32_t *spirv; /* the entry point is main; its constants are to be given */
    size_t spirv_bytes;
    const uint32_t *bindings; /* storage buffers of set 0 */
    uint32_t binding_count;
    const uint32_t *constant_ids;
    uint32_t constant_count, push_bytes;
    uint32_t full_subgroups; /* ask for whole subgroups */
} attn_module;

typedef struct {
    const attn_module *module;
    uint32_t grid[3];
    uint32_t subgroup_size; /* to be asked for; 0 = the driver's choice */
    uint32_t constants[ATTN_MOST_CONSTANTS]; /* 32 bits each, as constant_ids has them */
    unsigned char push[ATTN_MOST_PUSH_BYTES];
} attn_dispatch;

typedef struct {
    const char *name;
    uint32_t binding, zeroed; /* zeroed: fill it with zeros once; every run leaves it so */
    uint64_t bytes;
} attn_scratch;

typedef struct {
    const char *problem, *variant, *config; /* what it was made for, and of */
    uint32_t pass_count, scratch_count;
    attn_dispatch pass[ATTN_MOST_PASSES]; /* in order, with a memory barrier between them */
    attn_scratch scratch[ATTN_MOST_SCRATCH];
} attn_plan;

/* What the modules need of a device, as VkPhysicalDevice…Features and extensions name it; ends with 0. */
extern const char *const attn_features[];
/* Fills `plan` with what was made for the problem nearest to this one and can serve it, and returns 1; 0 = nothing can:
   no problem of this dtype and with these options was exported. */
int attn_find(const attn_problem *problem, attn_plan *plan);

#ifdef __cplusplus
}
#endif
)c";

constexpr const char* kHelpers = R"c(
#include <math.h>
#include <string.h>

typedef struct {
    double {names};
} attn_names;

static void attn_names_of(const attn_problem *p, attn_names *n)
{
    const double packed = p->total_q != 0 ? 1 : 0, paged = p->page_size != 0 ? 1 : 0;
    n->batch = p->batch;
    n->heads_q = p->heads_q;
    n->heads_kv = p->heads_kv;
    n->group = p->heads_kv != 0 ? p->heads_q / p->heads_kv : 0;
    n->seq_q = p->seq_q;
    n->seq_kv = p->seq_kv;
    n->head_dim = p->head_dim;
    n->v_dim = p->v_dim;
    n->causal = p->causal != 0 ? 1 : 0;
    n->scale = p->scale > 0 || p->scale < 0 ? p->scale : 1 / sqrt((double)p->head_dim);
    n->dtype = p->dtype;
    n->dtype_bytes = p->dtype == 0 ? 4 : 2;
    n->varlen = packed;
    n->total_q = packed > 0 ? p->total_q : (double)p->batch * p->seq_q;
    n->total_kv = packed > 0 ? p->total_kv : (double)p->batch * p->seq_kv;
    n->page_size = p->page_size;
    n->pages = paged > 0 ? ceil((double)p->seq_kv / p->page_size) : 0;
    n->window = p->mask == 4 ? 0 : p->window;
    n->softcap = p->softcap;
    n->sinks = p->sinks != 0 ? 1 : 0;
    n->mask = p->mask != 0 ? 1 : 0;
    n->alibi = p->mask == 3 ? 1 : 0;
    n->mask_row = p->mask != 0 ? p->seq_kv : 0;
    n->mask_batch = p->mask == 2 ? (double)p->seq_q * p->seq_kv : 0;
    n->kvtype = p->kvtype;
    n->wide_range = p->wide_range != 0 ? 1 : 0;
    {
        static const double bytes[] = {0, 34, 32, 18, 20, 22, 24, 18}; /* of 32 elements */
        n->kv_bytes = p->kvtype == 0 ? n->dtype_bytes : bytes[p->kvtype % 8] / 32;
    }
    n->q_row = packed > 0 ? n->heads_q * n->head_dim : n->head_dim;
    n->q_head = packed > 0 ? n->head_dim : n->seq_q * n->head_dim;
    n->q_batch = packed > 0 ? 0 : n->heads_q * n->seq_q * n->head_dim;
    n->k_row = packed > 0 ? n->heads_kv * n->head_dim : n->head_dim;
    n->k_head = packed > 0 ? n->head_dim : (paged > 0 ? n->page_size : n->seq_kv) * n->head_dim;
    n->k_batch = packed > 0 || paged > 0 ? 0 : n->heads_kv * n->seq_kv * n->head_dim;
    n->k_page = paged > 0 ? n->heads_kv * n->page_size * n->head_dim : 0;
    n->v_row = packed > 0 ? n->heads_kv * n->v_dim : n->v_dim;
    n->v_head = packed > 0 ? n->v_dim : (paged > 0 ? n->page_size : n->seq_kv) * n->v_dim;
    n->v_batch = packed > 0 || paged > 0 ? 0 : n->heads_kv * n->seq_kv * n->v_dim;
    n->v_page = paged > 0 ? n->heads_kv * n->page_size * n->v_dim : 0;
    n->o_row = packed > 0 ? n->heads_q * n->v_dim : n->v_dim;
    n->o_head = packed > 0 ? n->v_dim : n->seq_q * n->v_dim;
    n->o_batch = packed > 0 ? 0 : n->heads_q * n->seq_q * n->v_dim;
}

/* 0: it is no whole number of 32 bits. */
static int attn_whole(double value, uint32_t *out)
{
    if (!(value >= 0 && value < 4294967296.0) || value > floor(value))
        return 0;
    *out = (uint32_t)value;
    return 1;
}
)c";

/// Those that a function calls are written; of the others a compiler would complain. What calls comes first.
constexpr std::pair<std::string_view, std::string_view> kOptionalHelpers[] = {
    {"attn_ceil_div(", R"c(static double attn_ceil_div(double a, double b) { return ceil(a / b); }
)c"},
    {"attn_mod(", R"c(static double attn_mod(double a, double b) { return a - b * floor(a / b); }
)c"},
    {"attn_pow2ceil(", R"c(static double attn_pow2ceil(double a)
{
    double power = 1;
    while (power < a && power < 9007199254740992.0)
        power *= 2;
    return power;
}
)c"},
    {"attn_bit_and(", R"c(static double attn_bit_and(double a, double b) { return (double)((uint64_t)a & (uint64_t)b); }
)c"},
    {"attn_bit_or(", R"c(static double attn_bit_or(double a, double b) { return (double)((uint64_t)a | (uint64_t)b); }
)c"},
    {"attn_bit_xor(", R"c(static double attn_bit_xor(double a, double b) { return (double)((uint64_t)a ^ (uint64_t)b); }
)c"},
    {"attn_shift_left(", R"c(static double attn_shift_left(double a, double n) { return ldexp(a, (int)n); }
)c"},
    {"attn_shift_right(", R"c(static double attn_shift_right(double a, double n) { return floor(ldexp(a, -(int)n)); }
)c"},
    {"attn_push(", R"c(static void attn_push(attn_dispatch *d, uint32_t offset, double value, char type)
{
    const uint32_t bits = attn_bits(value, type);
    memcpy(d->push + offset, &bits, sizeof bits);
}
)c"},
    {"attn_push_u64(", R"c(static void attn_push_u64(attn_dispatch *d, uint32_t offset, double value)
{
    const uint64_t bits = (uint64_t)value;
    memcpy(d->push + offset, &bits, sizeof bits);
}
)c"},
    {"attn_bits(", R"c(static uint32_t attn_bits(double value, char type) /* u, i, f or b */
{
    union {
        float f;
        uint32_t u;
    } bits;
    bits.u = type == 'i' ? (uint32_t)(int32_t)value : type == 'b' ? (value > 0 || value < 0 ? 1u : 0u) : 0u;
    if (type == 'f')
        bits.f = (float)value;
    if (type == 'u')
        bits.u = (uint32_t)value;
    return bits.u;
}
)c"},
};

constexpr const char* kFind = R"c(
static double attn_doublings(double a, double b) { return fabs(log2(a / b)); }

int attn_find(const attn_problem *problem, attn_plan *plan)
{
    attn_names n;
    char tried[ATTN_ENTRIES];
    if (problem->batch == 0 || problem->heads_q == 0 || problem->heads_kv == 0 || problem->seq_q == 0 ||
        problem->seq_kv == 0 || problem->head_dim == 0 || problem->v_dim == 0)
        return 0;
    memset(tried, 0, sizeof tried);
    attn_names_of(problem, &n);
    for (;;) {
        size_t i, best = ATTN_ENTRIES;
        double least = 0;
        for (i = 0; i < ATTN_ENTRIES; ++i) {
            const attn_entry *e = &attn_entries[i];
            double away = {q:g} * attn_doublings(n.seq_q, e->seq_q) + {kv:g} * attn_doublings(n.seq_kv, e->seq_kv) +
                          {heads:g} * attn_doublings(n.batch * n.heads_q, e->batch_heads) +
                          {group:g} * attn_doublings(n.group, e->group) + (e->general ? 1000.0 : 0.0);
            if (tried[i] || (best < ATTN_ENTRIES && away >= least))
                continue;
            best = i;
            least = away;
        }
        if (best == ATTN_ENTRIES)
            return 0;
        tried[best] = 1;
        memset(plan, 0, sizeof *plan);
        if (attn_entries[best].plan(&n, plan))
            return 1;
    }
}
)c";

char type_letter(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return 'b';
    case ScalarType::int32: return 'i';
    case ScalarType::float32: return 'f';
    case ScalarType::uint32:
    case ScalarType::other: break;
  }
  return 'u';
}

std::string number_list(const std::vector<uint32_t>& values) {
  return fmt::format("{}", fmt::join(values, "u, ")) + (values.empty() ? "0" : "u");
}

/// The largest of each array in a plan.
struct Most {
  size_t constants = 1, push_bytes = 4, passes = 1, scratch = 1;
};

/// One entry as C: its function, and its modules where no earlier entry has the same.
class Entry {
 public:
  Entry(const ExportRequest& request, const Variant& variant, const Plan& plan, size_t index)
      : request_(request), variant_(variant), plan_(plan), index_(index) {
    for (const auto& [name, value] : problem_names(request.problem, request.device)) fixed_[name] = value;
    for (const std::string_view name : kProblemNames) fixed_.erase(std::string(name));
  }

  Result<std::string> text(std::map<std::string, size_t>& modules, std::string& tables, Most& most) {
    TRY(conditions());
    most.passes = std::max(most.passes, plan_.passes.size());
    for (size_t i = 0; i < plan_.passes.size(); ++i) TRY(pass(i, modules, tables, most));
    TRY(scratch(most));
    return fmt::format(
        "static int attn_plan_{}(const attn_names *n, attn_plan *out)\n{{\n{}{}    out->problem = {};\n"
        "    out->variant = {};\n    out->config = {};\n    out->pass_count = {}u;\n    return 1;\n}}\n\n",
        index_, lets_, body_, c_string(to_text(plan_.problem)), c_string(variant_.name),
        c_string(to_text(plan_.config)), plan_.passes.size());
  }

 private:
  Result<std::string> c(const std::string& expression, const std::set<std::string>& of_pass = {},
                        const std::string& subgroup_size = {}) {
    std::optional<Error> inner;
    const auto place = [&](const std::string& name) -> std::string {
      if (name == "subgroup_size" && !subgroup_size.empty()) return subgroup_size;
      if (of_pass.contains(name)) return "c_" + name;
      if (const auto parameter = plan_.config.find(name); parameter != plan_.config.end())
        return c_number(static_cast<double>(parameter->second));
      if (const auto let = variant_.manifest.let.find(name); let != variant_.manifest.let.end()) {
        if (made_.insert(name).second) {
          // What it is made of comes before it.
          const auto value = c(let->second);
          if (!value) {
            inner = value.error();
            return {};
          }
          lets_ += fmt::format("    const double l_{} = {};\n", name, *value);
        }
        return "l_" + name;
      }
      if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) return c_number(fixed->second);
      return std::find(std::begin(kProblemNames), std::end(kProblemNames), name) == std::end(kProblemNames)
                 ? std::string()
                 : "n->" + name;
    };
    auto out = to_c(expression, place);
    if (inner) return *inner;
    return out;
  }
  /// The entry does not serve where this is not so.
  Result<void> require(const std::string& expression) {
    const auto condition = TRY(c(expression));
    body_ += fmt::format("    if ({} == 0)\n        return 0;\n", condition);
    return {};
  }

  Result<void> conditions() {
    const Problem& p = plan_.problem;
    std::vector<std::string> same{
        fmt::format("dtype == {}", static_cast<int>(p.dtype)), fmt::format("kvtype == {}", static_cast<int>(p.k_type)),
        fmt::format("varlen == {}", p.varlen.empty() ? 0 : 1), p.page_size == 0 ? "page_size == 0" : "page_size != 0"};
    for (const char* option : {"window", "softcap"}) {
      const bool asked =
          std::string_view(option) == "window" ? p.window != 0 && p.mask != MaskKind::causal : p.softcap != 0;
      same.push_back(fmt::format("{} {} 0", option, asked ? "!=" : "=="));
    }
    for (const auto& [name, asked] :
         {std::pair{"sinks", p.sinks}, {"mask", p.mask != MaskKind::none}, {"alibi", p.mask == MaskKind::alibi}})
      same.push_back(fmt::format("{} == {}", name, asked ? 1 : 0));
    // Registers and shared memory follow the dims: another one could be beyond the device's limits.
    if (request_.general) {
      same.push_back(fmt::format("head_dim <= {0} && v_dim <= {0}", kGeneralDim));
    } else {
      same.push_back(fmt::format("head_dim == {} && v_dim == {}", p.head_dim, p.v_dim));
      same.push_back(fmt::format("causal == {}", p.causal ? 1 : 0));
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

  Result<void> pass(size_t i, std::map<std::string, size_t>& modules, std::string& tables, Most& most) {
    const PlanPass& planned = plan_.passes[i];
    const auto& all = variant_.manifest.passes;
    const auto decl = std::ranges::find_if(all, [&](const PassDecl& d) { return d.name == planned.name; });
    if (decl == all.end()) return internal_error("a plan has a pass that its manifest has not");
    const Reflection reflection = TRY(reflect(planned.spirv));
    std::set<std::string> named;
    std::string inner, subgroup;
    if (!decl->subgroup_size.empty()) {
      const auto size = TRY(c(decl->subgroup_size));
      inner += fmt::format("        const double size = {};\n", size);
      subgroup = fmt::format("(size != 0 ? size : {})", c_number(fixed_.at("subgroup_size")));
      inner += "        if (!attn_whole(size, &d->subgroup_size))\n            return 0;\n";
    }
    const auto in_pass = [&](const std::string& expression) { return c(expression, named, subgroup); };
    // In the order of their dependence; what C would call unused is left out.
    std::map<std::string, std::string> waiting = decl->constants;
    std::map<std::string, std::string> values;
    for (bool progress = true; progress && !waiting.empty();) {
      progress = false;
      for (auto it = waiting.begin(); it != waiting.end();) {
        const auto used = TRY(used_names(it->second));
        if (std::ranges::any_of(used, [&](const auto& name) { return waiting.contains(name); })) {
          ++it;
          continue;
        }
        values[it->first] = TRY(in_pass(it->second));
        const bool identifier = !std::isdigit(static_cast<unsigned char>(it->first.front()));
        if (identifier && named.insert(it->first).second)
          inner += fmt::format("        const double c_{} = {};\n", it->first, values[it->first]);
        it = waiting.erase(it);
        progress = true;
      }
    }
    for (const std::string& name : named) inner += fmt::format("        (void)c_{};\n", name);
    // The module has these written in.
    for (const auto& [name, expression] : decl->defines) {
      const auto value = TRY(in_pass(expression));
      const auto now = TRY(define_value(planned, *decl, expression));
      inner += fmt::format("        if ({} != {})\n            return 0;\n", value, c_number(now));
    }
    for (const auto& [name, text] : decl->texts)
      if (!text.pick.empty()) {
        const auto value = TRY(in_pass(text.pick));
        const auto now = TRY(define_value(planned, *decl, text.pick));
        inner += fmt::format("        if ({} != {})\n            return 0;\n", value, c_number(now));
      }
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto count = TRY(in_pass(decl->grid[axis]));
      inner += fmt::format("        if (!attn_whole({}, &d->grid[{}]))\n            return 0;\n", count, axis);
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
      inner +=
          fmt::format("        d->constants[{}] = attn_bits({}, '{}');\n", next++, value, type_letter(constant.type));
      ids.push_back(constant.id);
    }
    most.constants = std::max(most.constants, ids.size());
    Names members;
    for (const PushMember& member : reflection.push) members[member.name] = 0;
    for (const PushPart& part : TRY(push_parts(reflection, members, decl->push, planned.name))) {
      const auto value = TRY(in_pass(part.expression));
      inner += part.type == ScalarType::other
                   ? fmt::format("        attn_push_u64(d, {}u, {});\n", part.offset, value)
                   : fmt::format("        attn_push(d, {}u, {}, '{}');\n", part.offset, value, type_letter(part.type));
    }
    most.push_bytes = std::max(most.push_bytes, planned.push.size());
    const size_t module = TRY(module_of(planned, ids, modules, tables));
    body_ += fmt::format(
        "    {{\n        attn_dispatch *d = &out->pass[{}];\n        d->module = &attn_module_{};\n{}    }}\n", i,
        module, inner);
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
    for (const auto& [name, value] : plan_.config) names[name] = static_cast<double>(value);
    TRY(resolve(variant_.manifest.let, names, "let"));
    TRY(add_pass_names(decl, names, planned.name));
    return evaluate(expression, names);
  }

  Result<size_t> module_of(const PlanPass& planned, const std::vector<uint32_t>& ids,
                           std::map<std::string, size_t>& modules, std::string& tables) const {
    const Spirv open = TRY(bake(planned.spirv, planned.constants, true));
    const ExportedPass described = TRY(pass_of(planned, {}, request_.device));
    const std::string bytes(reinterpret_cast<const char*>(open->data()), open->size() * sizeof(uint32_t));
    const auto [at, fresh] = modules.emplace(content_hash(planned.name + bytes), modules.size());
    if (!fresh) return at->second;
    const size_t m = at->second;
    std::string code;
    for (size_t i = 0; i < open->size(); ++i)
      code += fmt::format("{}{:#x}u", i == 0 ? "" : i % 10 == 0 ? ",\n    " : ", ", (*open)[i]);
    tables += fmt::format(
        "static const uint32_t attn_code_{0}[] = {{\n    {1}}};\nstatic const uint32_t attn_bindings_{0}[] = {{{2}}};\n"
        "static const uint32_t attn_ids_{0}[] = {{{3}}};\nstatic const attn_module attn_module_{0} = {{\n    {4}, "
        "attn_code_{0}, "
        "sizeof attn_code_{0}, attn_bindings_{0}, {5}u, attn_ids_{0}, {6}u, {7}u, {8}u}};\n\n",
        m, code, number_list(described.bindings), number_list(ids), c_string(planned.name), described.bindings.size(),
        ids.size(), planned.push.size(), described.full_subgroups ? 1 : 0);
    return m;
  }

  Result<void> scratch(Most& most) {
    size_t next = 0;
    for (const PlanScratch& s : plan_.scratch) {
      const auto& all = variant_.manifest.scratch;
      const auto decl = std::ranges::find_if(all, [&](const ScratchDecl& d) { return d.name == s.name; });
      if (decl == all.end() || !decl->binding) continue;
      const auto bytes = TRY(c(decl->bytes));
      body_ += fmt::format(
          "    out->scratch[{0}].name = {1};\n    out->scratch[{0}].binding = {2}u;\n"
          "    out->scratch[{0}].zeroed = {3}u;\n    out->scratch[{0}].bytes = (uint64_t)({4});\n",
          next++, c_string(s.name), *decl->binding, s.zeroed ? 1 : 0, bytes);
    }
    body_ += fmt::format("    out->scratch_count = {}u;\n", next);
    most.scratch = std::max(most.scratch, next);
    return {};
  }

  const ExportRequest& request_;
  const Variant& variant_;
  const Plan& plan_;
  size_t index_;
  std::map<std::string, double> fixed_;  ///< names of the device, and of types
  std::set<std::string> made_;           ///< lets
  std::string lets_, body_;
};

}  // namespace

Result<std::vector<ExportedFile>> export_dispatch(std::span<const ExportRequest> requests, const std::string& given) {
  if (requests.empty()) return bad_input("there is no problem to export for");
  const std::string prefix =
      given.empty() ? default_prefix("dispatch", requests.front().problem, requests.front().config) : given;
  if (const std::string why = not_a_prefix(prefix); !why.empty()) return bad_input(prefix + ": " + why);
  Most most;
  std::map<std::string, size_t> modules;
  std::set<std::string> features;
  std::string tables, functions, entries;
  for (size_t i = 0; i < requests.size(); ++i) {
    const ExportRequest& r = requests[i];
    const auto planned = TRY(plan_of(r));
    features.insert(planned.features.begin(), planned.features.end());
    functions += TRY(Entry(r, planned.variant, planned.plan, i).text(modules, tables, most));
    const Problem& p = r.problem;
    entries += fmt::format("    {{{}.0, {}.0, {}.0, {}.0, {}, attn_plan_{}}}, /* {} */\n", p.seq_q, p.seq_kv,
                           uint64_t{p.batch} * p.heads_q, p.group(), r.general ? 1 : 0, i, c_comment(to_text(p)));
  }
  const DeviceInfo& device = requests.front().device;
  const std::string about = fmt::format(
      "/* SPDX-License-Identifier: MIT */\n/* Attention for {} problems, planned for {} ({}).\n   Made by attnscope {} "
      "(attnscope export). C99, "
      "C11 and C++. */\n",
      requests.size(), c_comment(device.name), c_comment(device.driver), ATTNSCOPE_VERSION);
  const std::string header =
      about + "#ifndef ATTN_DISPATCH_H\n#define ATTN_DISPATCH_H\n" +
      fmt::format(
          "\nenum {{\n    ATTN_MOST_CONSTANTS = {},\n    ATTN_MOST_PUSH_BYTES = {},\n    ATTN_MOST_PASSES = {},\n"
          "    ATTN_MOST_SCRATCH = {}\n}};\n",
          most.constants, most.push_bytes, most.passes, most.scratch) +
      kDispatchTypes + "\n#endif\n";
  std::string helpers = kHelpers, find = kFind;
  const auto put = [](std::string& text, std::string_view what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  put(helpers, "{names}", fmt::format("{}", fmt::join(kProblemNames, ", ")));
  put(find, "{q:g}", fmt::format("{:.2f}", tune::kSeqQWeight));
  put(find, "{kv:g}", fmt::format("{:.2f}", tune::kSeqKvWeight));
  put(find, "{heads:g}", fmt::format("{:.2f}", tune::kHeadsWeight));
  put(find, "{group:g}", fmt::format("{:.2f}", tune::kGroupWeight));
  for (const auto& [call, text] : kOptionalHelpers)
    if (functions.find(call) != std::string::npos) functions.insert(0, text);
  std::string listed;
  for (const std::string& name : features) listed += c_string(name) + ", ";
  const std::string source =
      about + "#include \"dispatch.h\"\n" + helpers + "\n" + tables + functions +
      "typedef struct {\n    double seq_q, seq_kv, batch_heads, group;\n    int general; /* serves every shape */\n"
      "    int (*plan)(const attn_names *, attn_plan *);\n} attn_entry;\n"
      "static const attn_entry attn_entries[] = {\n" +
      entries +
      "};\nenum { ATTN_ENTRIES = sizeof attn_entries / sizeof attn_entries[0] };\n\nconst char *const attn_features[] "
      "= {" +
      listed + "0};\n" + find;
  return std::vector<ExportedFile>{{"dispatch.h", with_prefix(header, prefix)},
                                   {"dispatch.c", with_prefix(source, prefix)}};
}

}  // namespace attnscope::exporting
