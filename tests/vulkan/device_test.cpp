// Devices, memory and pipelines on the software device, under validation.
#include "engine/number.hpp"
#include "engine/shader/module.hpp"
#include "engine/vulkan/keep_warm.hpp"
#include "tests/files.hpp"
#include "vulkan_test.hpp"

namespace attnscope::vulkan::device_test {

TEST_F(DeviceTest, DescribesItself) {
  const DeviceInfo& d = device().info();
  EXPECT_EQ(d.type, DeviceType::software);
  EXPECT_TRUE(d.unsuitable.empty()) << d.unsuitable;
  EXPECT_GE(d.limits.max_shared_bytes, 16384u);
  EXPECT_GE(d.limits.max_workgroup_invocations, 128u);
  EXPECT_GT(d.limits.timestamp_period_ns, 0);
  EXPECT_GT(d.limits.timestamp_valid_bits, 0u);
  EXPECT_GT(d.limits.device_memory_bytes, 0u);
  EXPECT_GE(d.limits.max_subgroup_size, d.limits.min_subgroup_size);
  EXPECT_EQ(d.pipeline_uuid.size(), 32u);
  EXPECT_FALSE(d.driver.empty());
  EXPECT_EQ(d, instance_->devices()[d.index]);
  EXPECT_EQ(KeepWarm(device()).loops(), 0u) << "a software device is left alone";
  EXPECT_TRUE(fails(Device::open(*instance_, "no such device"), ErrorKind::unsupported, d.name));
}

TEST_F(DeviceTest, BytesComeBackAcrossStagingChunks) {
  std::vector<uint32_t> data((20u << 20) / 4 + 3);  // more than one staging chunk
  std::iota(data.begin(), data.end(), 7u);
  const Buffer b = buffer_of(data);
  EXPECT_EQ(contents<uint32_t>(b), data);
  std::vector<std::byte> part(10);
  ASSERT_TRUE(b.download(part, 4 * 1000 + 1));
  EXPECT_EQ(std::memcmp(part.data(), reinterpret_cast<const char*>(data.data()) + 4001, 10), 0);
}

TEST_F(DeviceTest, PoisonAndGuardsRoundTrip) {
  const Buffer b = buffer(64);
  ASSERT_TRUE(b.fill(0x7fc00000u));
  const std::vector<uint32_t> inner{1, 2, 3, 4};
  ASSERT_TRUE(b.upload(std::as_bytes(std::span(inner)), 16));
  const auto got = contents<uint32_t>(b);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i >= 4 && i < 8 ? inner[i - 4] : 0x7fc00000u) << i;
  EXPECT_FALSE(b.upload(std::as_bytes(std::span(inner)), 60)) << "past the end";
  const Buffer c = buffer(64);
  ASSERT_TRUE(c.fill(9));
  ASSERT_TRUE(c.copy_from(b, 12, 12));
  EXPECT_EQ(contents<uint32_t>(c), (std::vector<uint32_t>{9, 9, 9, 0x7fc00000u, 1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}));
  EXPECT_FALSE(c.copy_from(b, 60, 8)) << "past the end";
}

TEST_F(DeviceTest, BufferOverTheLimitIsRefusedWithBothNumbers) {
  const uint64_t limit = device().info().limits.max_storage_buffer_bytes;
  EXPECT_TRUE(fails(Buffer::create(device(), limit + 4), ErrorKind::bad_input, bytes_beside(limit + 4, limit),
                    bytes_beside(limit, limit + 4)));
}

TEST_F(DeviceTest, PipelineOverALimitIsRefusedWithBothNumbers) {
  const Spirv spirv = compiled(R"(#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const uint N = 16;
layout(set = 0, binding = 0) buffer B { float x[]; };
shared float t[N];
void main() { t[gl_LocalInvocationIndex] = x[0]; barrier(); x[1] = t[1]; }
)");
  const auto& limits = device().info().limits;
  const uint32_t too_many = limits.max_shared_bytes / 4 + 4;
  EXPECT_TRUE(fails(Pipeline::create(device(), {.name = "big", .spirv = spirv, .constants = {{1, too_many}}}),
                    ErrorKind::bad_input, grouped(too_many * 4), grouped(limits.max_shared_bytes)));
  EXPECT_FALSE(Pipeline::create(
      device(), {.name = "wide", .spirv = spirv, .constants = {{0, limits.max_workgroup_invocations + 1}}}));
  EXPECT_FALSE(Pipeline::create(device(), {.name = "odd", .spirv = spirv, .constants = {}, .subgroup_size = 3}));
  EXPECT_FALSE(Pipeline::create(
      device(),
      {.name = "part", .spirv = spirv, .constants = {{0, limits.max_subgroup_size + 1}}, .full_subgroups = true}));
  EXPECT_TRUE(Pipeline::create(device(), {.name = "fits",
                                          .spirv = spirv,
                                          .constants = {},
                                          .subgroup_size = limits.subgroup_size,
                                          .full_subgroups = true}));
  auto statistics = must(pipeline_statistics(device(), {.name = "seen", .spirv = spirv, .constants = {}}));
  EXPECT_EQ(statistics->raw.empty(), !device().info().has("pipeline_statistics"));
}

TEST_F(DeviceTest, MissingFeatureIsRefusedByName) {
  if (device().info().has("coopmat")) GTEST_SKIP() << "this device has cooperative matrices";
  EXPECT_TRUE(fails(Pipeline::create(device(), {.name = "matrix",
                                                .spirv = compiled(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer B { float x[]; };
void main() {
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
  coopMatLoad(m, x, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
  coopMatStore(m, x, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)"),
                                                .constants = {}}),
                    ErrorKind::unsupported, "coopmat"));
}

TEST_F(DeviceTest, PipelineCacheIsKeptOnDiskAndSurvivesDamage) {
  const TempDir temporary;
  const fs::path dir = temporary.path();
  const Spirv spirv =
      compiled("#version 460\nlayout(set=0,binding=0) buffer B { float x[]; };\nvoid main() { x[0] = 1; }\n");
  for (int round = 0; round < 2; ++round) {
    {
      auto d = must(Device::open(*instance_, "cpu", {.cache_dir = dir}));
      ASSERT_TRUE(Pipeline::create(*d, {.name = "p", .spirv = spirv, .constants = {}}));
    }
    ASSERT_EQ(std::distance(fs::directory_iterator(dir), {}), 1) << "one file, no leftovers";
    const fs::path file = fs::directory_iterator(dir)->path();
    ASSERT_GT(fs::file_size(file), 32u);
    fs::resize_file(file, fs::file_size(file) - 1);  // the second round opens a damaged one
  }
}

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
    ASSERT_TRUE(value(Execution::create(device(), {Pass{p, {1, 1, 1}, {}, {{0, b}}}})).run());
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

}  // namespace attnscope::vulkan::device_test
