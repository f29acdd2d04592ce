#include "engine/export/describe.hpp"

#include "engine/attention/packed_types.hpp"
#include "engine/feature_names.hpp"

namespace attnscope::exporting {
namespace {

std::vector<BoundBuffer> buffers_of(const Problem& p, const Plan& plan, const Manifest& manifest) {
  const uint64_t size = dtype_bytes(p.dtype);
  const bool packed = !p.varlen.empty();
  const std::string rows_q = packed ? "total_q * heads_q" : "batch * heads_q * seq_q";
  const std::string rows_kv = packed             ? "total_kv * heads_kv"
                              : p.page_size != 0 ? "batch * pages * heads_kv * page_size"
                                                 : "batch * heads_kv * seq_kv";
  // kv_bytes is the mean of an element of K and one of V.
  const auto element = [&](KvType type) -> std::string {
    if (p.k_type == p.v_type && !p.mla) return " * kv_bytes";
    if (type == KvType::as_dtype) return " * dtype_bytes";
    return fmt::format(" * {} / {}", packed_type(type).bytes, packed_type(type).block);
  };
  const std::string k = rows_kv + " * head_dim" + element(p.k_type);
  std::vector<BoundBuffer> out{
      {binding_q, "q", p.q_elements() * size, rows_q + " * head_dim * dtype_bytes", false},
      {binding_k, "k", p.k_bytes(), k, false},
      {binding_v, "v", p.mla ? p.k_bytes() : p.v_bytes(), p.mla ? k : rows_kv + " * v_dim" + element(p.v_type), false},
      {binding_o, "o", p.o_elements() * size, rows_q + " * v_dim * dtype_bytes", false}};
  if (packed) out.push_back({binding_offsets, "offsets", 4 * (uint64_t{p.batch} + 1), "4 * (batch + 1)", false});
  if (p.page_size != 0) out.push_back({binding_pages, "pages", 4 * p.batch * p.pages(), "4 * batch * pages", false});
  if (p.sinks) out.push_back({binding_sinks, "sinks", 4 * uint64_t{p.heads_q}, "4 * heads_q", false});
  if (p.mask != MaskKind::none)
    out.push_back({binding_mask, "mask", 2 * p.mask_elements(),
                   p.mask == MaskKind::batch ? "2 * batch * seq_q * seq_kv" : "2 * seq_q * seq_kv", false});
  if (p.topk != 0)
    out.push_back({binding_lists, "lists", 4 * p.list_elements(), "4 * batch * heads_kv * seq_q * topk", false});
  for (const PlanScratch& s : plan.scratch) {
    const ScratchDecl* decl = find_by(manifest.scratch, s.name, &ScratchDecl::name);
    uint32_t binding = 0;
    for (const PlanPass& pass : plan.passes)
      for (const Slot& slot : pass.slots)
        if (slot.scratch == s.name) binding = slot.place;
    out.push_back({binding, s.name, s.bytes, decl == nullptr ? "" : decl->bytes, s.zeroed});
  }
  return out;
}

/// What the files that are written have no words for; "" where they have.
std::string beyond_export(const Variant& variant, const Plan& plan) {
  bool own = !plan.forms.empty();
  std::map<std::string, uint32_t> places;
  for (const PlanPass& pass : plan.passes) {
    own = own || !pass.uniforms.empty() || !pass.push_addresses.empty();
    for (const Slot& slot : pass.slots) {
      own = own || set_of(slot.place) != 0 || (slot.tensor && *slot.tensor != slot.place) || slot.scratch == kDummy;
      if (!slot.scratch.empty()) own = own || places.emplace(slot.scratch, slot.place).first->second != slot.place;
    }
  }
  return own ? fmt::format(
                   "{} was written for another engine, with forms or places of tensors of its own, and that engine's "
                   "code dispatches it; `attnscope tuned --export` writes its tuned configs",
                   variant.name)
             : std::string();
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return text;
}

/// `members` has a '|' between them.
VulkanFeature switched(const char* name, const char* structure, std::string_view members) {
  VulkanFeature f{name, structure, {}, ""};
  for (const std::string_view member : split(members, '|')) f.members.emplace_back(trimmed(member));
  if (const auto* own = find_by(kExtensions, f.structure, &ExtensionFeatures::field)) f.extension = own->extension;
  return f;
}

}  // namespace

const std::array<ExtensionFeatures, 3> kExtensions{{
    {"coopmat", "VK_KHR_cooperative_matrix", 1000506000, {"cooperativeMatrix"}},
    {"coopmat2",
     "VK_NV_cooperative_matrix2",
     1000593000,
     {"cooperativeMatrixWorkgroupScope", "cooperativeMatrixFlexibleDimensions", "cooperativeMatrixReductions",
      "cooperativeMatrixConversions", "cooperativeMatrixPerElementOperations", "cooperativeMatrixTensorAddressing",
      "cooperativeMatrixBlockLoads"}},
    {"bfloat16",
     "VK_KHR_shader_bfloat16",
     1000141000,
     {"shaderBFloat16Type", "shaderBFloat16DotProduct", "shaderBFloat16CooperativeMatrix"}},
}};

Result<ExportedPass> pass_of(const PlanPass& planned, tune::TunedPass described, const DeviceInfo& device) {
  ExportedPass out;
  out.pass = std::move(described);
  for (const Slot& slot : planned.slots) out.bindings.push_back(binding_of(slot.place));
  out.shared_bytes = planned.facts.shared_bytes;
  const uint32_t unit = planned.subgroup_size != 0 ? planned.subgroup_size : device.limits.max_subgroup_size;
  out.full_subgroups = device.has("subgroup_size_control") && unit != 0 && planned.facts.local_size[0] % unit == 0;
  out.final_module = TRY(bake(planned.spirv, planned.constants));
  out.open_module = TRY(bake(planned.spirv, planned.constants, true));
  return out;
}

Result<PlannedExport> plan_of(const ExportRequest& request) {
  const std::filesystem::path cache = request.cache_dir;
  Compiler compiler(cache.empty() ? cache : cache / "spirv");
  PlannedExport out;
  out.variant = TRY(load_variant(request.source, compiler));
  const Manifest& manifest = out.variant.manifest;
  out.plan = TRY(make_plan(out.variant, request.problem, request.config, request.device, compiler));
  if (const std::string why = beyond_export(out.variant, out.plan); !why.empty())
    return Error{ErrorKind::unsupported, why};
  out.features.insert(manifest.features.begin(), manifest.features.end());
  if (request.problem.dtype != DType::f32) out.features.insert("storage_16bit");
  for (const PlanPass& pass : out.plan.passes) {
    const Reflection reflection = TRY(reflect(pass.spirv));
    out.features.insert(reflection.capabilities.begin(), reflection.capabilities.end());
  }
  return out;
}

Result<void> check_export(const ExportRequest& request) {
  TRY(plan_of(request));
  return {};
}

Result<Exported> describe(const ExportRequest& request) {
  Exported out{TRY(plan_of(request)), request, {}, {}, {}, {}};
  const Plan& plan = out.plan;
  auto described = TRY(tune::describe_passes(out.variant, plan));
  out.buffers = buffers_of(request.problem, plan, out.variant.manifest);
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    const PlanPass& planned = plan.passes[i];
    auto pass = TRY(pass_of(planned, std::move(described[i]), request.device));
    if (pass.pass.subgroup_size != 0 || pass.full_subgroups) out.features.insert("subgroup_size_control");
    out.passes.push_back(std::move(pass));
  }
  const Problem& p = request.problem;
  if (!p.varlen.empty()) {
    out.offsets.push_back(0);
    for (const uint32_t length : p.varlen) out.offsets.push_back(out.offsets.back() + length);
  }
  // Any order of pages will do; the last first shows that the table is read.
  const uint64_t pages = p.batch * p.pages();
  for (uint64_t i = 0; i < pages; ++i) out.page_table.push_back(uint32_t(pages - 1 - i));
  return out;
}

