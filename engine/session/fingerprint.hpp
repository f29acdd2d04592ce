// A fingerprint of a buffer's bytes, taken on the device: what a kernel must leave alone is compared without a
// download.
#pragma once

#include <cstdint>

#include "engine/vulkan/execution.hpp"

namespace attnscope {

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
