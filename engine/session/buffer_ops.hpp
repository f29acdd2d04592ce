// Operations of verifying on device buffers, without a transfer: changes inputs, overwrites shared memory.
#pragma once

#include <cstdint>

#include "engine/attention/input_change.hpp"
#include "engine/session/guarded_buffer.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

/// A pipeline of GLSL that is part of the program.
Result<vulkan::Pipeline> make_pipeline(const vulkan::Device&, const char* name, const std::string& source,
                                       const SpecValues& constants = {}, bool sliceable = false);

/// Makes other inputs of a tensor in place (InputChange); twice is as before.
class InputChanger {
 public:
  static Result<InputChanger> create(const vulkan::Device&);
  /// `tensor` is bound at 0 and has at least `bytes` bytes.
  Result<void> operator()(const vulkan::BoundBuffer& tensor, uint64_t bytes, const InputChange&,
                          const vulkan::Wait&) const;
  /// Reads and writes every word of a buffer and leaves it as it is: the caches then are as after a change.
  Result<void> rewrite(const GuardedBuffer&, const vulkan::Wait&) const;

 private:
  InputChanger(vulkan::Device device, vulkan::Pipeline pipeline)
      : device_(std::move(device)), pipeline_(std::move(pipeline)) {}
  vulkan::Device device_;
  vulkan::Pipeline pipeline_;
};

/// Shared memory left full of NaN on every core, for kernels that take it to be zero where nothing wrote it. The next
/// kernel may find it, or find what a driver put there: this can only show a fault, never cause one.
class SharedSpoil {
 public:
  static Result<SharedSpoil> create(const vulkan::Device&);
  Result<void> operator()(const vulkan::Wait&) const;

 private:
  explicit SharedSpoil(vulkan::Execution execution) : execution_(std::move(execution)) {}
  vulkan::Execution execution_;
};

// A fingerprint of a buffer's bytes, taken on the device: what a kernel must leave alone is compared without a
// download.
class Fingerprint {
 public:
  static Result<Fingerprint> create(const vulkan::Device&);
  /// Of every whole word of the buffer, each with its place: 64 bits, so that two different contents agree by chance
  /// once in 10^19. The same bytes give the same number on every device.
  Result<uint64_t> of(const vulkan::Buffer&, const vulkan::Wait&) const;

 private:
  Fingerprint(vulkan::Device device, vulkan::Pipeline pipeline, vulkan::Buffer sums)
      : device_(std::move(device)), pipeline_(std::move(pipeline)), sums_(std::move(sums)) {}
  vulkan::Device device_;
  vulkan::Pipeline pipeline_;
  vulkan::Buffer sums_;
};

}  // namespace attnscope
