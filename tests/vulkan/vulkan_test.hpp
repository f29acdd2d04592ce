// Shared by the device tests: one software device with validation on, which must stay silent.
#pragma once

#include "engine/shader/compiler.hpp"
#include "engine/vulkan/execution.hpp"
#include "tests/has.hpp"

namespace attnscope::vulkan {

/// Fails a test whose Vulkan calls made the validation layers speak.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // Keeps driver and layer loaded until the process ends: a leak inside them then has a name that a sanitizer can
    // suppress.
    static const auto* driver = new Result<Instance>(Instance::create({.validation = true}));
    ASSERT_TRUE(*driver) << driver->error().message;
    auto instance = must(Instance::create({.validation = true}));
    instance_.emplace(*instance);
    auto device = must(Device::open(*instance_, "cpu"));
    device_.emplace(*device);
  }
  void TearDown() override {
    device_.reset();  // what is destroyed wrongly is reported too
    if (!instance_) return;
    for (const auto& message : instance_->take_validation_messages()) ADD_FAILURE() << message;
  }
  const Device& device() { return *device_; }

  Spirv compiled(const std::string& text) {
    auto spirv = compiler_.compile({"test.comp", text, {}, {}});
    if (spirv) return *spirv;
    ADD_FAILURE() << spirv.error().message;
    return nullptr;
  }
  Buffer buffer(uint64_t bytes) { return value(Buffer::create(device(), bytes)); }
  template <class T>
  Buffer buffer_of(const std::vector<T>& data) {
    Buffer b = buffer(data.size() * sizeof(T));
    auto ok = b.upload(std::as_bytes(std::span(data)));
    EXPECT_TRUE(ok);
    return b;
  }
  template <class T>
  std::vector<T> contents(const Buffer& b) {
    return value(b.contents<T>());
  }
  template <class T>
  static T value(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);  // gtest reports it as this test's failure
    return std::move(*result);
  }

  std::optional<Instance> instance_;
  std::optional<Device> device_;
  Compiler compiler_;
};

template <class... T>
std::vector<std::byte> bytes_of(T... values) {
  std::vector<std::byte> out(sizeof...(T) * 4);
  size_t at = 0;
  ((std::memcpy(out.data() + at, &values, 4), at += 4), ...);
  return out;
}

}  // namespace attnscope::vulkan
