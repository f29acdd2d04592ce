#include "engine/session/resources.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope {
namespace {

/// A sum over passes is a time only when every part of it is.
void add_compile(Resources& r, const vulkan::CompileTime& pass) {
  r.compile = std::max(r.compile, pass.kind);
  if (r.compile == Compile::measured)
    r.compile_ms = r.compile_ms.value_or(0) + pass.ms;
  else
    r.compile_ms.reset();
}

constexpr size_t kMostResults = 10'000, kPruneEvery = 256;  ///< of a few KB each
constexpr uint64_t kResourcesCheck = 1;  ///< another one when the table of statistics changes its meaning

/// Results of planning alone: shared and private bytes, workgroups.
Resources planned_resources(const Plan& plan) {
  Resources r;
  r.shared_bytes = plan.shared_bytes;
  r.private_bytes = plan.private_bytes;
  r.may_spill = plan.may_spill;
  r.workgroups = plan.largest_pass().workgroups();
  r.workgroup_invocations = plan.largest_pass().facts.invocations();
  return r;
}

}  // namespace

vulkan::PipelineRequest pipeline_request(const Plan& plan, const PlanPass& pass, bool sliceable) {
  return {.name = plan.variant + "/" + pass.name,
          .spirv = pass.spirv,
          .constants = pass.constants,
          .subgroup_size = pass.subgroup_size,
          .sliceable = sliceable};
}

void record_plan(const Plan& plan, Record& record) {
  record.precision = plan.precision;
  record.extra_bytes = plan.extra_bytes;
  record.scratch_bytes = plan.scratch_bytes;
  record.resources = planned_resources(plan);
}

Result<Resources> driver_resources(const vulkan::Device& device, const Plan& plan, EventStream& events) {
  Resources r = planned_resources(plan);
  for (const PlanPass& pass : plan.passes) {
    const vulkan::PipelineRequest request = pipeline_request(plan, pass, false);
    // How long a driver without hardware compiles says nothing of the real one's machine.
    if (device.info().use == DeviceUse::run) add_compile(r, TRY(vulkan::measure_compile(device, request)));
    Resources s = TRY(vulkan::pipeline_statistics(device, request));
    for (const auto largest : {&Resources::registers, &Resources::spills, &Resources::spill_bytes,
                               &Resources::stack_bytes, &Resources::shared_bytes_driver, &Resources::code_bytes})
      r.*largest = std::max(r.*largest, s.*largest);
    if (s.subgroups) r.subgroups = std::min(r.subgroups.value_or(UINT64_MAX), *s.subgroups);
    if (s.cycles) r.cycles = r.cycles.value_or(0) + *s.cycles;
    for (const auto& [part, count] : s.mix) r.mix[part] += count;
    // A driver may compile one pass several times, such as once for each subgroup size.
    const auto is_first = [&](const auto& raw) { return raw.pass == s.raw.front().pass; };
    const bool several = !std::ranges::all_of(s.raw, is_first);
    for (RawResource& raw : s.raw) {
      raw.pass = several ? pass.name + " " + raw.pass : pass.name;
      r.raw.push_back(std::move(raw));
    }
    events.alive();
  }
  return r;
}

std::string pipelines_key(const Plan& plan) {
  std::string key;
  for (const PlanPass& pass : plan.passes) {
    key += fmt::format("|{} {} {}", pass.name, content_hash(bytes_of(pass.spirv)), pass.subgroup_size);
    for (const auto& [id, bits] : pass.constants) key += fmt::format(" {}={:x}", id, bits);
  }
  return key;
}

Resources for_plan(Resources known, const Plan& plan) {
  const Resources now = planned_resources(plan);
  known.workgroups = now.workgroups;
  known.workgroup_invocations = now.workgroup_invocations;
  known.may_spill = now.may_spill;
  return known;
}

Result<Resources> compiled_resources(const vulkan::Device& device, const Plan& plan, const FileCache& cache,
                                     EventStream& events) {
  const DeviceInfo& info = device.info();
  const std::string name =
      fmt::format("resources-{}.json", content_hash(fmt::format("{}|{}|{}|{}", info.driver, info.pipeline_uuid,
                                                                info.device_id, info.name + pipelines_key(plan))));
  if (const auto stored = cache.load(name, kResourcesCheck)) {
    if (const Result<Json> json = parse_json(*stored, name))
      if (Result<Resources> known = decode<Resources>(*json, name)) {
        if (known->compile == Compile::measured) known->compile = Compile::cached;
        known->compile_ms.reset();
        return for_plan(std::move(*known), plan);
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
    auto texts = TRY(vulkan::pipeline_representations(device, pipeline_request(plan, pass, false)));
    for (ShaderText& text : texts) {
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
  if (device.use == DeviceUse::run) return "";
  return fmt::format(
      "{} is a compile-only device: its driver has no hardware here, so nothing can be verified, timed or "
      "searched. `attnscope compile --gpu '{}'` says what its driver makes of a config.",
      device.name, device.name);
}

}  // namespace attnscope
