#include "engine/session/compiled.hpp"

#include <atomic>

#include <fmt/format.h>

#include "engine/record/json_fields.hpp"
#include "engine/shader/bake.hpp"
#include "engine/shader/compiler.hpp"

namespace attnscope {
namespace {

constexpr size_t kMostResults = 10'000, kPruneEvery = 256;  ///< of a few KB each
constexpr uint64_t kResourcesCheck = 1;  ///< another one when the table of statistics changes its meaning

std::string cache_name(const DeviceInfo& device, const Plan& plan) {
  std::string key = fmt::format("{}|{}|{}|{}", device.driver, device.pipeline_uuid, device.device_id, device.name);
  for (const PlanPass& pass : plan.passes) {
    const auto* bytes = reinterpret_cast<const char*>(pass.spirv->data());
    key += fmt::format("|{} {} {}", pass.name, content_hash({bytes, pass.spirv->size() * 4}), pass.subgroup_size);
    for (const auto& [id, bits] : pass.constants) key += fmt::format(" {}={:x}", id, bits);
  }
  return fmt::format("resources-{}.json", content_hash(key));
}

}  // namespace

Result<Resources> compiled_resources(const vulkan::Device& device, const Plan& plan, const FileCache& cache,
                                     EventStream& events) {
  const std::string name = cache.enabled() ? cache_name(device.info(), plan) : "";
  if (const auto stored = cache.load(name, kResourcesCheck)) {
    const std::string_view text(reinterpret_cast<const char*>(stored->data()), stored->size());
    if (const Result<Json> json = parse_json(text, name))
      if (Result<Resources> known = decode<Resources>(*json, name)) {
        const Resources now = planned_resources(plan);
        // Of this problem, and of this run.
        known->workgroups = now.workgroups;
        known->workgroup_invocations = now.workgroup_invocations;
        known->may_spill = now.may_spill;
        if (known->compile == Compile::measured) known->compile = Compile::cached;
        known->compile_ms.reset();
        return known;
      }
  }
  Result<Resources> found = driver_resources(device, plan, events);
  if (found && cache.enabled()) {
    cache.store(name, kResourcesCheck, dump_line(encode(*found)));
    static std::atomic<size_t> stored{0};
    if (stored++ % kPruneEvery == 0) cache.prune(kMostResults);
  }
  return found;
}

Result<std::vector<ShaderText>> shader_texts(const vulkan::Device& device, const Plan& plan) {
  std::vector<ShaderText> out;
  for (const PlanPass& pass : plan.passes) {
    Result<std::vector<ShaderText>> texts =
        vulkan::pipeline_representations(device, pipeline_request(plan, pass, false));
    if (!texts) return texts.error();
    for (ShaderText& text : *texts) {
      text.pass = pass.name;
      out.push_back(std::move(text));
    }
    Spirv baked = TRY(bake(pass.spirv, pass.constants, false));
    std::string text = TRY(disassemble(baked));
    out.push_back(
        {pass.name, "", "SPIR-V", "What the driver is given, with the config's constants written in", std::move(text)});
  }
  return out;
}

std::string why_not_run(const DeviceInfo& device) {
  switch (device.use) {
    case DeviceUse::run: return "";
    case DeviceUse::compile:
      return fmt::format(
          "{} is a compile-only device: its driver has no hardware here, so nothing can be verified, timed or "
          "searched. `attnscope compile --gpu '{}'` says what its driver makes of a config.",
          device.name, device.name);
    case DeviceUse::limits: break;
  }
  return fmt::format(
      "{} is known by its limits alone, so nothing can be compiled or run. `attnscope variants --device profile:FILE` "
      "and `attnscope compile --device profile:FILE` say what is legal on it.",
      device.name);
}

}  // namespace attnscope
