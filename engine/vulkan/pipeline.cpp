#include "engine/vulkan/pipeline.hpp"

#include <chrono>
#include <random>

#include "engine/shader/compiler.hpp"
#include "engine/shader/limits.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

constexpr Clock::duration kSaveInterval = std::chrono::seconds(10);
constexpr int kSaveShare = 50;                           ///< of the time, one part in so many is spent on saving
constexpr size_t kMaxRepresentation = size_t{16} << 20;  // bytes of one text

Result<void> create_layouts(PipelineState& p) {
  LogicalDevice& device = *p.device;
  // Sets below the last that are not used are there all the same, empty.
  const auto places = p.buffers();
  const uint32_t sets = places.empty() ? 1 : set_of(places.rbegin()->first) + 1;
  for (uint32_t number = 0; number < sets; ++number) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const auto& [place, type] : places)
      if (set_of(place) == number)
        bindings.push_back({binding_of(place), type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    auto set = vk_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set.bindingCount = uint32_t(bindings.size());
    set.pBindings = bindings.data();
    VkDescriptorSetLayout made = VK_NULL_HANDLE;
    TRY(device.check(device.vk.vkCreateDescriptorSetLayout(device.device, &set, nullptr, &made),
                     "describing the buffers of " + p.name));
    p.set_layouts.push_back(made);
  }
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, p.reflection.push_bytes};
  auto layout = vk_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = sets;
  layout.pSetLayouts = p.set_layouts.data();
  layout.pushConstantRangeCount = p.reflection.push_bytes ? 1 : 0;
  layout.pPushConstantRanges = &push;
  return device.check(device.vk.vkCreatePipelineLayout(device.device, &layout, nullptr, &p.layout),
                      "describing the layout of " + p.name);
}

/// All but the pipeline itself: checks and layouts.
Result<std::shared_ptr<PipelineState>> prepare(const Device& device, const PipelineRequest& request) {
  auto reflection = TRY(within(request.name, reflect(request.spirv)));
  auto facts = TRY(within(request.name, specialize(request.spirv, request.constants)));
  if (auto over =
          check_module({request.name, reflection, facts, request.subgroup_size, request.full_subgroups}, device.info()))
    return over->error;
  auto state = std::make_shared<PipelineState>();
  state->device = device.state();
  state->name = request.name;
  state->reflection = std::move(reflection);
  state->facts = facts;
  state->sliceable = request.sliceable;
  TRY(create_layouts(*state));
  return state;
}

