#include "engine/vulkan/keep_warm.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <thread>

#include "engine/shader/compiler.hpp"
#include "engine/vulkan/execution.hpp"

namespace attnscope::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

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
constexpr double kTargetMs = 2;
constexpr uint32_t kMaxIterations = 1u << 24;

Result<Execution> make_loop(const Device& device, const Pipeline& pipeline, const Buffer& sink, uint32_t iterations) {
  std::vector<std::byte> push(sizeof iterations);
  std::memcpy(push.data(), &iterations, sizeof iterations);
  // Four workgroups a core: enough that every core is busy.
  const uint32_t cores = std::max(device.info().limits.core_count, 64u);
  return Execution::create(device, {{pipeline, {cores * 4, 1, 1}, std::move(push), {{0, sink}}}});
}

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
  bool rest(std::chrono::duration<double, std::milli> time) {
    std::unique_lock lock(mutex);
    return wake.wait_for(lock, time, [&] { return stop; });
  }
  void work();
};

void KeepWarm::State::work() {
  Compiler compiler;
  auto spirv = compiler.compile({"keep_warm.comp", kLoop, {}, {}});
  if (!spirv) return;
  auto pipeline = Pipeline::create(device, {.name = "keep-warm", .spirv = *spirv, .constants = {}});
  auto sink = Buffer::create(device, 4);
  if (!pipeline || !sink) return;
  uint32_t iterations = 1024;
  auto loop = make_loop(device, *pipeline, *sink, iterations);
  while (loop) {
    const auto start = Clock::now();
    if (!loop->run()) return;
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    ++loops;
    if (rest(took)) return;
    // The wall-clock time of a submit is what the duty counts; the loop grows until that is mostly GPU time.
    if (took.count() < kTargetMs / 2 && iterations < kMaxIterations) {
      iterations *= 2;
      loop = make_loop(device, *pipeline, *sink, iterations);
    } else if (took.count() > kTargetMs * 2 && iterations > 1024) {
      iterations /= 2;
      loop = make_loop(device, *pipeline, *sink, iterations);
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

}  // namespace attnscope::vulkan
