// What a program has to know to dispatch a config: of these values the JSON and the example are made.
#pragma once

#include "engine/export/export.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope::exporting {

struct BoundBuffer {
  uint32_t binding = 0;
  std::string name;
  uint64_t bytes = 0;   ///< at this problem
  std::string formula;  ///< of the bytes
  bool zeroed = false;  ///< to be filled with zeros once, before the first run; every run leaves it so
};
struct ExportedPass {
  tune::TunedPass pass;  ///< grid, local size, constants, push constants
  std::vector<uint32_t> bindings;
  uint64_t shared_bytes = 0;
  bool full_subgroups = false;  ///< whole subgroups can be asked for, and are counted on
  Spirv final_module, open_module;
};
struct PlannedExport {
  Variant variant;
  Plan plan;
  std::set<std::string> features;  ///< as DeviceInfo names them
};
struct Exported : PlannedExport {
  ExportRequest request;
  std::vector<BoundBuffer> buffers;
  std::vector<ExportedPass> passes;
  std::vector<uint32_t> offsets, page_table;
};
Result<Exported> describe(const ExportRequest&);
/// Fails also for a kernel whose tensors have other layouts or bindings than ours.
Result<PlannedExport> plan_of(const ExportRequest&);
Result<ExportedPass> pass_of(const PlanPass&, tune::TunedPass described, const DeviceInfo&);
/// `given`, or the first one's variant and a hash of its problem and config; an error where `given` cannot be a prefix.
Result<std::string> prefix_of(const std::string& given, const ExportRequest& first);
/// C text with the prefix in place of attn_… and ATTN_… in its names; strings are left alone.
std::string with_prefix(std::string_view text, const std::string& prefix);

std::string to_json(const Exported&);
std::string to_example_header(const Exported&);
std::string to_example(const Exported&);
/// Templates of the files that are written (CMakeLists.txt).
extern const char *const kExampleTemplate, *const kExampleTypes, *const kCrateTemplate, *const kCrateExample;
extern const char *const kDispatchHeader, *const kDispatchSource, *const kDispatchHelpers;

// Expressions of manifests as C and as Rust: what a program computes anew for another problem.

enum class Language { c, rust };
/// An expression of type double (f64) with the value of evaluate(). `name` gives the text of a name; "" is an error.
Result<std::string> to_source(const std::string& expression, Language,
                              const std::function<std::string(const std::string&)>& name);
/// A literal of type double, in both.
std::string c_number(double);

/// The features of an extension: its field in the example's chain, its number in Vulkan's registry, and its members in
/// order.
struct ExtensionFeatures {
  std::string field, extension;
  uint32_t number;
  std::vector<std::string> members;
};
extern const std::array<ExtensionFeatures, 3> kExtensions;
/// How Vulkan calls one of DeviceInfo::features.
struct VulkanFeature {
  std::string name;                  ///< as DeviceInfo has it
  std::string structure;             ///< field of the exported example's chain: "v11"; "" = a property of subgroups
  std::vector<std::string> members;  ///< of the structure that have to be true; or VkSubgroupFeatureFlagBits
  std::string extension;             ///< "" = core
};
/// nullptr for what no variant switches on.
const VulkanFeature* vulkan_feature(const std::string& name);

}  // namespace attnscope::exporting