std::string with_prefix(std::string_view text, const std::string& prefix) {
  const auto word = [](char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; };
  const std::string capitals = upper(prefix);
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    const bool starts = !quoted && (i == 0 || !word(text[i - 1]));
    const std::string_view rest = text.substr(i);
    if (starts && (rest.starts_with("attn_") || rest.starts_with("ATTN_"))) {
      out += (rest.front() == 'a' ? prefix : capitals) + "_";
      i += 5;
      continue;
    }
    if (quoted && text[i] == '\\') out += text[i++];
    if (i < text.size() && text[i] == '"' && (quoted || i == 0 || text[i - 1] != '\'')) quoted = !quoted;
    if (i < text.size()) out += text[i++];
  }
  return out;
}

std::string not_a_prefix(std::string_view text, bool rust) {
  // Names of a crate that Rust has other uses for.
  constexpr std::string_view kTaken[] = {
      "abstract", "as",     "async",   "await",  "become",  "box",    "break", "const", "continue", "crate", "do",
      "dyn",      "else",   "enum",    "extern", "false",   "final",  "fn",    "for",   "gen",      "if",    "impl",
      "in",       "let",    "loop",    "macro",  "match",   "mod",    "move",  "mut",   "override", "priv",  "pub",
      "ref",      "return", "self",    "static", "std",     "struct", "super", "trait", "true",     "try",   "type",
      "typeof",   "unsafe", "unsized", "use",    "virtual", "where",  "while", "yield"};
  if (rust && std::ranges::find(kTaken, text) != std::end(kTaken)) return "that is a word of Rust's own";
  const auto part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (text.empty() || text.size() > 64 || !std::ranges::all_of(text, part) || text[0] < 'a')
    return "a prefix has 1 to 64 of the letters a to z, digits and _, and begins with a letter";
  return {};
}

