#include "engine/vulkan/keep_warm.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <thread>

#include "engine/clock.hpp"
#include "engine/shader/compiler.hpp"

namespace attnscope::vulkan {
namespace {

constexpr double kTargetMs = 2;

}  // namespace

struct KeepWarm::State {
  explicit State(Device d) : device(std::move(d)) {}
  Device device;
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;
  std::atomic<uint64_t> loops{0};
  std::thread thread;

  /// Sleeps; true when it is time to end.
  bool rest(double ms) {
    std::unique_lock lock(mutex);
    return wake.wait_for(lock, std::chrono::duration<double, std::milli>(ms), [&] { return stop; });
  }
  void work();
};

void KeepWarm::State::work() {
  auto made = FmaLoop::create(device);
  if (!made) return;
  uint32_t iterations = FmaLoop::kLeastIterations;
  auto loop = made->of(iterations);
  while (loop) {
    const auto start = Clock::now();
    if (!loop->run()) return;
    const double took = ms_since(start);
    ++loops;
    if (rest(took)) return;
    // The wall-clock time of a submit is what the duty counts; the loop grows until that is mostly GPU time.
    if (took < kTargetMs / 2 && iterations < FmaLoop::kMostIterations) {
      iterations *= 2;
      loop = made->of(iterations);
    } else if (took > kTargetMs * 2 && iterations > FmaLoop::kLeastIterations) {
      iterations /= 2;
      loop = made->of(iterations);
    }
  }
}

KeepWarm::KeepWarm(const Device& device, bool even_software) : state_(std::make_unique<State>(device)) {
  if (even_software || !device.is_software()) state_->thread = std::thread([state = state_.get()] { state->work(); });
}

KeepWarm::KeepWarm(KeepWarm&&) noexcept = default;

KeepWarm::~KeepWarm() {
  if (!state_ || !state_->thread.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
}

uint64_t KeepWarm::loops() const { return state_->loops; }

namespace {

// The store never happens, which the compiler cannot know, so the loop stays.
constexpr const char* kLoop = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Sink { float sink[]; };
layout(push_constant) uniform Push { uint iterations; };
void main() {
  float a = float(gl_GlobalInvocationID.x) * 1e-6;
  for (uint i = 0; i < iterations; ++i) a = fma(a, 0.999, 0.001);
  if (a < -1.0) sink[0] = a;
}
)";

}  // namespace

Result<FmaLoop> FmaLoop::create(const Device& device) {
  Compiler compiler;
  auto spirv = TRY(compiler.compile({"fma_loop.comp", kLoop, {}, {}}));
  auto pipeline = TRY(Pipeline::create(device, {.name = "fma-loop", .spirv = spirv, .constants = {}}));
  auto sink = TRY(Buffer::create(device, 4));
  return FmaLoop(device, std::move(pipeline), std::move(sink));
}

Result<Execution> FmaLoop::of(uint32_t iterations) const {
  std::vector<std::byte> push(sizeof iterations);
  std::memcpy(push.data(), &iterations, sizeof iterations);
  // Four workgroups a core: enough that every core is busy.
  const uint32_t cores = std::max(device_.info().limits.core_count, 64u);
  return Execution::create(device_, {{pipeline_, {cores * 4, 1, 1}, std::move(push), {{0, sink_}}}});
}

}  // namespace attnscope::vulkan
