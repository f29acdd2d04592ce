#include "engine/tune/header.hpp"

namespace attnscope::tune {
namespace {

/// As find_function()'s comment says; V as dtype beside a packed K is 8 * 8.
unsigned kv_code(const Problem& p) {
  const auto k = static_cast<unsigned>(p.k_type), v = static_cast<unsigned>(p.v_type);
  return k + (k == v ? 0 : 8 * (v == 0 ? 8 : v)) + (p.mla ? 128 : 0) + (p.topk != 0 ? 256 : 0);
}

std::string c_formula(std::string_view formula) { return formula.empty() ? "0" : c_string(formula); }

constexpr const char* kTypes = R"c(
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* A specialization constant. formula 0: a tuned value, the same for every problem that the entry serves. Else the value
   at the entry's own problem of an expression over problem and device, to be computed anew for another problem; names
   are those of attnscope's docs/variants.md and of the variant's manifest (attnscope export writes them as C). */
typedef struct {
    uint32_t id;
    uint32_t bits;
    const char *name;
    const char *formula;
} attnscope_constant;

/* A number of the push-constant block; formula as above. */
typedef struct {
    uint32_t offset;
    uint64_t bits;
    const char *name;
    const char *type; /* uint, int, float, bool: 4 bytes; uint64: 8 */
    const char *formula;
} attnscope_push;

typedef struct {
    const char *name;
    const char *shader;
    const attnscope_push *push;
    uint32_t push_count, push_bytes;
    const attnscope_constant *constants;
    uint32_t constant_count;
    uint32_t grid[3];            /* workgroups at the entry's own problem */
    const char *grid_formula[3]; /* for other problems; 0 = one workgroup */
    uint32_t local_size[3];
    uint32_t subgroup_size; /* to ask the driver for; 0 = its choice */
} attnscope_pass;

enum { ATTNSCOPE_F32 = 0, ATTNSCOPE_F16 = 1, ATTNSCOPE_BF16 = 2 };

/* What has to be the same: dtype, head_dim, v_dim, causal, packed, page_size, and what a problem may ask beyond plain
   attention: window (keys; 0 = all), whether there is a softcap, sinks, mask (0 none, 1 shared, 2 one a batch,
   3 alibi, 4 causal and window as a mask), kvtype (0 as dtype, 1 q8_0, 2 f8e4m3, 3 q4_0, 4 q4_1, 5 q5_0, 6 q5_1,
   7 iq4_nl; plus 8 times V's where it differs, 128 where V lies in K's rows, 256 with lists of keys). What may differ:
   the rest. */
typedef struct {
    uint32_t dtype, head_dim, v_dim, causal, packed, page_size;
    uint32_t seq_q, seq_kv, batch_heads, group;
    uint32_t window, softcap, sinks, mask, kvtype;
} attnscope_problem;

typedef struct {
    attnscope_problem problem;
    const char *text;        /* the problem it was tuned for */
    const char *variant;     /* a folder of attnscope's shaders/ */
    const char *source_hash; /* of that folder's files */
    const char *config;
    double median_ns;
    const attnscope_pass *passes; /* in order, with a memory barrier between them */
    uint32_t pass_count;
} attnscope_entry;
)c";

std::string find_function() {
  return fmt::format(R"c(
/* The entry for the problem nearest to this one: a doubling of seq_q counts {:g}, of seq_kv {:g}, of batch x query
   heads {:g}, of the group ratio {:g}; 0 when none is within {:g}. */
static inline const attnscope_entry *attnscope_find(const attnscope_problem *p)
{{
    const attnscope_entry *best = 0;
    double least = {:g};
    size_t i;
    for (i = 0; i < sizeof attnscope_entries / sizeof attnscope_entries[0]; ++i) {{
        const attnscope_problem *q = &attnscope_entries[i].problem;
        double away;
        if (p->dtype != q->dtype || p->head_dim != q->head_dim || p->v_dim != q->v_dim || !p->causal != !q->causal ||
            !p->packed != !q->packed || p->page_size != q->page_size || p->window != q->window ||
            !p->softcap != !q->softcap || !p->sinks != !q->sinks || p->mask != q->mask || p->kvtype != q->kvtype)
            continue;
        away = {:g} * fabs(log2((double)p->seq_q / q->seq_q)) + {:g} * fabs(log2((double)p->seq_kv / q->seq_kv)) +
               {:g} * fabs(log2((double)p->batch_heads / q->batch_heads)) +
               {:g} * fabs(log2((double)p->group / q->group));
        if (away <= least && (best == 0 || away < least)) {{
            best = &attnscope_entries[i];
            least = away;
        }}
    }}
    return best;
}}
)c",
                     kSeqQWeight, kSeqKvWeight, kHeadsWeight, kGroupWeight, kFarthest, kFarthest, kSeqQWeight,
                     kSeqKvWeight, kHeadsWeight, kGroupWeight);
}

std::string pass_table(const std::vector<TunedPass>& passes, size_t entry) {
  std::string tables, rows;
  for (size_t p = 0; p < passes.size(); ++p) {
    const std::string suffix = fmt::format("{}_{}", entry, p);
    tables += c_tables(passes[p], "attnscope_", suffix);
    rows += fmt::format("    {{{}, {}, {}}},\n", c_string(passes[p].name), c_string(passes[p].shader),
                        c_members(passes[p], "attnscope_", suffix));
  }
  return fmt::format("{}static const attnscope_pass attnscope_passes_{}[] = {{\n{}}};\n", tables, entry, rows);
}

}  // namespace

