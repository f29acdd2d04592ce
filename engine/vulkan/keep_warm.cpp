#include "engine/vulkan/keep_warm.hpp"

#include "engine/clock.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope::vulkan {
namespace {

constexpr double kTargetMs = 2;

}  // namespace

KeepWarm::KeepWarm(const Device& device, bool even_software) {
  if (device.is_software() && !even_software) return;
  std::optional<FmaLoop> made;
  std::optional<Execution> loop;
  thread_.emplace([this, device, made, loop, iterations = FmaLoop::kLeastIterations]() mutable {
    constexpr double kEnd = -1;
    const auto use = [&](uint32_t count) {
      iterations = count;
      const Result<Execution> of = made->of(count);
      loop = of ? std::optional(*of) : std::nullopt;
    };
    if (!made) {
      const Result<FmaLoop> created = FmaLoop::create(device);
      if (!created) return kEnd;
      made = *created;
      use(iterations);
    }
    const auto start = Clock::now();
    if (!loop || !loop->run()) return kEnd;
    const double took = ms_since(start);
    ++loops_;
    // The wall-clock time of a submit is what the duty counts; the loop grows until that is mostly GPU time.
    if (took < kTargetMs / 2 && iterations < FmaLoop::kMostIterations)
      use(iterations * 2);
    else if (took > kTargetMs * 2 && iterations > FmaLoop::kLeastIterations)
      use(iterations / 2);
    return took;
  });
}

Result<FmaLoop> FmaLoop::create(const Device& device) {
  auto pipeline = TRY(make_pipeline(device, {"fma-loop", kernels("fma_loop")}));
  auto sink = TRY(Buffer::create(device, 4));
  return FmaLoop(device, std::move(pipeline), std::move(sink));
}

Result<Execution> FmaLoop::of(uint32_t iterations) const {
  // Four workgroups a core: enough that every core is busy.
  const uint32_t cores = std::max(device_.info().limits.core_count, 64u);
  return Execution::create(device_, {{pipeline_, {cores * 4, 1, 1}, push_of(iterations), {{0, sink_}}}});
}

}  // namespace attnscope::vulkan
