#include "engine/session/guarded_buffer.hpp"

namespace attnscope {
namespace {

uint64_t whole_words(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

/// Of bytes that begin at a place of the buffer.
bool poisoned(const std::vector<std::byte>& bytes, uint64_t offset, uint32_t poison) {
  for (size_t i = 0; i < bytes.size(); ++i)
    if (std::to_integer<uint32_t>(bytes[i]) != ((poison >> ((offset + i) % 4 * 8)) & 0xffu)) return false;
  return true;
}

// The same as change() of engine/attention/input_change.cpp, to the bit.
constexpr const char* kChange = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push {
  uint words, last_mask, row_words, swapping, swap, signs, seed, kind, halving, one_of;
};
uint mixed(uint x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
bool stays(uint w) {
  return one_of > 1u && mixed((kind == 1u ? 4u * w : w) / row_words ^ mixed(seed)) % one_of != 0u;
}
uint partner(uint w) {
  if (kind == 1u || stays(w)) return w;
  const uint row = w / row_words * row_words, at = w - row, next = at ^ swap;
  if (kind == 4u) {
    const uint sequence = w / row_words, other = sequence ^ signs;
    return (other < words / row_words ? other : sequence) * row_words + (at < swapping && next < swapping ? next : at);
  }
  return at < swapping && next < swapping ? row + next : w;
}
uint halved(uint w, uint value) {
  if (seed == 0u || halving == 0u || (mixed(w / row_words ^ ~seed) & 1u) == 0u) return 0u;
  uint turn = 0u;
  for (uint low = halving, high = signs; low != 0u; low &= low - 1u, high &= high - 1u) {
    const uint bit = low & (0u - low), exponent = (high & (0u - high)) - bit, held = value & exponent;
    if ((held | bit) != exponent && (held & ~bit) != 0u) turn |= bit;
  }
  return w + 1u == words ? turn & last_mask : turn;
}
uint turned(uint w, uint value, uint turn) {
  uint all = signs;
  if (kind == 4u || stays(w)) return 0u;
  if (kind == 3u) {
    const int seen = int(swapping) + int(w / row_words % signs);
    return seed != 0u && value < uint(max(seen, 0)) / 2u * 2u ? 1u : 0u;
  }
  if (kind == 1u) {
    turn = (turn & signs) * (signs == 0x11111111u ? 15u : 255u);
    all = 0u;
    for (uint b = 0u; b < 4u; ++b)
      if ((4u * w + b) % row_words >= swapping) all |= 0xffu << 8u * b;
  }
  if (kind == 2u) {
    if ((value & 0x7c00u) == 0x7c00u) all &= ~0xffffu;
    if ((value & 0x7c000000u) == 0x7c000000u) all &= 0xffffu;
    if (w % row_words >= swapping) all = 0u;
  }
  return (turn & (w + 1u == words ? all & last_mask : all)) ^ halved(w, value);
}
void main() {
  for (uint w = gl_GlobalInvocationID.x; w < words; w += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    const uint other = partner(w);
    if (other < w) continue;
    const uint turn = seed == 0u ? 0u : mixed(w ^ seed), a = data[w], b = data[other];
    data[w] = b ^ turned(other, b, turn);
    if (other != w) data[other] = a ^ turned(w, a, turn);
  }
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
// Each word is mixed with its place (a permutation of 32 bits with good avalanche: Wellons' lowbias32, "Prospecting for
// Hash Functions", 2018), then summed: sums need no order, so every invocation takes what it likes. Two sums of
// different mixes make 64 bits.
constexpr const char* kFingerprint = R"(#version 460
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

}  // namespace

uint32_t poison_word(DType dtype) {
  const std::vector<std::byte> bytes = poison(dtype, 4 / dtype_bytes(dtype));
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

uint32_t padding_word(DType dtype) {
  return poison_word(dtype) ^ (dtype_bytes(dtype) == 4 ? 0x00000010u : 0x00100010u);
}

uint32_t kv_padding_word(KvType type, DType dtype) {
  if (type == KvType::f8e4m3) return 0x7f7f7f7fu;
  return padding_word(type == KvType::as_dtype ? dtype : DType::f16);
}

Result<GuardedBuffer> GuardedBuffer::create(const vulkan::Device& device, uint64_t bytes, uint32_t poison,
                                            const vulkan::Wait& wait, bool zeroed, bool addressed) {
  // The guards stay this small: 64 KiB of them moved the tensors against each other in the cache, and with that the
  // time of 2x8x512x64:f32 on an H200 by 9 %.
  vulkan::Buffer buffer = TRY(vulkan::Buffer::create(
      device, guarded_bytes(bytes), false, addressed ? vulkan::BufferUse::addressed : vulkan::BufferUse::storage));
  GuardedBuffer guarded(std::move(buffer), bytes, poison, zeroed);
  TRY(guarded.poison(wait));
  return guarded;
}

Result<void> GuardedBuffer::poison(const vulkan::Wait& wait) const {
  Result<void> filled = buffer_.fill(poison_, wait);
  if (!filled || !zeroed_) return filled;
  return upload(std::vector<std::byte>(bytes_), wait);
}

Result<bool> GuardedBuffer::left_as_declared(const vulkan::Wait& wait) const {
  if (!zeroed_) return true;
  const std::vector<std::byte> data = TRY(download(wait));
  return std::ranges::all_of(data, [](std::byte b) { return b == std::byte{0}; });
}

Result<void> GuardedBuffer::upload(std::span<const std::byte> data, const vulkan::Wait& wait) const {
  if (data.size() > bytes_) return internal_error("A tensor is larger than its buffer.");
  return buffer_.upload(data, kGuard, wait);
}

Result<std::vector<std::byte>> GuardedBuffer::download(const vulkan::Wait& wait) const {
  std::vector<std::byte> data(bytes_);
  TRY(buffer_.download(data, kGuard, wait));
  return data;
}

Result<std::vector<std::byte>> GuardedBuffer::element(uint64_t offset, uint64_t size, const vulkan::Wait& wait) const {
  std::vector<std::byte> data(size);
  TRY(buffer_.download(data, kGuard + offset, wait));
  return data;
}

Result<bool> GuardedBuffer::holds_poison(const vulkan::Wait& wait) const {
  return poisoned(TRY(download(wait)), 0, poison_);
}

Result<bool> GuardedBuffer::guards_intact(const vulkan::Wait& wait) const {
  std::vector<std::byte> before(kGuard), after(whole_words(bytes_) - bytes_ + kGuard);
  TRY(buffer_.download(before, 0, wait));
  TRY(buffer_.download(after, kGuard + bytes_, wait));
  return poisoned(before, 0, poison_) && poisoned(after, kGuard + bytes_, poison_);
}

vulkan::BoundBuffer GuardedBuffer::at(uint32_t binding) const {
  return {binding, buffer_, kGuard, std::max<uint64_t>(whole_words(bytes_), 4) + kGuard};
}

Result<void> change_tensor(vulkan::Kernels& kernels, const vulkan::BoundBuffer& tensor, uint64_t bytes,
                           const InputChange& change, const vulkan::Wait& wait) {
  if (bytes == 0) return {};
  if (bytes > uint64_t{UINT32_MAX} * 4) return internal_error("A tensor of more than 16 GiB cannot be changed.");
  return kernels.run({"change inputs", kChange}, {vulkan::groups_for(change.words), 1, 1}, vulkan::push_of(change),
                     {tensor}, wait);
}

Result<void> rewrite(vulkan::Kernels& kernels, const GuardedBuffer& buffer, const vulkan::Wait& wait) {
  InputChange nothing;
  nothing.words = static_cast<uint32_t>(std::min<uint64_t>(buffer.whole().bytes() / 4, UINT32_MAX));
  return change_tensor(kernels, {0, buffer.whole(), 0, 0}, buffer.whole().bytes(), nothing, wait);
}

Result<void> spoil_shared(vulkan::Kernels& kernels, const vulkan::Wait& wait) {
  const DeviceLimits& limits = kernels.device().info().limits;
  const vulkan::Buffer sink = TRY(kernels.results());
  // Four workgroups a core: enough that each has one.
  const auto groups = static_cast<uint32_t>(std::max<uint64_t>(limits.core_count, 64) * 4);
  return kernels.run({.name = "spoil shared memory",
                      .text = kSpoil,
                      .constants = {{0, static_cast<uint32_t>(limits.max_shared_bytes / 4)}}},
                     {groups, 1, 1}, {}, {{0, sink}}, wait);
}

Result<uint64_t> fingerprint(vulkan::Kernels& kernels, const vulkan::Buffer& buffer, const vulkan::Wait& wait) {
  const uint64_t words = buffer.bytes() / 4;
  if (words > UINT32_MAX) return internal_error("A buffer of more than 16 GiB cannot be fingerprinted.");
  const vulkan::Buffer sums = TRY(kernels.results());
  TRY(sums.fill(0, wait));
  TRY(kernels.run({"fingerprint", kFingerprint}, {vulkan::groups_for(words), 1, 1},
                  vulkan::push_of(static_cast<uint32_t>(words)), {{0, buffer, 0, words * 4}, {1, sums, 0, 8}}, wait));
  uint64_t value = 0;
  TRY(sums.download(std::as_writable_bytes(std::span(&value, 1)), 0, wait));
  return value;
}

}  // namespace attnscope
