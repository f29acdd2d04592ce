// Arithmetic of a length that one chooses, which touches no memory: to keep a device's clock up, and to see how high it
// is.
#pragma once

#include <cstdint>

#include "engine/result.hpp"
#include "engine/vulkan/device.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope::vulkan {

/// Four workgroups a core, each thread with a chain of `iterations` dependent FMAs.
class FmaLoop {
 public:
  static Result<FmaLoop> create(const Device&);
  Result<Execution> of(uint32_t iterations) const;

  static constexpr uint32_t kLeastIterations = 1024, kMostIterations = 1u << 24;

 private:
  FmaLoop(Device d, Pipeline p, Buffer s) : device_(std::move(d)), pipeline_(std::move(p)), sink_(std::move(s)) {}
  Device device_;
  Pipeline pipeline_;
  Buffer sink_;
};

}  // namespace attnscope::vulkan
