// The clock is waited for by work of the device's own; on a software device only where a test asks for it.
#include "engine/session/clock_gate.hpp"

#include <chrono>

#include "tests/vulkan/vulkan_test.hpp"

namespace attnscope {
namespace {

class ClockGateTest : public vulkan::DeviceTest {};

TEST_F(ClockGateTest, ASoftwareDeviceIsNotWaitedFor) {
  const std::function<void()> submitted = [] { ADD_FAILURE() << "something was submitted"; };
  vulkan::Wait wait;
  wait.between = &submitted;
  ClockGate gate(device());
  const auto slow = gate.rise(wait);
  ASSERT_TRUE(slow);
  EXPECT_EQ(*slow, 1);
}

TEST_F(ClockGateTest, AWaitEndsWhateverTheClockDoes) {
  uint64_t submits = 0;
  const std::function<void()> submitted = [&] { ++submits; };
  vulkan::Wait wait;
  wait.between = &submitted;
  ClockGate gate(device(), true);
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = submits;
    const auto slow = gate.rise(wait);
    ASSERT_TRUE(slow) << slow.error().message;
    EXPECT_GT(submits, before);
  }
}

TEST_F(ClockGateTest, ACancelEndsIt) {
  const std::atomic<bool> cancel{true};
  vulkan::Wait wait;
  wait.cancel = &cancel;
  ClockGate gate(device(), true);
  const auto slow = gate.rise(wait);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace attnscope
