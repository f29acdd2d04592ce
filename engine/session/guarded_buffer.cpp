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

Result<std::array<uint32_t, 2>> held(const vulkan::Buffer& sums, const vulkan::Wait& wait) {
  std::array<uint32_t, 2> two{};
  TRY(sums.download(std::as_writable_bytes(std::span(two)), 0, wait));
  return two;
}

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
  return type == KvType::f8e4m3 ? 0x7f7f7f7fu : padding_word(type == KvType::as_dtype ? dtype : DType::f16);
}

Result<GuardedBuffer> GuardedBuffer::create(const vulkan::Device& device, uint64_t bytes, uint32_t poison,
                                            const vulkan::Wait& wait, bool zeroed, bool addressed) {
  // Small guards: 64 KiB of them moved tensors in the cache, and made 2x8x512x64:f32 on an H200 9 % slower.
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
  return element(0, bytes_, wait);
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
  return kernels.run({"change inputs", session::kernels("change")}, {vulkan::groups_for(change.words), 1, 1},
                     vulkan::push_of(change), {tensor}, wait);
}

Result<void> rewrite(vulkan::Kernels& kernels, const GuardedBuffer& buffer, const vulkan::Wait& wait) {
  const InputChange nothing{.words = uint32_t(std::min<uint64_t>(buffer.whole().bytes() / 4, UINT32_MAX))};
  return change_tensor(kernels, {0, buffer.whole(), 0, 0}, buffer.whole().bytes(), nothing, wait);
}

Result<void> spoil_shared(vulkan::Kernels& kernels, const vulkan::Wait& wait) {
  const DeviceLimits& limits = kernels.device().info().limits;
  const vulkan::Buffer sink = TRY(kernels.results());
  // Four workgroups a core: enough that each has one.
  const auto groups = uint32_t(std::max<uint64_t>(limits.core_count, 64) * 4);
  return kernels.run({.name = "spoil shared memory",
                      .text = session::kernels("spoil"),
                      .constants = {{0, uint32_t(limits.max_shared_bytes / 4)}}},
                     {groups, 1, 1}, {}, {{0, sink}}, wait);
}

Result<FingerprintSums> fingerprint_sums(vulkan::Kernels& kernels, const vulkan::Buffer& buffer,
                                         const vulkan::Buffer& sums, const vulkan::Wait& wait) {
  const uint64_t words = buffer.bytes() / 4;
  if (words > UINT32_MAX) return internal_error("A buffer of more than 16 GiB cannot be fingerprinted.");
  TRY(sums.fill(0, wait));
  auto add = TRY(kernels.prepare({"fingerprint", session::kernels("fingerprint")}, {vulkan::groups_for(words), 1, 1},
                                 vulkan::push_of(uint32_t(words)), {{0, buffer, 0, words * 4}, {1, sums, 0, 8}}));
  return FingerprintSums{std::move(add), sums};
}

Result<bool> FingerprintSums::all_are(uint64_t fingerprint, uint64_t times, const vulkan::Wait& wait) const {
  const auto [first, second] = TRY(held(sums, wait));
  return first == uint32_t(times * uint32_t(fingerprint)) && second == uint32_t(times * (fingerprint >> 32));
}

Result<uint64_t> fingerprint(vulkan::Kernels& kernels, const vulkan::Buffer& buffer, const vulkan::Wait& wait) {
  const vulkan::Buffer results = TRY(kernels.results());
  const FingerprintSums sums = TRY(fingerprint_sums(kernels, buffer, results, wait));
  TRY(sums.add.run(wait));
  const auto [first, second] = TRY(held(results, wait));
  return uint64_t{second} << 32 | first;
}

}  // namespace attnscope
