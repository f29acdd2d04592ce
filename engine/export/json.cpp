#include <nlohmann/json.hpp>

#include "engine/export/describe.hpp"

namespace attnscope::exporting {

std::string to_json(const Exported& e) {
  using Json = nlohmann::ordered_json;
  const DeviceInfo& device = e.request.device;
  Json j{{"attnscope_export", 1},
         {"program", std::string("attnscope ") + ATTNSCOPE_VERSION},
         {"problem", to_text(e.request.problem)},
         {"variant", e.variant.name},
         {"title", e.variant.manifest.title},
         {"source_hash", e.variant.hash},
         {"config", e.plan.config}};
  if (!e.request.chosen.empty()) j["chosen"] = e.request.chosen;
  j["verified"] = e.request.verified;
  j["device"] = {{"name", device.name}, {"driver", device.driver}};
  std::set<std::string> extensions;
  Json features = Json::array();
  for (const std::string& name : e.features) {
    const VulkanFeature* f = vulkan_feature(name);
    features.push_back({{"name", name}, {"vulkan", f ? f->members : std::vector<std::string>{}}});
    if (f && !f->extension.empty()) extensions.insert(f->extension);
  }
  uint64_t shared = 0, invocations = 0, push = 0;
  for (const ExportedPass& pass : e.passes) {
    const auto& size = pass.pass.local_size;
    shared = std::max(shared, pass.shared_bytes);
    invocations = std::max(invocations, uint64_t{size[0]} * size[1] * size[2]);
    push = std::max<uint64_t>(push, pass.pass.push_bytes);
  }
  j["needs"] = {{"vulkan", "1.3"},
                {"features", features},
                {"extensions", extensions},
                {"min_subgroup_size", device.limits.min_subgroup_size},
                {"max_subgroup_size", device.limits.max_subgroup_size},
                {"maxComputeSharedMemorySize", shared},
                {"maxComputeWorkGroupInvocations", invocations},
                {"maxPushConstantsSize", push}};
  j["buffers"] = Json::array();
  for (const BoundBuffer& b : e.buffers)
    j["buffers"].push_back({{"set", 0},
                            {"binding", b.binding},
                            {"name", b.name},
                            {"type", "storage buffer"},
                            {"bytes", b.bytes},
                            {"bytes_formula", b.formula},
                            {"zeroed", b.zeroed}});
  j["passes"] = Json::array();
  for (const ExportedPass& pass : e.passes) {
    Json constants = Json::array(), pushes = Json::array();
    for (const tune::TunedConstant& c : pass.pass.constants)
      constants.push_back({{"id", c.id}, {"name", c.name}, {"bits", c.bits}, {"formula", c.formula}});
    for (const tune::TunedPush& v : pass.pass.push)
      pushes.push_back(
          {{"name", v.name}, {"type", v.type}, {"offset", v.offset}, {"bits", v.bits}, {"formula", v.formula}});
    j["passes"].push_back({{"name", pass.pass.name},
                           {"module", pass.pass.name + ".spv"},
                           {"module_with_constants", pass.pass.name + ".constants.spv"},
                           {"entry_point", "main"},
                           {"bindings", pass.bindings},
                           {"grid", pass.pass.grid},
                           {"grid_formula", pass.pass.grid_formula},
                           {"local_size", pass.pass.local_size},
                           {"subgroup_size", pass.pass.subgroup_size},
                           {"full_subgroups", pass.full_subgroups},
                           {"shared_bytes", pass.shared_bytes},
                           {"push_constant_bytes", pass.pass.push_bytes},
                           {"push_constants", pushes},
                           {"spec_constants", constants}});
  }
  j["let"] = e.variant.manifest.let;
  // What a person typed may be no UTF-8.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attnscope::exporting
