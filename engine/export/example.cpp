// The example program: plain Vulkan in one C file, which a person may read, cut up and take home. Its text is
// example.c.in; what depends on the config is put in here.

#include <set>

#include "engine/export/describe.hpp"
#include "engine/shader/vulkan_feature.hpp"
#include "engine/tune/header.hpp"

namespace attnscope::exporting {
namespace {

using tune::c_comment;
using tune::c_string;

/// Where the template wants the features that the modules need.
constexpr std::string_view kFeatures = "/*{features}*/\n";

/// A structure of an extension, as the chain has it, and for headers older than the extension its type's value and its
/// members, by the registry.
struct ExtensionStructure {
  const char *field, *extension, *type, *value, *number, *members;
};
constexpr ExtensionStructure kStructures[] = {
    {"coopmat", "VK_KHR_cooperative_matrix", "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR", "1000506000",
     "cooperativeMatrix, cooperativeMatrixRobustBufferAccess"},
    {"coopmat2", "VK_NV_cooperative_matrix2", "VkPhysicalDeviceCooperativeMatrix2FeaturesNV",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV", "1000593000",
     "cooperativeMatrixWorkgroupScope, cooperativeMatrixFlexibleDimensions, cooperativeMatrixReductions,\n        "
     "cooperativeMatrixConversions, cooperativeMatrixPerElementOperations, cooperativeMatrixTensorAddressing,\n        "
     "cooperativeMatrixBlockLoads"},
    {"bfloat16", "VK_KHR_shader_bfloat16", "VkPhysicalDeviceShaderBfloat16FeaturesKHR",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR", "1000141000",
     "shaderBFloat16Type, shaderBFloat16DotProduct, shaderBFloat16CooperativeMatrix"},
};

/// The chain of feature structures, and what is turned on in it.
std::string features_of(const Exported& e) {
  std::set<std::string> structures, extensions;
  std::string turned;
  for (const std::string& name : e.features) {
    const VulkanFeature* f = vulkan_feature(name);
    if (!f) {
      turned += fmt::format("    /* {} needs no switch, or one that this file does not know. */\n", c_comment(name));
      continue;
    }
    if (!f->extension.empty()) {
      extensions.insert(f->extension);
      structures.insert(f->structure);
    }
    for (const std::string& member : f->members)
      turned += f->structure.empty()
                    ? fmt::format("    if (!(p11->subgroupSupportedOperations & {}))\n        return \"{}\";\n", member,
                                  member)
                    : fmt::format("    if (!have->{0}.{1})\n        return \"{1}\";\n    want->{0}.{1} = VK_TRUE;\n",
                                  f->structure, member);
  }
  std::string out;
  for (const ExtensionStructure& s : kStructures)
    if (structures.contains(s.field))
      out += fmt::format(
          "/* Newer than the headers that you may have; the numbers are the registry's. */\n#ifndef {0}\n#define {2} "
          "((VkStructureType){3})\ntypedef struct {1} {{\n    VkStructureType sType;\n    void *pNext;\n    VkBool32 "
          "{4};\n}} {1};\n#endif\n\n",
          s.extension, s.type, s.value, s.number, s.members);
  out += "/* The features that the modules need, and those that help where a device has them. */\n";
  out +=
      "struct features {\n    VkPhysicalDeviceFeatures2 core;\n    VkPhysicalDeviceVulkan11Features v11;\n"
      "    VkPhysicalDeviceVulkan12Features v12;\n    VkPhysicalDeviceVulkan13Features v13;\n";
  std::string linked;
  std::string last = "v13";
  for (const ExtensionStructure& s : kStructures) {
    if (!structures.contains(s.field)) continue;
    out += fmt::format("    {} {};\n", s.type, s.field);
    linked += fmt::format("    f->{0}.sType = {1};\n    f->{2}.pNext = &f->{0};\n", s.field, s.value, last);
    last = s.field;
  }
  out += "};\n\nstatic const char *const kExtensions[] = {";
  for (const std::string& extension : extensions) out += c_string(extension) + ", ";
  out +=
      "NULL};\n\nstatic void chain(struct features *f)\n{\n    memset(f, 0, sizeof *f);\n"
      "    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;\n"
      "    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;\n"
      "    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;\n"
      "    f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;\n"
      "    f->core.pNext = &f->v11;\n    f->v11.pNext = &f->v12;\n    f->v12.pNext = &f->v13;\n";
  out += linked + "}\n\n/* The first feature that the device lacks; NULL when it has them all. */\n";
  out +=
      "static const char *turn_on(const struct features *have, struct features *want,\n"
      "                           const VkPhysicalDeviceVulkan11Properties *p11)\n{\n    (void)p11;\n";
  out += turned;
  out +=
      "    want->v11.uniformAndStorageBuffer16BitAccess = have->v11.uniformAndStorageBuffer16BitAccess;\n"
      "    want->v12.uniformAndStorageBuffer8BitAccess = have->v12.uniformAndStorageBuffer8BitAccess;\n"
      "    want->v12.shaderSubgroupExtendedTypes = have->v12.shaderSubgroupExtendedTypes;\n"
      "    want->v12.scalarBlockLayout = have->v12.scalarBlockLayout;\n"
      "    want->v13.maintenance4 = have->v13.maintenance4;\n    return NULL;\n}\n";
  return out;
}

}  // namespace

std::string to_example(const Exported& e) {
  const std::string head = fmt::format(
      "/* SPDX-License-Identifier: MIT */\n/* Runs {} on {} by plain Vulkan calls, with random inputs, and checks it\n "
      "  against a reference.\n\n     cc "
      "-O2 "
      "example.c -o example -lvulkan -lm && ./example [DEVICE]\n\n   It prints the largest error and exits with 0 when "
      "the output is right, 1 when it is wrong, 2 when no device can run\n   it, 3 when a call failed. Made by "
      "attnscope {}; do with it what you like. */\n",
      c_comment(e.variant), c_comment(to_text(e.problem)), ATTNSCOPE_VERSION);
  std::string body = kExampleTemplate;
  body.replace(body.find(kFeatures), kFeatures.size(), features_of(e));
  return head + body;
}

}  // namespace attnscope::exporting
