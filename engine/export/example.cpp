// The example program: example.c.in, in plain Vulkan, and example.h; what depends on the config is put in here.

#include "engine/export/describe.hpp"
#include "engine/tune/header.hpp"

namespace attnscope::exporting {
namespace {

using tune::c_comment;
using tune::c_string;
using tune::put;

/// The chain of feature structures, and what is turned on in it, into the template.
void put_features(const Exported& e, std::string& text) {
  std::set<std::string> used;
  std::string turned;
  for (const std::string& name : e.features) {
    const VulkanFeature* f = vulkan_feature(name);
    if (!f) {
      turned += fmt::format("    /* {} needs no switch, or one that this file does not know. */\n", c_comment(name));
      continue;
    }
    used.insert(f->structure);
    const auto* own = find_by(kExtensions, f->structure, &ExtensionFeatures::field);
    for (const std::string& member : f->members) {
      std::string place = f->structure + "." + member;
      if (own)
        place = fmt::format("{}.has[{}]", own->field, std::ranges::find(own->members, member) - own->members.begin());
      turned +=
          f->structure.empty()
              ? fmt::format("    if (!(p11->subgroupSupportedOperations & {}))\n        return \"{}\";\n", member,
                            member)
              : fmt::format("    if (!have->{0})\n        return \"{1}\";\n    want->{0} = VK_TRUE;\n", place, member);
    }
  }
  std::string fields, linked, extensions, last = "v13";
  for (const ExtensionFeatures& x : kExtensions) {
    if (!used.contains(x.field)) continue;
    fields += fmt::format("    struct extension_features {};\n", x.field);
    linked +=
        fmt::format("    f->{0}.sType = (VkStructureType){1};\n    f->{2}.pNext = &f->{0};\n", x.field, x.number, last);
    extensions += c_string(x.extension) + ", ";
    last = x.field;
  }
  put(text, "{fields}", fields);
  put(text, "{extensions}", extensions);
  put(text, "{linked}", linked);
  put(text, "{turned}", turned);
}

}  // namespace

std::string to_example(const Exported& e) {
  std::string body = kExampleTemplate;
  put(body, "{variant}", c_comment(e.variant.name));
  put(body, "{problem}", c_comment(to_text(e.request.problem)));
  put(body, "{version}", ATTNSCOPE_VERSION);
  put_features(e, body);
  return body;
}

std::string to_example_header(const Exported& e) {
  const Problem& p = e.request.problem;
  std::string out = fmt::format(
      "/* SPDX-License-Identifier: MIT */\n/* {} on {}, config {},\n   planned for {} ({}): {}.\n   Made by attnscope "
      "{} (attnscope export). What example.c runs and checks. */\n#ifndef ATTN_EXAMPLE_H\n#define ATTN_EXAMPLE_H\n",
      c_comment(e.variant.name), c_comment(to_text(p)), c_comment(to_text(e.plan.config)),
      c_comment(e.request.device.name), c_comment(e.request.device.driver), c_comment(e.request.verified),
      ATTNSCOPE_VERSION);
  out += std::string("\n") + kExampleTypes;
  out += fmt::format("\n#define ATTN_PROBLEM {}\n#define ATTN_VARIANT {}\n#define ATTN_CONFIG {}\n",
                     c_string(to_text(p)), c_string(e.variant.name), c_string(to_text(e.plan.config)));
  out += fmt::format(
      "#define ATTN_BATCH {}u\n#define ATTN_HEADS_Q {}u\n#define ATTN_HEADS_KV {}u\n#define ATTN_SEQ_Q {}u\n"
      "#define ATTN_SEQ_KV {}u\n#define ATTN_HEAD_DIM {}u\n#define ATTN_V_DIM {}u\n#define ATTN_CAUSAL {}\n"
      "#define ATTN_DTYPE {} /* 0 f32, 1 f16, 2 bf16 */\n#define ATTN_SCALE {:.17g}\n#define ATTN_PACKED {}\n"
      "#define ATTN_PAGE_SIZE {}u /* 0 = contiguous */\n#define ATTN_PAGES {}u /* of a sequence */\n"
      "#define ATTN_KTYPE {} /* 0 as dtype, 1 q8_0, 2 f8e4m3, 3 q4_0, 4 q4_1, 5 q5_0, 6 q5_1, 7 iq4_nl */\n"
      "#define ATTN_VTYPE {}\n#define ATTN_MLA {} /* 1: V is K's buffer; bind that */\n"
      "#define ATTN_TOPK {}u /* keys in each list; 0 = there are none */\n"
      "#define ATTN_WINDOW {}u /* keys of a sliding window; 0 = there is none */\n"
      "#define ATTN_SOFTCAP {:.17g} /* 0 = there is none */\n#define ATTN_SINKS {} /* 1: a logit for each head */\n"
      "#define ATTN_MASK {} /* 0 none, 1 shared, 2 one for each batch, 3 alibi, 4 a causal one in memory */\n",
      p.batch, p.heads_q, p.heads_kv, p.seq_q, p.seq_kv, p.head_dim, p.v_dim, p.causal ? 1 : 0, unsigned(p.dtype),
      p.softmax_scale(), p.varlen.empty() ? 0 : 1, p.page_size, p.pages(), unsigned(p.k_type), unsigned(p.v_type),
      p.mla ? 1 : 0, p.topk, p.window, p.softcap, p.sinks ? 1 : 0, unsigned(p.mask));
  out += fmt::format(
      "/* The modules count on subgroups of these sizes. */\n#define ATTN_MIN_SUBGROUP_SIZE {}u\n"
      "#define ATTN_MAX_SUBGROUP_SIZE {}u\n\n",
      e.request.device.limits.min_subgroup_size, e.request.device.limits.max_subgroup_size);
  out += "/* First row of each packed sequence, and the end; and which page holds which part of a sequence. */\n";
  out += fmt::format("static const uint32_t attn_offsets[] = {};\nstatic const uint32_t attn_page_table[] = {};\n",
                     tune::c_array(e.offsets), tune::c_array(e.page_table));
  out += "\nstatic const attn_buffer attn_buffers[] = {\n";
  for (const BoundBuffer& b : e.buffers)
    out += fmt::format("    {{{}u, {}, {}ull, {}u}},\n", b.binding, c_string(b.name), b.bytes, b.zeroed ? 1 : 0);
  out += "};\nenum { ATTN_BUFFERS = sizeof attn_buffers / sizeof attn_buffers[0] };\n\n";
  out += "static const attn_pass_needs attn_needs[] = {\n";
  for (const ExportedPass& pass : e.passes) {
    const auto& size = pass.pass.local_size;
    out += fmt::format("    {{{}u, {}u}},\n", uint64_t{size[0]} * size[1] * size[2], pass.shared_bytes);
  }
  out += "};\nenum { ATTN_PASSES = sizeof attn_needs / sizeof attn_needs[0] };\n\n#endif\n";
  return out;
}

}  // namespace attnscope::exporting
