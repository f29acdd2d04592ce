#include "engine/session/device_words.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/shader/compiler.hpp"

namespace attnscope {
namespace {

constexpr const char* kTurn = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint words, mask, last_mask, blocks; };
// Blocks of 34 bytes repeat every 17 words; the sign of a scale is the highest bit of a block's second byte.
uint turned(uint i) {
  if (blocks == 0) return i + 1 == words ? last_mask : mask;
  return i % 17 == 0 ? 0x8000u : i % 17 == 8 && i + 1 < words ? 0x80000000u : 0u;
}
void main() {
  for (uint i = gl_GlobalInvocationID.x; i < words; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
    data[i] ^= turned(i);
}
)";
// The store to the sink never happens, which the compiler cannot know, so the stores to shared memory stay.
constexpr const char* kSpoil = R"(#version 460
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint WORDS = 4096;
layout(set = 0, binding = 0) buffer Sink { uint sink[]; };
shared uint words[WORDS];
void main() {
  for (uint i = gl_LocalInvocationIndex; i < WORDS; i += 128) words[i] = 0x7fc0dead;
  barrier();
  if (words[(sink[0] + gl_GlobalInvocationID.x) % WORDS] == 1) sink[0] = 1;
}
)";
constexpr uint64_t kMostWorkgroups = 4096;

Result<vulkan::Pipeline> make_pipeline(const vulkan::Device& device, const char* name, const char* source,
                                       const SpecValues& constants) {
  Compiler compiler;
  auto spirv = compiler.compile({std::string(name) + ".comp", source, {}, {}});
  if (!spirv) return spirv.error();
  return vulkan::Pipeline::create(device, {.name = name, .spirv = *spirv, .constants = constants});
}

}  // namespace

Result<SignTurn> SignTurn::create(const vulkan::Device& device) {
  auto pipeline = make_pipeline(device, "turn signs", kTurn, {});
  if (!pipeline) return pipeline.error();
  return SignTurn(device, std::move(*pipeline));
}

Result<void> SignTurn::operator()(const GuardedBuffer& tensor, DType dtype, KvType packed,
                                  const vulkan::Wait& wait) const {
  const uint64_t words = (tensor.bytes() + 3) / 4;
  if (words == 0) return {};
  if (words > UINT32_MAX) return internal_error("A tensor of more than 16 GiB cannot have its signs turned.");
  const uint32_t mask = packed == KvType::f8e4m3 ? 0x80808080u : dtype_bytes(dtype) == 4 ? 0x80000000u : 0x80008000u;
  // What the tensor leaves of the last word belongs to the guard.
  const uint32_t last = (tensor.bytes() + 3) % 4;
  const std::array<uint32_t, 4> values{static_cast<uint32_t>(words), mask, mask & (0xffffffffu >> (24 - 8 * last)),
                                       packed == KvType::q8_0 ? 1u : 0u};
  std::vector<std::byte> push(sizeof values);
  std::memcpy(push.data(), values.data(), sizeof values);
  const auto groups = static_cast<uint32_t>(std::clamp<uint64_t>((words + 127) / 128, 1, kMostWorkgroups));
  auto execution = vulkan::Execution::create(device_, {{pipeline_, {groups, 1, 1}, std::move(push), {tensor.at(0)}}});
  if (!execution) return execution.error();
  if (auto ran = execution->run(wait); !ran) return ran.error();
  return {};
}

Result<SharedSpoil> SharedSpoil::create(const vulkan::Device& device) {
  const DeviceLimits& limits = device.info().limits;
  const auto words = static_cast<uint32_t>(limits.max_shared_bytes / 4);
  auto pipeline = make_pipeline(device, "spoil shared memory", kSpoil, {{0, words}});
  if (!pipeline) return pipeline.error();
  auto sink = vulkan::Buffer::create(device, 4, true);
  if (!sink) return sink.error();
  if (auto ok = sink->fill(0); !ok) return ok.error();
  // Four workgroups a core: enough that each has one.
  const auto groups = static_cast<uint32_t>(std::max<uint64_t>(limits.core_count, 64) * 4);
  auto execution = vulkan::Execution::create(device, {{*pipeline, {groups, 1, 1}, {}, {{0, *sink}}}});
  if (!execution) return execution.error();
  return SharedSpoil(std::move(*execution));
}

Result<void> SharedSpoil::operator()(const vulkan::Wait& wait) const {
  if (auto ran = execution_.run(wait); !ran) return ran.error();
  return {};
}

}  // namespace attnscope
