// Choosing a device, on made-up machines.
#include <gtest/gtest.h>

#include "engine/vulkan/instance.hpp"
#include "tests/has.hpp"

namespace attnscope::vulkan {
namespace {

std::vector<DeviceInfo> machine() {
  const auto make = [](uint32_t index, const char* name, DeviceType type, uint64_t memory) {
    DeviceInfo d;
    d.index = index;
    d.name = name;
    d.type = type;
    d.limits.device_memory_bytes = memory;
    return d;
  };
  auto list = std::vector<DeviceInfo>{make(0, "llvmpipe (LLVM 15)", DeviceType::software, 64u << 20),
                                      make(1, "Small Discrete", DeviceType::discrete_gpu, 8u << 20),
                                      make(2, "Big Discrete", DeviceType::discrete_gpu, 80u << 20),
                                      make(3, "Integrated Graphics", DeviceType::integrated_gpu, 90u << 20),
                                      make(4, "Old Discrete", DeviceType::discrete_gpu, 95u << 20)};
  list[4].unsuitable = "it has Vulkan 1.1, and 1.3 is needed";
  return list;
}

ErrorKind kind_of(const std::vector<DeviceInfo>& list, const char* selector, std::string* message = nullptr) {
  auto r = choose_device(list, selector);
  EXPECT_FALSE(r) << selector;
  if (r) return ErrorKind::internal;
  if (message) *message = r.error().message;
  return r.error().kind;
}

TEST(ChooseDevice, TheFastestRealGpuIsTheDefault) {
  auto list = machine();
  EXPECT_EQ(*choose_device(list, ""), 2u) << "discrete before integrated, then memory; an unsuitable one never";
  list[1].unsuitable = list[2].unsuitable = "broken";
  EXPECT_EQ(*choose_device(list, ""), 3u);
  list.resize(1);
  EXPECT_EQ(*choose_device(list, ""), 0u) << "software when there is nothing else";
}

TEST(ChooseDevice, ByIndexCpuAndName) {
  const auto list = machine();
  EXPECT_EQ(*choose_device(list, "1"), 1u);
  EXPECT_EQ(*choose_device(list, "cpu"), 0u);
  EXPECT_EQ(*choose_device(list, "CPU"), 0u);
  EXPECT_EQ(*choose_device(list, "integrated"), 3u);
  EXPECT_EQ(*choose_device(list, "DISCRETE"), 2u) << "the fastest that matches";
}

TEST(ChooseDevice, ErrorsSayWhatThereIs) {
  const auto list = machine();
  std::string message;
  EXPECT_EQ(kind_of(list, "99", &message), ErrorKind::unsupported);
  EXPECT_TRUE(has(message, "99", "2 (Big Discrete)"));
  EXPECT_EQ(kind_of(list, "99999999999999999999999"), ErrorKind::unsupported);
  EXPECT_EQ(kind_of(list, "voodoo"), ErrorKind::unsupported);
  EXPECT_EQ(kind_of(list, "old", &message), ErrorKind::unsupported);
  EXPECT_TRUE(has(message, "1.3 is needed"));
  EXPECT_EQ(kind_of({}, ""), ErrorKind::unsupported);
  EXPECT_EQ(kind_of({list[1]}, "cpu"), ErrorKind::unsupported);
}

}  // namespace
}  // namespace attnscope::vulkan
