#include "engine/session/prepared.hpp"

#include "engine/session/resources.hpp"

namespace attnscope {

Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device& device, const Plan& plan, bool sliceable) {
  std::vector<vulkan::Pipeline> pipelines;
  for (const PlanPass& pass : plan.passes) {
    Result<vulkan::Pipeline> pipeline = vulkan::Pipeline::create(device, pipeline_request(plan, pass, sliceable));
    if (!pipeline) return pipeline.error();
    pipelines.push_back(std::move(*pipeline));
  }
  return pipelines;
}

Result<Prepared> prepare(const vulkan::Device& device, const Plan& plan, const std::vector<vulkan::Pipeline>& pipelines,
                         const Workload& work, const vulkan::Wait& wait) {
  std::vector<GuardedBuffer> scratch;
  std::vector<vulkan::BoundBuffer> bound;
  for (const auto& [binding, buffer] : work.buffers) bound.push_back(buffer.at(binding));
  for (const PlanScratch& s : plan.scratch) {
    Result<GuardedBuffer> buffer = GuardedBuffer::create(device, s.bytes, padding_word(DType::f32), wait);
    if (!buffer) return buffer.error();
    bound.push_back(buffer->at(s.binding));
    scratch.push_back(std::move(*buffer));
  }
  std::vector<vulkan::Pass> passes;
  for (size_t i = 0; i < plan.passes.size(); ++i)
    passes.push_back({pipelines[i], plan.passes[i].grid, plan.passes[i].push, bound});
  Result<vulkan::Execution> execution = vulkan::Execution::create(device, std::move(passes));
  if (!execution) return execution.error();
  return Prepared{std::move(*execution), std::move(scratch), 0, {}};
}

}  // namespace attnscope