/// Random rather than counted: other processes, and earlier ones, fill the same cache.
std::string never_used_text() {
  std::random_device random;
  return fmt::format("attnscope compile {:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

struct CompileOutcome {
  double ms = 0;           ///< of the driver's call alone
  bool cache_hit = false;  ///< as the driver says, if it says anything
};

Result<CompileOutcome> compile(PipelineState& p, const PipelineRequest& request, VkPipelineCache cache,
                               VkPipelineCreateFlags flags) {
  LogicalDevice& device = *p.device;
  const bool control = device.info.has("subgroup_size_control");
  const uint32_t subgroup_size = control ? request.subgroup_size : 0;  // 0 = not asked of the driver
  const uint32_t unit = subgroup_size ? subgroup_size : device.info.limits.max_subgroup_size;
  const bool full_subgroups = control && p.facts.local_size[0] % unit == 0;

  // Every constant is given: local_size_x_id has a default of its own in the module.
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint32_t> data;
  for (const auto& c : p.reflection.constants) {
    const auto value = request.constants.find(c.id);
    if (c.type == ScalarType::other) {
      if (value == request.constants.end()) continue;
      return bad_input("{}: specialization constant {} is not a 32-bit number or boolean.", request.name, c.name);
    }
    entries.push_back({c.id, uint32_t(data.size() * 4), 4});
    data.push_back(value != request.constants.end() ? value->second : c.default_bits);
  }
  const VkSpecializationInfo specialization{uint32_t(entries.size()), entries.data(), data.size() * 4, data.data()};

  auto module_info = vk_struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = request.spirv->size() * 4;
  module_info.pCode = request.spirv->data();
  VkShaderModule module = VK_NULL_HANDLE;
  TRY(device.check(device.vk.vkCreateShaderModule(device.device, &module_info, nullptr, &module),
                   "loading the shader of " + request.name));

  auto required = vk_struct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  required.requiredSubgroupSize = subgroup_size;
  auto info = vk_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  // Always, not just for sliceable ones: a driver (NVIDIA 580.159) was seen to find the pipeline without the flag in
  // its cache when asked for the one with it, and every piece then began at workgroup 0.
  info.flags = flags | VkPipelineCreateFlags{VK_PIPELINE_CREATE_DISPATCH_BASE};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = subgroup_size ? &required : nullptr;
  info.stage.flags =
      full_subgroups ? VkPipelineShaderStageCreateFlags{VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT} : 0;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = p.reflection.entry.c_str();
  info.stage.pSpecializationInfo = &specialization;
  info.layout = p.layout;
  VkPipelineCreationFeedback feedback{};
  auto wanted =
      vk_struct<VkPipelineCreationFeedbackCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  wanted.pPipelineCreationFeedback = &feedback;
  info.pNext = &wanted;
  const auto start = Clock::now();
  const VkResult r = device.vk.vkCreateComputePipelines(device.device, cache, 1, &info, nullptr, &p.pipeline);
  const double took = ms_since(start);
  device.vk.vkDestroyShaderModule(device.device, module, nullptr);
  TRY(device.check(r, "compiling the pipeline of " + request.name));
  constexpr VkPipelineCreationFeedbackFlags kHit =
      VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  return CompileOutcome{took, (feedback.flags & kHit) == kHit};
}

std::string hash_of(const PipelineRequest& request) {
  std::string all = fmt::format("{} {} {}", request.subgroup_size, request.full_subgroups, request.sliceable);
  for (const auto& [id, value] : request.constants) all += fmt::format(" {}={}", id, value);
  return content_hash(all.append(bytes_of(request.spirv)));
}

/// A pipeline compiled to be asked about, never the timed one, and its executables.
struct InspectedPipeline {
  std::shared_ptr<PipelineState> state;
  std::vector<VkPipelineExecutablePropertiesKHR> executables;
  VkPipelineExecutableInfoKHR at(uint32_t index) const {
    return {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, state->pipeline, index};
  }
};

Result<InspectedPipeline> inspected(const Device& device, const PipelineRequest& request, VkPipelineCreateFlags flags) {
  auto state = TRY(prepare(device, request));
  LogicalDevice& d = *device.state();
  TRY(compile(*state, request, VK_NULL_HANDLE, flags));
  auto pipeline = vk_struct<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  pipeline.pipeline = state->pipeline;
  auto [r, executables] =
      list_of([&](auto... list) { return d.vk.vkGetPipelineExecutablePropertiesKHR(d.device, &pipeline, list...); },
              vk_struct<VkPipelineExecutablePropertiesKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR));
  if (r != VK_SUCCESS) return d.error(r, "listing pipeline executables");
  return InspectedPipeline{std::move(state), std::move(executables)};
}

}  // namespace

PipelineState::~PipelineState() {
  if (!device || device->abandoned) return;
  if (pipeline) device->vk.vkDestroyPipeline(device->device, pipeline, nullptr);
  if (layout) device->vk.vkDestroyPipelineLayout(device->device, layout, nullptr);
  for (VkDescriptorSetLayout set : set_layouts) device->vk.vkDestroyDescriptorSetLayout(device->device, set, nullptr);
}

Result<Pipeline> Pipeline::create(const Device& device, const PipelineRequest& request) {
  auto state = TRY(prepare(device, request));
  LogicalDevice& d = *device.state();
  const std::string key = hash_of(request);
  {
    std::unique_lock lock(d.compiling_mutex);
    d.compiled.wait(lock, [&] { return !d.compiling.contains(key); });
    d.compiling.insert(key);
  }
  const auto compiled = compile(*state, request, d.pipeline_cache, 0);
  {
    const std::lock_guard lock(d.compiling_mutex);
    d.compiling.erase(key);
  }
  d.compiled.notify_all();
  bool due = false;
  {
    // A process that is killed keeps most of its cache. While one saves, the others go on.
    const std::unique_lock lock(d.cache_mutex, std::try_to_lock);
    due = lock && Clock::now() - d.cache_saved > std::max(kSaveInterval, kSaveShare * d.cache_saving);
  }
  if (due) d.save_pipeline_cache();
  if (!compiled) return compiled.error();
  return Pipeline(std::move(state));
}

