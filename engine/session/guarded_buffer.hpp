// A tensor in device memory between two guards of NaN, so that a read or write outside it is found. A shader's range
// ends behind the tensor, since some drivers cut accesses off at its end. And operations for verifying on the device.
#pragma once

#include "engine/attention/input_change.hpp"
#include "engine/variant/plan.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope {
namespace session {
extern const vulkan::KernelTexts kernels;
}

/// The 32-bit word that fills an unwritten output of this dtype and its guards: its poison NaN, once or twice.
uint32_t poison_word(DType);
/// What fills scratch memory and the guards of inputs: another NaN, which arithmetic hands on, than that of outputs.
uint32_t padding_word(DType);
/// The same for K and V, whose elements may be packed: a NaN in any part of them.
uint32_t kv_padding_word(KvType, DType);

class GuardedBuffer {
 public:
  /// Room for `bytes`, rounded up to whole words, between guards of kGuard bytes; all poisoned, or zeros if `zeroed`.
  static Result<GuardedBuffer> create(const vulkan::Device&, uint64_t bytes, uint32_t poison, const vulkan::Wait&,
                                      bool zeroed = false, bool addressed = false);
  static constexpr uint64_t kGuard = kBufferGuard;

  Result<void> poison(const vulkan::Wait&) const;
  Result<void> upload(std::span<const std::byte>, const vulkan::Wait&) const;
  /// The tensor without its guards.
  Result<std::vector<std::byte>> download(const vulkan::Wait&) const;
  /// `size` bytes of the tensor from byte `offset` on.
  Result<std::vector<std::byte>> element(uint64_t offset, uint64_t size, const vulkan::Wait&) const;
  /// False when it is to hold zeros and does not.
  Result<bool> left_as_declared(const vulkan::Wait&) const;
  /// False when something was written to it since it was poisoned.
  Result<bool> holds_poison(const vulkan::Wait&) const;
  /// False when a byte outside the tensor changed.
  Result<bool> guards_intact(const vulkan::Wait&) const;
  /// The tensor and the guard behind it.
  vulkan::BoundBuffer at(uint32_t binding) const;
  /// Guards and all, as words: for a fingerprint.
  const vulkan::Buffer& whole() const { return buffer_; }
  uint64_t bytes() const { return bytes_; }
  /// Of the tensor on the device; of an addressed one.
  uint64_t address() const { return buffer_.address() + kGuard; }

 private:
  GuardedBuffer(vulkan::Buffer buffer, uint64_t bytes, uint32_t poison, bool zeroed)
      : buffer_(std::move(buffer)), bytes_(bytes), poison_(poison), zeroed_(zeroed) {}
  vulkan::Buffer buffer_;
  uint64_t bytes_;
  uint32_t poison_;
  bool zeroed_;
};

/// Makes other inputs of a tensor in place; twice is as before. `tensor` is bound at 0 and has at least `bytes` bytes.
Result<void> change_tensor(vulkan::Kernels&, const vulkan::BoundBuffer& tensor, uint64_t bytes, const InputChange&,
                           const vulkan::Wait&);
/// Reads and writes every word of a buffer and leaves it as it is: the caches then are as after a change.
Result<void> rewrite(vulkan::Kernels&, const GuardedBuffer&, const vulkan::Wait&);

/// Shared memory left full of NaN on every core, for kernels that take it to be zero; it can only show a fault.
Result<void> spoil_shared(vulkan::Kernels&, const vulkan::Wait&);

/// Adds up fingerprints of what a buffer holds each time that `add` runs: of equal contents a multiple of one.
struct FingerprintSums {
  vulkan::Execution add;
  vulkan::Buffer sums;
  /// Whether `times` fingerprints were added, each of them this one.
  Result<bool> all_are(uint64_t fingerprint, uint64_t times, const vulkan::Wait&) const;
};
Result<FingerprintSums> fingerprint_sums(vulkan::Kernels&, const vulkan::Buffer&, const vulkan::Buffer& sums,
                                         const vulkan::Wait&);
/// Of every word of the buffer with its place: 64 bits, the same for the same bytes on every device. So what a kernel
/// must leave alone is compared without a download.
Result<uint64_t> fingerprint(vulkan::Kernels&, const vulkan::Buffer&, const vulkan::Wait&);

}  // namespace attnscope
