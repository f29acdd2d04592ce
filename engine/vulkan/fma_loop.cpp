#include "engine/vulkan/fma_loop.hpp"

#include <algorithm>
#include <cstring>

#include "engine/shader/compiler.hpp"

namespace attnscope::vulkan {
namespace {

// The store never happens, which the compiler cannot know, so the loop stays.
constexpr const char* kLoop = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Sink { float sink[]; };
layout(push_constant) uniform Push { uint iterations; };
void main() {
  float a = float(gl_GlobalInvocationID.x) * 1e-6;
  for (uint i = 0; i < iterations; ++i) a = fma(a, 0.999, 0.001);
  if (a < -1.0) sink[0] = a;
}
)";

}  // namespace

Result<FmaLoop> FmaLoop::create(const Device& device) {
  Compiler compiler;
  auto spirv = compiler.compile({"fma_loop.comp", kLoop, {}, {}});
  if (!spirv) return spirv.error();
  auto pipeline = Pipeline::create(device, {.name = "fma-loop", .spirv = *spirv, .constants = {}});
  if (!pipeline) return pipeline.error();
  auto sink = Buffer::create(device, 4);
  if (!sink) return sink.error();
  return FmaLoop(device, std::move(*pipeline), std::move(*sink));
}

Result<Execution> FmaLoop::of(uint32_t iterations) const {
  std::vector<std::byte> push(sizeof iterations);
  std::memcpy(push.data(), &iterations, sizeof iterations);
  // Four workgroups a core: enough that every core is busy.
  const uint32_t cores = std::max(device_.info().limits.core_count, 64u);
  return Execution::create(device_, {{pipeline_, {cores * 4, 1, 1}, std::move(push), {{0, sink_}}}});
}

}  // namespace attnscope::vulkan