const ModuleFacts& Pipeline::facts() const { return state_->facts; }
bool Pipeline::sliceable() const { return state_->sliceable; }

bool plausible_compile(double ms, size_t words) {
  // An H200's driver (580.159) answers from its memory in 1 to 10 ns a word; compilers take microseconds.
  constexpr double kLeastNsAWord = 100;
  return ms * 1e6 >= kLeastNsAWord * double(words);
}

Result<CompileTime> measure_compile(const Device& device, const PipelineRequest& request) {
  // It makes its machine code when a pipeline first runs; creating the pipeline only parses the module.
  if (device.info().driver_id == VK_DRIVER_ID_MESA_LLVMPIPE) return CompileTime{Compile::in_first_dispatch, 0};
  PipelineRequest anew = request;
  anew.spirv = TRY(within(request.name, with_string(request.spirv, never_used_text())));
  auto state = TRY(prepare(device, anew));
  const auto compiled = TRY(compile(*state, anew, VK_NULL_HANDLE, 0));
  const bool real = !compiled.cache_hit && plausible_compile(compiled.ms, anew.spirv->size());
  return CompileTime{real ? Compile::measured : Compile::cached, compiled.ms};
}

Result<Resources> pipeline_statistics(const Device& device, const PipelineRequest& request) {
  if (!device.info().has("pipeline_statistics")) return Resources{};
  auto pipeline = TRY(inspected(device, request, VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR));
  LogicalDevice& d = *device.state();
  std::vector<RawResource> raw;
  for (uint32_t e = 0; e < pipeline.executables.size(); ++e) {
    const auto which = pipeline.at(e);
    const auto [r, all] =
        list_of([&](auto... list) { return d.vk.vkGetPipelineExecutableStatisticsKHR(d.device, &which, list...); },
                vk_struct<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
    if (r != VK_SUCCESS) return d.error(r, "reading pipeline statistics");
    for (const auto& s : all) {
      long double value = 0;
      switch (s.format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: value = s.value.b32 ? 1 : 0; break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: value = static_cast<long double>(s.value.i64); break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: value = static_cast<long double>(s.value.u64); break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: value = s.value.f64; break;
        default: continue;
      }
      raw.push_back({pipeline.executables[e].name, s.name, s.description, value});
    }
  }
  return normalize_statistics(std::move(raw), device.info().driver);
}

Result<std::vector<ShaderText>> pipeline_representations(const Device& device, const PipelineRequest& request) {
  std::vector<ShaderText> out;
  if (!device.info().has("pipeline_statistics")) return out;
  auto pipeline = TRY(inspected(device, request, VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR));
  LogicalDevice& d = *device.state();
  for (uint32_t e = 0; e < pipeline.executables.size(); ++e) {
    const auto which = pipeline.at(e);
    // This says how long each text is.
    auto [r, list] = list_of(
        [&](auto... all) { return d.vk.vkGetPipelineExecutableInternalRepresentationsKHR(d.device, &which, all...); },
        vk_struct<VkPipelineExecutableInternalRepresentationKHR>(
            VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR));
    auto count = uint32_t(list.size());
    std::vector<std::string> texts(count);
    for (uint32_t i = 0; i < count; ++i) {
      texts[i].resize(std::min(list[i].dataSize, kMaxRepresentation));
      list[i].dataSize = texts[i].size();
      list[i].pData = texts[i].data();
    }
    if (r == VK_SUCCESS)
      r = d.vk.vkGetPipelineExecutableInternalRepresentationsKHR(d.device, &which, &count, list.data());
    if (r != VK_SUCCESS && r != VK_INCOMPLETE) return d.error(r, "reading the driver's representations");
    for (uint32_t i = 0; i < count; ++i) {
      if (!list[i].isText) continue;
      texts[i].resize(std::min(texts[i].size(), std::strlen(texts[i].c_str())));
      out.push_back({request.name, pipeline.executables[e].name, list[i].name, list[i].description, texts[i]});
    }
  }
  return out;
}

}  // namespace attnscope::vulkan
