// Shared by the device tests: one software device with validation on, which must stay silent.
#pragma once

#include "engine/shader/compiler.hpp"
#include "engine/vulkan/execution.hpp"
#include "tests/has.hpp"

namespace attnscope::vulkan {

/// Fails a test whose Vulkan calls made the validation layers speak.
struct DeviceTest : ::testing::Test {
  DeviceTest() {
    // Keeps driver and layer loaded until the process ends: a leak inside them then has a name that a sanitizer can
    // suppress.
    [[maybe_unused]] static const auto* driver = new Instance(*must(Instance::create({.validation = true})));
    instance_.emplace(*must(Instance::create({.validation = true})));
    device_.emplace(*must(Device::open(*instance_, "cpu")));
  }
  ~DeviceTest() override {
    device_.reset();  // what is destroyed wrongly is reported too
    for (const auto& message : instance_->take_validation_messages()) ADD_FAILURE() << message;
  }
  const Device& device() { return *device_; }

  Spirv compiled(const std::string& text) { return *must(compiler_.compile({"test.comp", text, {}, {}})); }
  Buffer buffer(uint64_t bytes) { return value(Buffer::create(device(), bytes)); }
  template <class T>
  Buffer buffer_of(const std::vector<T>& data) {
    Buffer b = buffer(data.size() * sizeof(T));
    EXPECT_TRUE(b.upload(std::as_bytes(std::span(data))));
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
