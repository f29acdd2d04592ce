#include "engine/vulkan/keep_warm.hpp"

#include <condition_variable>
#include <thread>

#include "engine/vulkan/fma_loop.hpp"

namespace attnscope::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

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
  bool rest(std::chrono::duration<double, std::milli> time) {
    std::unique_lock lock(mutex);
    return wake.wait_for(lock, time, [&] { return stop; });
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
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    ++loops;
    if (rest(took)) return;
    // The wall-clock time of a submit is what the duty counts; the loop grows until that is mostly GPU time.
    if (took.count() < kTargetMs / 2 && iterations < FmaLoop::kMostIterations) {
      iterations *= 2;
      loop = made->of(iterations);
    } else if (took.count() > kTargetMs * 2 && iterations > FmaLoop::kLeastIterations) {
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

}  // namespace attnscope::vulkan
