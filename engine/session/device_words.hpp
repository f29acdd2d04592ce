// What verifying does to buffers on the device itself, without a transfer: signs turned, shared memory spoilt.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/problem.hpp"
#include "engine/session/guarded_buffer.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope {

/// The sign of every element of a tensor turned; twice is as before.
class SignTurn {
 public:
  static Result<SignTurn> create(const vulkan::Device&);
  Result<void> operator()(const GuardedBuffer&, DType, KvType, const vulkan::Wait&) const;

 private:
  SignTurn(vulkan::Device device, vulkan::Pipeline pipeline)
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

}  // namespace attnscope
