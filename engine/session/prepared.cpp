#include "engine/session/prepared.hpp"

#include <algorithm>
#include <cstring>

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

Result<PreparedPlan> prepare(const Plan& plan, const std::vector<vulkan::Pipeline>& pipelines, Workload& work,
                             const vulkan::Wait& wait) {
  const vulkan::Device& device = work.kernels->device();
  TRY(need_forms(plan, work, wait));
  std::vector<GuardedBuffer> scratch;
  for (const PlanScratch& s : plan.scratch) {
    GuardedBuffer buffer =
        TRY(GuardedBuffer::create(device, s.bytes, padding_word(DType::f32), wait, s.zeroed, s.addressed));
    scratch.push_back(std::move(buffer));
  }
  const auto buffer_of = [&](const Slot& slot) -> const GuardedBuffer& {
    if (slot.tensor) return tensor_for(plan, work, *slot.tensor);
    const auto at = std::ranges::find(plan.scratch, slot.scratch, &PlanScratch::name);
    return scratch.at(static_cast<size_t>(at - plan.scratch.begin()));
  };
  const auto put = [&](std::vector<std::byte>& bytes, const std::vector<Address>& addresses) {
    for (const Address& a : addresses) {
      const uint64_t address = buffer_of(a.slot).address();
      std::memcpy(bytes.data() + a.offset, &address, sizeof address);
    }
  };
  std::vector<vulkan::Pass> passes;
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    std::vector<vulkan::BoundBuffer> bound;
    const PlanPass& pass = plan.passes[i];
    for (const Slot& slot : pass.slots) bound.push_back(buffer_of(slot).at(slot.place));
    for (PlanBlock block : pass.uniforms) {
      put(block.bytes, block.addresses);
      auto buffer = TRY(vulkan::Buffer::create(device, block.bytes.size(), false, vulkan::BufferUse::uniform));
      TRY(buffer.upload(block.bytes, 0, wait));
      bound.push_back({block.place, std::move(buffer)});
    }
    std::vector<std::byte> push = pass.push;
    put(push, pass.push_addresses);
    passes.push_back({pipelines[i], pass.grid, std::move(push), std::move(bound)});
  }
  vulkan::Execution execution = TRY(vulkan::Execution::create(device, std::move(passes)));
  return PreparedPlan{std::move(execution), std::move(scratch)};
}

}  // namespace attnscope
