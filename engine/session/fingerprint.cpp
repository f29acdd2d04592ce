#include "engine/session/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/shader/compiler.hpp"

namespace attnscope {
namespace {

// Each word is mixed with its place (a permutation of 32 bits with good avalanche: Wellons' lowbias32, "Prospecting for
// Hash Functions", 2018), then summed: sums need no order, so every invocation takes what it likes. Two sums of
// different mixes make 64 bits.
constexpr const char* kShader = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[2]; };
layout(push_constant) uniform Push { uint words; };
uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
void main() {
  uint first = 0, second = 0;
  for (uint i = gl_GlobalInvocationID.x; i < words; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uint h = mixed(data[i] ^ mixed(i + 0x9e3779b9u));
    first += h;
    second += mixed(h + i);
  }
  atomicAdd(sums[0], first);
  atomicAdd(sums[1], second);
}
)";
constexpr uint64_t kMostWorkgroups = 4096;

}  // namespace

Result<Fingerprint> Fingerprint::create(const vulkan::Device& device) {
  Compiler compiler;
  auto spirv = compiler.compile({"fingerprint.comp", kShader, {}, {}});
  if (!spirv) return spirv.error();
  auto pipeline = vulkan::Pipeline::create(device, {.name = "fingerprint", .spirv = *spirv, .constants = {}});
  if (!pipeline) return pipeline.error();
  auto sums = vulkan::Buffer::create(device, 8, true);
  if (!sums) return sums.error();
  return Fingerprint(device, std::move(*pipeline), std::move(*sums));
}

Result<uint64_t> Fingerprint::of(const vulkan::Buffer& buffer, const vulkan::Wait& wait) const {
  const uint64_t words = buffer.bytes() / 4;
  if (words > UINT32_MAX) return internal_error("A buffer of more than 16 GiB cannot be fingerprinted.");
  if (auto ok = sums_.fill(0, wait); !ok) return ok.error();
  const auto count = static_cast<uint32_t>(words);
  std::vector<std::byte> push(sizeof count);
  std::memcpy(push.data(), &count, sizeof count);
  const auto groups = static_cast<uint32_t>(std::clamp<uint64_t>((words + 127) / 128, 1, kMostWorkgroups));
  auto execution = vulkan::Execution::create(
      device_, {{pipeline_, {groups, 1, 1}, std::move(push), {{0, buffer, 0, words * 4}, {1, sums_, 0, 8}}}});
  if (!execution) return execution.error();
  if (auto ran = execution->run(wait); !ran) return ran.error();
  std::array<std::byte, 8> bytes{};
  if (auto ok = sums_.download(bytes, 0, wait); !ok) return ok.error();
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace attnscope
