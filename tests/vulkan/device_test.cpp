// Devices, memory, pipelines and execution (results, slices, timestamps, cancellation) on the software device, under
// validation.
#include <ctime>
#include "engine/number.hpp"
#include "engine/vulkan/keep_warm.hpp"
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

TEST_F(DeviceTest, PoisonAndGuardsRoundTripAndABufferOverTheLimitIsRefusedWithBothNumbers) {
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
    EXPECT_EQ(first.kind, Compile::in_first_dispatch) << "creation parses the module and compiles nothing";
  }
  for (const CompileTime& c : {first, second})
    EXPECT_TRUE(c.kind != Compile::measured || plausible_compile(c.ms, request.spirv->size())) << c.ms;
  // What takes less than reading the module is no compile.
  EXPECT_FALSE(plausible_compile(0.024, 3000)) << "an H200's driver, of a module it had seen";
  EXPECT_FALSE(plausible_compile(0.01, 1000));
  EXPECT_TRUE(plausible_compile(5, 3000));
  EXPECT_TRUE(plausible_compile(0.5, 500)) << "a small shader and a quick compiler";
}

// y = a x + y over a 3-d grid, so that slices along every axis must agree on where they are.
constexpr const char* kSaxpy = R"(#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const bool NEGATE = false;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Push { uint n; uint width; uint height; float a; };
void main() {
  const uint i = (gl_WorkGroupID.z * height + gl_WorkGroupID.y) * width + gl_GlobalInvocationID.x;
  if (gl_GlobalInvocationID.x < width && i < n) y[i] += (NEGATE ? -a : a) * x[i];
}
)";

struct ExecutionTest : DeviceTest {
  static constexpr uint32_t kWidth = 200, kHeight = 7, kDepth = 3, kCount = kWidth * kHeight * kDepth;

  Pass saxpy(const Buffer& in, const Buffer& out, SpecValues constants, bool sliceable = false) {
    Pipeline pipeline = value(Pipeline::create(
        device(),
        {.name = "saxpy", .spirv = compiled(kSaxpy), .constants = std::move(constants), .sliceable = sliceable}));
    const uint32_t wg = pipeline.facts().local_size[0];
    return {pipeline,
            {(kWidth + wg - 1) / wg, kHeight, kDepth},
            bytes_of(kCount, kWidth, kHeight, 2.0f),
            {{0, in}, {1, out}}};
  }
  static std::vector<float> ramp() {
    std::vector<float> v(kCount);
    std::iota(v.begin(), v.end(), 1.0f);
    return v;
  }
  Buffer zeros() { return buffer_of(std::vector<float>(kCount, 0.0f)); }
  void expect_scaled(const Buffer& b, float factor) {
    const auto got = contents<float>(b);
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(got[i], factor * static_cast<float>(i + 1)) << i;
  }
  Execution executing(std::vector<Pass> passes) { return value(Execution::create(device(), std::move(passes))); }

  const Buffer x = buffer_of(ramp()), y = zeros();
};

TEST_F(ExecutionTest, RunsWithTheGivenConstantsAndPassesSeeWhatEarlierOnesWrote) {
  for (const auto& [constants, expected] :
       std::vector<std::pair<SpecValues, float>>{{{}, 2.0f}, {{{0, 32}}, 4.0f}, {{{0, 8}, {1, 1}}, 2.0f}}) {
    ASSERT_GT(value(executing({saxpy(x, y, constants)}).run()), 0);
    expect_scaled(y, expected);
  }
  const Buffer z = zeros(), w = zeros();
  ASSERT_TRUE(executing({saxpy(x, w, {}), saxpy(w, z, {}), saxpy(z, w, {{1, 1}})}).run());
  expect_scaled(z, 4);
  expect_scaled(w, 2 - 8);
}

TEST_F(ExecutionTest, SlicesGiveTheSameResult) {
  for (const double submit_ms : {300.0, 1e-6}) {  // few submits, and a submit for each piece
    const Buffer z = zeros();
    ASSERT_GT(value(executing({saxpy(x, z, {}, true)}).run({}, submit_ms)), 0);
    expect_scaled(z, 2);
  }
  const auto execution = executing({saxpy(x, y, {}, true)});
  for (uint32_t slices : {2u, 5u, 16u, 100u})
    ASSERT_EQ(value(execution.sample({.samples = 1, .slices = slices})).size(), 1u);
  expect_scaled(y, 8);
  const auto whole = executing({saxpy(x, y, {})});
  EXPECT_FALSE(whole.sample({.slices = 4})) << "what is not sliceable is not cut";
  ASSERT_TRUE(whole.run());
  expect_scaled(y, 10);
}

