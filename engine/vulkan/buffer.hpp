// Storage buffers in device-local memory, filled and read through staging.
#pragma once

#include "engine/vulkan/device.hpp"

namespace attnscope::vulkan {

struct BufferState;

/// What a buffer may be beside storage and the end of a transfer.
enum class BufferUse { storage, uniform, addressed };

/// Always plain device-local memory: every measured byte lives in the same kind, and staging is never timed.
class Buffer {
 public:
  /// bad_input beyond maxStorageBufferRange or maxMemoryAllocationSize, out_of_memory beyond the heap, with the bytes
  /// asked and the limit. `bytes` is rounded up to a multiple of 4; contents are undefined. `apart`: an allocation of
  /// its own, which moves no other buffer: where tensors lie is part of what is timed.
  static Result<Buffer> create(const Device&, uint64_t bytes, bool apart = false, BufferUse = BufferUse::storage);
  uint64_t bytes() const;
  /// Of its first byte on the device; of an addressed one.
  uint64_t address() const;
  /// The range must lie inside the buffer; offset and size need no alignment.
  Result<void> upload(std::span<const std::byte> data, uint64_t offset = 0, const Wait& = {}) const;
  Result<void> download(std::span<std::byte> data, uint64_t offset = 0, const Wait& = {}) const;
  /// A range of another buffer, into the same range of this one.
  Result<void> copy_from(const Buffer& other, uint64_t offset, uint64_t bytes, const Wait& = {}) const;
  /// All of it.
  template <class T>
  Result<std::vector<T>> contents(const Wait& wait = {}) const {
    std::vector<T> all(bytes() / sizeof(T));
    TRY(download(std::as_writable_bytes(std::span(all)), 0, wait));
    return all;
  }
  /// Every 32-bit word of the buffer (poison, zeros).
  Result<void> fill(uint32_t word, const Wait& = {}) const;
  const std::shared_ptr<BufferState>& state() const { return state_; }

 private:
  explicit Buffer(std::shared_ptr<BufferState> state) : state_(std::move(state)) {}
  std::shared_ptr<BufferState> state_;
};

}  // namespace attnscope::vulkan
