// What a compile takes: a time when it took place, and never that of an answer from a cache.
#include <gtest/gtest.h>

#include "engine/shader/unseen.hpp"
#include "tests/has.hpp"
#include "vulkan_test.hpp"

namespace attnscope::vulkan {
namespace {

constexpr const char* kDouble = R"(#version 460
layout(local_size_x = 8) in;
layout(constant_id = 1) const float FACTOR = 3;
layout(set = 0, binding = 0) buffer B { float x[]; };
void main() { x[gl_GlobalInvocationID.x] *= FACTOR; }
)";

TEST(PlausibleCompile, WhatTakesLessThanReadingTheModuleIsNoCompile) {
  EXPECT_FALSE(plausible_compile(0.024, 3000)) << "an H200's driver, of a module it had seen";
  EXPECT_FALSE(plausible_compile(0.01, 1000));
  EXPECT_TRUE(plausible_compile(5, 3000));
  EXPECT_TRUE(plausible_compile(0.5, 500)) << "a small shader and a quick compiler";
}

TEST_F(DeviceTest, AModuleMadeUnlikeAnyBeforeComputesTheSame) {
  const Spirv plain = compiled(kDouble);
  const auto unseen = must(with_string(plain, "never seen"));
  for (const Spirv& spirv : {plain, *unseen}) {
    const Buffer b = buffer_of(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
    const Pipeline p = value(Pipeline::create(device(), {.name = "scale", .spirv = spirv, .constants = {}}));
    const auto execution = value(Execution::create(device(), {Pass{p, {1, 1, 1}, {}, {{0, b}}}}));
    ASSERT_TRUE(execution.run());
    EXPECT_EQ(contents<float>(b), (std::vector<float>{3, 6, 9, 12, 15, 18, 21, 24}));
  }
}

TEST_F(DeviceTest, CompilingTwiceNeverShowsWhatACacheTook) {
  const PipelineRequest request{.name = "timed", .spirv = compiled(kDouble), .constants = {}};
  const CompileTime first = value(measure_compile(device(), request));
  ASSERT_TRUE(Pipeline::create(device(), request)) << "now every cache has it";
  const CompileTime second = value(measure_compile(device(), request));
  EXPECT_EQ(first.kind, second.kind);
  if (device().info().name.find("llvmpipe") != std::string::npos) {
    EXPECT_EQ(first.kind, CompileTime::Kind::in_first_dispatch) << "creation parses the module and compiles nothing";
  }
  for (const CompileTime& c : {first, second})
    EXPECT_TRUE(c.kind != CompileTime::Kind::measured || plausible_compile(c.ms, request.spirv->size())) << c.ms;
}

}  // namespace
}  // namespace attnscope::vulkan