TEST_F(ExecutionTest, SamplesCountEveryRepetitionAlsoOverSeveralSubmits) {
  const Buffer flush = buffer(1 << 20);
  const auto execution = executing({saxpy(x, y, {})});
  float runs = 0;
  for (const bool back_to_back : {false, true})
    for (const bool cold : {false, true}) {
      const auto ns = value(execution.sample({.samples = 5,
                                              .repetitions = 3,
                                              .back_to_back = back_to_back,
                                              .flush = cold ? std::optional(flush) : std::nullopt}));
      ASSERT_EQ(ns.size(), 5u);
      for (double t : ns) {
        EXPECT_GT(t, 0);
        EXPECT_LT(t, 1e11) << "a wrapped or unordered timestamp would be huge";
      }
      runs += 15;
    }
  EXPECT_EQ(value(execution.sample({.samples = 1030})).size(), 1030u) << "more than there are timestamps";
  expect_scaled(y, 2 * (runs + 1030));
}

TEST_F(ExecutionTest, TimestampsAgreeWithTheClock) {
  const auto execution = executing({saxpy(x, y, {})});
  const auto start = std::chrono::steady_clock::now();
  const auto ns = value(execution.sample({.samples = 20}));
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
  const double sum = std::accumulate(ns.begin(), ns.end(), 0.0);
  EXPECT_GT(sum, 0);
  EXPECT_LT(sum, wall.count()) << "samples in sequence cannot last longer than the call that took them";
}

TEST_F(ExecutionTest, WrongBindingsPushAndGridsAreRefused) {
  const Pass right = saxpy(x, y, {});
  Pass buffers = right, push = right, grid = right;
  buffers.buffers.pop_back();
  push.push.resize(4);
  grid.grid = {device().info().limits.max_workgroup_count[0] + 1, 1, 1};
  for (const Pass& pass : {buffers, push, grid}) EXPECT_FALSE(Execution::create(device(), {pass}));
  EXPECT_FALSE(Execution::create(device(), {}));
}

TEST_F(ExecutionTest, OtherWorkRunsBesideKeepWarm) {
  const auto execution = executing({saxpy(x, y, {})});
  float runs = 0;
  {
    const KeepWarm warm(device(), true);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (warm.loops() < 5 && std::chrono::steady_clock::now() < end) {
      ASSERT_TRUE(execution.run());
      ++runs;
    }
    EXPECT_GE(warm.loops(), 5u);
  }
  expect_scaled(y, 2 * runs);
}

TEST_F(ExecutionTest, CancelIsSeenBetweenSubmits) {
  const auto execution = executing({saxpy(x, y, {}, true)});
  std::atomic<bool> cancel{false};
  int submits = 0;
  const std::function<void()> between = [&] {
    ++submits;
    cancel = true;
  };
  // With so little time a submit, each slice is one of its own.
  EXPECT_TRUE(fails(execution.run({.cancel = &cancel, .between = &between}, 1e-6), ErrorKind::cancelled));
  EXPECT_FALSE(device().lost());
  const auto part = contents<float>(y);
  const auto done = std::ranges::count_if(part, [](float v) { return v != 0; });
  EXPECT_GT(done, 0) << "what was submitted before is done";
  EXPECT_LT(done, kCount) << "what came after is not";
  EXPECT_GE(submits, 1);
  ASSERT_TRUE(execution.run()) << "the device is as good as before";
  EXPECT_EQ(contents<float>(y).back(), 2.0f * float(kCount));
}

TEST_F(ExecutionTest, WorkPastItsTimeLosesTheDeviceNotTheProcess) {
  // Ends by itself after a while, so that no thread of the driver is left spinning behind the other tests.
  const Spirv spirv = compiled(R"(#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { float x[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
  float a = float(gl_GlobalInvocationID.x);
  for (uint i = 0; i < n; ++i) a = a * 0.999 + x[i & 15u];
  x[gl_LocalInvocationID.x & 15u] = a;
}
)");
  const Buffer b = buffer_of(std::vector<float>(16, 1.0f));
  const Pipeline pipeline = value(Pipeline::create(device(), {.name = "slow", .spirv = spirv}));
  const auto execution = executing({{pipeline, {64, 1, 1}, bytes_of(20'000'000u), {{0, b}}}});
  EXPECT_TRUE(fails(execution.run({.timeout_s = 0.005}), ErrorKind::device_lost, "0.1 s"))
      << "a device this fast needs a longer loop here";
  EXPECT_TRUE(device().lost());
  EXPECT_TRUE(fails(execution.run(), ErrorKind::device_lost));
  // The driver's threads still work. A process that ends meanwhile takes the driver away under them.
  const auto busy = [] {
    const std::clock_t before = std::clock();  // of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return std::clock() - before > CLOCKS_PER_SEC / 500;
  };
  for (int i = 0; i < 300 && busy(); ++i) {
  }
}

}  // namespace attnscope::vulkan::device_test
