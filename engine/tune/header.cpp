#include "engine/tune/header.hpp"

namespace attnscope::tune {
namespace {

/// As tuned.h.in says of kvtype; V as dtype beside a packed K is 8 * 8.
unsigned kv_code(const Problem& p) {
  const auto k = unsigned(p.k_type), v = unsigned(p.v_type);
  return k + (k == v ? 0 : 8 * (v == 0 ? 8 : v)) + (p.mla ? 128 : 0) + (p.topk != 0 ? 256 : 0);
}

std::string c_formula(std::string_view formula) { return formula.empty() ? "0" : c_string(formula); }

/// The passes of an entry, after the tables of their push and spec constants; an empty one of these is left out.
std::string pass_table(const std::vector<TunedPass>& passes, size_t entry) {
  std::string tables, rows;
  for (size_t p = 0; p < passes.size(); ++p) {
    const TunedPass& pass = passes[p];
    const auto add_table = [&](const char* kind, const std::string& lines) {
      if (lines.empty()) return std::string("0");
      std::string name = fmt::format("attnscope_{}s_{}_{}", kind, entry, p);
      tables += fmt::format("static const attnscope_{} {}[] = {{\n{}}};\n", kind, name, lines);
      return name;
    };
    std::string push, constants;
    for (const TunedPush& v : pass.push)
      push += fmt::format("    {{{}u, {:#x}u, {}, {}, {}}},\n", v.offset, v.bits, c_string(v.name), c_string(v.type),
                          c_formula(v.formula));
    for (const TunedConstant& c : pass.constants)
      constants += fmt::format("    {{{}u, {:#x}u, {}, {}}},\n", c.id, c.bits, c_string(c.name), c_formula(c.formula));
    const std::string push_table = add_table("push", push), constant_table = add_table("constant", constants);
    const auto& f = pass.grid_formula;
    rows += fmt::format("    {{{}, {}, {}, {}u, {}u, {}, {}u,\n     {}, {{{}, {}, {}}}, {}, {}u}},\n",
                        c_string(pass.name), c_string(pass.shader), push_table, pass.push.size(), pass.push_bytes,
                        constant_table, pass.constants.size(), c_array(pass.grid), c_formula(f[0]), c_formula(f[1]),
                        c_formula(f[2]), c_array(pass.local_size), pass.subgroup_size);
  }
  return fmt::format("{}static const attnscope_pass attnscope_passes_{}[] = {{\n{}}};\n", tables, entry, rows);
}

}  // namespace

Result<std::string> tuned_header(std::span<const TunedEntry> entries) {
  std::vector<const TunedEntry*> chosen;
  for (const TunedEntry& e : entries) {
    if (e.passes.empty()) continue;
    if (!chosen.empty() && (chosen.front()->device != e.device || chosen.front()->driver != e.driver))
      return bad_input("a header is of one device; there are entries of {} ({}) and of {} ({})", chosen.front()->device,
                       chosen.front()->driver, e.device, e.driver);
    const auto known = find_by(chosen, e.problem, &TunedEntry::problem);
    if (known == nullptr)
      chosen.push_back(&e);
    else if (e.median_ns < (*known)->median_ns)
      *known = &e;
  }
  if (chosen.empty()) return bad_input("there is no tuned config to export");
  std::ranges::sort(chosen, {}, [](const TunedEntry* e) { return to_text(e->problem); });

  const TunedEntry& first = *chosen.front();
  std::string out = kTunedHeader, passes, rows;
  put(out, "{about}",
      fmt::format("/* Tuned attention configs for {}, {}.\n   Made by attnscope {} (attnscope tuned --export). C99, "
                  "self-contained; link with -lm. */\n",
                  c_comment(first.device), c_comment(first.driver), ATTNSCOPE_VERSION));
  put(out, "{device}", c_string(first.device));
  put(out, "{vendor}", fmt::format("{:#x}u", first.vendor_id));
  put(out, "{device_id}", fmt::format("{:#x}u", first.device_id));
  put(out, "{driver}", c_string(first.driver));
  put_weights(out);
  for (size_t i = 0; i < chosen.size(); ++i) {
    const TunedEntry& e = *chosen[i];
    const Problem& p = e.problem;
    passes += pass_table(e.passes, i);
    rows += fmt::format(
        "    {{{{{}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, {}u, "
        "{}u}},\n     {}, {}, {},\n     {}, {:.1f}, attnscope_passes_{}, {}u}},\n",
        unsigned(p.dtype), p.head_dim, p.v_dim, p.causal ? 1 : 0, p.varlen.empty() ? 0 : 1, p.page_size, p.seq_q,
        p.seq_kv, uint64_t{p.batch} * p.heads_q, p.group(), p.windowed() ? p.window : 0, p.softcap != 0 ? 1 : 0,
        p.sinks ? 1 : 0, unsigned(p.mask), kv_code(p), c_string(to_text(p)), c_string(e.variant),
        c_string(e.shader_hash), c_string(to_text(e.config)), e.median_ns, i, e.passes.size());
  }
  put(out, "{passes}", passes);
  put(out, "{entries}", rows);
  return out;
}

void put(std::string& text, std::string_view what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

void put_weights(std::string& text) {
  for (const auto& [what, weight] : {std::pair{"{q}", kSeqQWeight},
                                     {"{kv}", kSeqKvWeight},
                                     {"{heads}", kHeadsWeight},
                                     {"{group}", kGroupWeight},
                                     {"{farthest}", kFarthest}})
    put(text, what, fmt::format("{:.2f}", weight));
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

std::string c_comment(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c < 0x7f && c != '*' && c != '\\' ? c : '_';
  return out;
}

}  // namespace attnscope::tune