Result<std::string> prefix_of(const std::string& given, const ExportRequest& first) {
  if (!given.empty()) {
    if (const std::string why = not_a_prefix(given); !why.empty()) return bad_input(given + ": " + why);
    return given;
  }
  std::string name = first.source.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? char(std::tolower(c)) : '_';
  return fmt::format("attn_{}_{}", name,
                     content_hash(to_text(first.problem) + " " + to_text(first.config)).substr(0, 8));
}

Result<std::vector<ExportedFile>> export_config(const ExportRequest& request) {
  const Exported exported = TRY(describe(request));
  std::vector<ExportedFile> files{{"attention.json", to_json(exported)}};
  for (const ExportedPass& pass : exported.passes) {
    files.push_back({pass.pass.name + ".spv", std::string(bytes_of(pass.final_module))});
    files.push_back({pass.pass.name + ".constants.spv", std::string(bytes_of(pass.open_module))});
  }
  return files;
}

const VulkanFeature* vulkan_feature(const std::string& name) {
#define ATTNSCOPE_SWITCH(name, structure, member) switched(#name, #structure, #member),
#define ATTNSCOPE_BOTH_OF(name, structure, a, b) switched(#name, #structure, #a "|" #b),
#define ATTNSCOPE_SUBGROUP(name, bits) switched(#name, "", #bits),
#define ATTNSCOPE_OTHER(name, condition)
  static const std::vector<VulkanFeature> all{
      ATTNSCOPE_FEATURES(ATTNSCOPE_SWITCH, ATTNSCOPE_BOTH_OF, ATTNSCOPE_SUBGROUP, ATTNSCOPE_OTHER)};
  return find_by(all, name, &VulkanFeature::name);
}

}  // namespace attnscope::exporting
