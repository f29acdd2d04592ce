#include "engine/session/prepared.hpp"

#include "engine/session/resources.hpp"

namespace attnscope {

Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device& device, const Plan& plan, bool sliceable) {
  std::vector<vulkan::Pipeline> pipelines;
  for (const PlanPass& pass : plan.passes) {
    vulkan::Pipeline pipeline = TRY(vulkan::Pipeline::create(device, pipeline_request(plan, pass, sliceable)));
    pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

Result<Prepared> prepare(const vulkan::Device& device, const Plan& plan, const std::vector<vulkan::Pipeline>& pipelines,
                         Workload& work, const vulkan::Wait& wait) {
  TRY(need_forms(device, plan, work, wait));
  std::vector<GuardedBuffer> scratch;
  for (const PlanScratch& s : plan.scratch) {
    GuardedBuffer buffer = TRY(GuardedBuffer::create(device, s.bytes, padding_word(DType::f32), wait, s.zeroed));
    scratch.push_back(std::move(buffer));
  }
  std::vector<vulkan::Pass> passes;
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    std::vector<vulkan::BoundBuffer> bound;
    for (const Slot& slot : plan.passes[i].slots) {
      if (slot.tensor) {
        bound.push_back(tensor_for(plan, work, *slot.tensor).at(slot.place));
        continue;
      }
      for (size_t s = 0; s < plan.scratch.size(); ++s)
        if (plan.scratch[s].name == slot.scratch) bound.push_back(scratch[s].at(slot.place));
    }
    passes.push_back({pipelines[i], plan.passes[i].grid, plan.passes[i].push, std::move(bound)});
  }
  vulkan::Execution execution = TRY(vulkan::Execution::create(device, std::move(passes)));
  return Prepared{std::move(execution), std::move(scratch)};
}

}  // namespace attnscope
