// Keeps the GPU's clock up while the CPU is busy with something else, such as a reference.
#pragma once

#include "engine/repeater.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope::vulkan {

/// A thread that submits short FMA loops (about 2 ms each) on the device's queue, busy at most half of the time. Idle
/// on a software device, unless told. End it before measuring. Errors end the loop in silence.
class KeepWarm {
 public:
  explicit KeepWarm(const Device&, bool even_software = false);
  uint64_t loops() const { return loops_; }

 private:
  std::atomic<uint64_t> loops_{0};
  std::optional<Repeater> thread_;  // last: it uses the other
};

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