Result<std::string> tuned_header(std::span<const TunedEntry> entries) {
  std::vector<const TunedEntry*> chosen;
  for (const TunedEntry& e : entries) {
    if (e.passes.empty()) continue;
    if (!chosen.empty() && (chosen.front()->device != e.device || chosen.front()->driver != e.driver))
      return bad_input(fmt::format("a header is of one device; there are entries of {} ({}) and of {} ({})",
                                   chosen.front()->device, chosen.front()->driver, e.device, e.driver));
    const auto known = std::ranges::find_if(chosen, [&](const auto* c) { return c->problem == e.problem; });
    if (known == chosen.end())
      chosen.push_back(&e);
    else if (e.median_ns < (*known)->median_ns)
      *known = &e;
  }
  if (chosen.empty()) return bad_input("there is no tuned config to export");
  std::ranges::sort(chosen, [](const auto* a, const auto* b) {
    return std::pair(problem_class(a->problem), to_text(a->problem)) <
           std::pair(problem_class(b->problem), to_text(b->problem));
  });

  std::string out = fmt::format(
      "/* Tuned attention configs for {}, {}.\n   Made by attnscope {} (attnscope tuned --export). C99, "
      "self-contained; "
      "link with -lm. */\n#ifndef ATTNSCOPE_TUNED_H\n#define ATTNSCOPE_TUNED_H\n",
      c_comment(chosen.front()->device), c_comment(chosen.front()->driver), ATTNSCOPE_VERSION);
  const TunedEntry& first = *chosen.front();
  out += fmt::format(
      "\n/* What they were tuned on: VkPhysicalDeviceProperties (0 = not known), and the driver's name and version. "
      "*/\n"
      "#define ATTNSCOPE_DEVICE {}\n#define ATTNSCOPE_VENDOR_ID {:#x}u\n#define ATTNSCOPE_DEVICE_ID {:#x}u\n"
      "#define ATTNSCOPE_DRIVER {}\n",
      c_string(first.device), first.vendor_id, first.device_id, c_string(first.driver));
  out += kTypes;
  out += "\n";
  for (size_t i = 0; i < chosen.size(); ++i) out += pass_table(chosen[i]->passes, i);
  out += "\nstatic const attnscope_entry attnscope_entries[] = {\n";
  for (size_t i = 0; i < chosen.size(); ++i) {
    const TunedEntry& e = *chosen[i];
    const Problem& p = e.problem;
    out += fmt::format(
        "    /* {} */\n    {{{{{}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, "
        "{}u}},\n     {}, {}, {},\n     {}, {:.1f}, "
        "attnscope_passes_{}, {}u}},\n",
        c_comment(problem_class(p)), static_cast<unsigned>(p.dtype), p.head_dim, p.v_dim, p.causal ? 1 : 0,
        p.varlen.empty() ? 0 : 1, p.page_size, p.seq_q, p.seq_kv, uint64_t{p.batch} * p.heads_q, p.group(), p.window,
        p.softcap != 0 ? 1 : 0, p.sinks ? 1 : 0, static_cast<unsigned>(p.mask), kv_code(p), c_string(to_text(p)),
        c_string(e.variant), c_string(e.shader_hash), c_string(to_text(e.config)), e.median_ns, i, e.passes.size());
  }
  out += "};\n";
  return out + find_function() + "\n#endif\n";
}

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    // "??" may begin a trigraph in C99.
    if (c == '?' && out.back() == '?') out += "\" \"";
    out += c >= ' ' && c < 0x7f ? c : '?';
  }
  return out + '"';
}

std::string c_array(std::span<const uint32_t> values) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{}u", i == 0 ? "" : i % 10 == 0 ? ",\n    " : ", ", values[i]);
  return "{" + (values.empty() ? "0u" : out) + "}";
}

std::string c_tables(const TunedPass& pass, const char* prefix, const std::string& suffix) {
  std::string push, constants;
  for (const TunedPush& v : pass.push)
    push += fmt::format("    {{{}u, {:#x}u, {}, {}, {}}},\n", v.offset, v.bits, c_string(v.name), c_string(v.type),
                        c_formula(v.formula));
  for (const TunedConstant& c : pass.constants)
    constants += fmt::format("    {{{}u, {:#x}u, {}, {}}},\n", c.id, c.bits, c_string(c.name), c_formula(c.formula));
  std::string out;
  if (!push.empty()) out += fmt::format("static const {0}push {0}push_{1}[] = {{\n{2}}};\n", prefix, suffix, push);
  if (!constants.empty())
    out += fmt::format("static const {0}constant {0}constants_{1}[] = {{\n{2}}};\n", prefix, suffix, constants);
  return out;
}

std::string c_members(const TunedPass& pass, const char* prefix, const std::string& suffix) {
  const auto table = [&](const char* name, size_t size) {
    return size == 0 ? "0" : fmt::format("{}{}_{}", prefix, name, suffix);
  };
  const auto& f = pass.grid_formula;
  return fmt::format("{}, {}u, {}u, {}, {}u,\n     {}, {{{}, {}, {}}}, {}, {}u", table("push", pass.push.size()),
                     pass.push.size(), pass.push_bytes, table("constants", pass.constants.size()),
                     pass.constants.size(), c_array(pass.grid), c_formula(f[0]), c_formula(f[1]), c_formula(f[2]),
                     c_array(pass.local_size), pass.subgroup_size);
}

std::string c_comment(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c < 0x7f && c != '*' && c != '\\' ? c : '_';
  return out;
}

}  // namespace attnscope::tune
