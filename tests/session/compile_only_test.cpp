// A device whose driver has no hardware: RADV's null winsys, which Debian 12 has.
#include "engine/session/open_gpu.hpp"
#include "engine/session/profile.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::compile_only_test {

class CompileOnlyDevice : public testing::Test {
 protected:
  void SetUp() override {
    const GpuCatalogue catalogue = *must(load_gpus(ATTNSCOPE_SOURCE_DIR));
    WorkerOptions worker;
    worker.session.cache_dir = cache_dir();
    worker.command = {ATTNSCOPE_EXECUTABLE, "worker"};
    Result<OpenGpu> open =
        open_gpu(catalogue, *find_gpus(catalogue, "RX 7900 XTX")->front(), driver_places({}), worker);
    if (!open) GTEST_SKIP() << open.error().message;
    gpu_ = std::make_unique<OpenGpu>(std::move(*open));
    (void)must(gpu_->session->load_variants(shipped_sources({"tiled"})));
  }
  Result<Record> run(const Config& config, bool measure = false) {
    RunRequest request = small_run("1x16x4096x128:f16", "tiled", config);
    request.verify = request.measure = measure;
    return gpu_->session->run(request, {}, kGoOn);
  }
  std::unique_ptr<OpenGpu> gpu_;
};

TEST_F(CompileOnlyDevice, CompilesAndReports) {
  EXPECT_EQ(gpu_->device.use, DeviceUse::compile);
  EXPECT_EQ(gpu_->device.name, "RX 7900 XTX");
  for (int again = 0; again < 2; ++again) {  // the second is from the cache
    const auto record = must(run({{"BLOCK_M", 32}, {"BLOCK_N", 32}, {"THREAD_M", 4}, {"THREAD_N", 4}}));
    EXPECT_EQ(record->outcome, Outcome::compiled) << record->message;
    EXPECT_GT(record->resources.registers.value_or(0), 32u);
    EXPECT_TRUE(record->resources.spills);
    EXPECT_TRUE(record->resources.subgroups);
    EXPECT_GT(record->resources.mix.at("all"), 100u);
    EXPECT_FALSE(record->resources.raw.empty());
    EXPECT_FALSE(record->verdict || record->statistics || record->resources.compile_ms);
    EXPECT_TRUE(record->samples_ns.empty());
  }
}

TEST_F(CompileOnlyDevice, ExecutesNothing) {
  EXPECT_TRUE(fails(run({}, true), ErrorKind::unsupported));
  EXPECT_FALSE(gpu_->session->peaks({}, {}, kGoOn));
  EXPECT_FALSE(gpu_->session->trials(trials_of("1x1x32x32", "tiled", {{}}), {}, kGoOn));
}

TEST_F(CompileOnlyDevice, ShowsAssemblyAndSpirv) {
  const auto texts = must(gpu_->session->shader_texts({*parse_problem("1x1x32x32"), "tiled", {}}));
  const auto has = [&](const char* name, const char* word) {
    return std::ranges::any_of(*texts, [&](const ShaderText& t) {
      return t.name.find(name) != std::string::npos && t.text.find(word) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("Assembly", "v_"));
  EXPECT_TRUE(has("SPIR-V", "EntryPoint"));
}

// The form of Khronos' Vulkan-Profiles and of `vulkaninfo -j`, shortened.
constexpr const char* kPhone = R"({
  "capabilities": {
    "device": {
      "extensions": { "VK_KHR_16bit_storage": 1, "VK_NV_cooperative_matrix": 1 },
      "features": {
        "VkPhysicalDeviceFeatures": { "shaderInt16": true, "shaderInt64": false },
        "VkPhysicalDeviceVulkan11Features": { "storageBuffer16BitAccess": true },
        "VkPhysicalDeviceVulkan12Features": { "shaderFloat16": 1, "shaderInt8": false },
        "VkPhysicalDeviceCooperativeMatrixFeaturesNV": { "cooperativeMatrix": true } },
      "properties": {
        "VkPhysicalDeviceProperties": { "deviceName": "A phone", "deviceType": "VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU",
          "limits": { "maxComputeSharedMemorySize": 16384, "maxComputeWorkGroupInvocations": 512,
            "maxComputeWorkGroupSize": [512, 512, 64], "maxComputeWorkGroupCount": [65535, 65535, 65535],
            "maxStorageBufferRange": 134217728, "maxPushConstantsSize": 128,
            "maxPerStageDescriptorStorageBuffers": 24, "maxDescriptorSetStorageBuffers": 24,
            "maxPerStageResources": 128 } },
        "VkPhysicalDeviceVulkan11Properties": { "subgroupSize": 64, "maxMemoryAllocationSize": 1073741824,
          "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_VOTE_BIT"] },
        "VkPhysicalDeviceVulkan12Properties": { "driverName": "A driver", "driverInfo": "v1" } } } },
  "profiles": { "VP_PHONE": { "version": 1, "api-version": "1.3.204", "label": "label" } } })";

TEST(Profile, LimitsAndFeatures) {
  const auto d = must(profile_from_json(kPhone, "phone.json"));
  EXPECT_EQ(std::tuple(d->use, d->name, d->driver, d->api_version, d->type, d->limits.max_shared_bytes,
                       d->limits.max_workgroup_size, d->limits.max_storage_buffers),
            std::tuple(DeviceUse::limits, "A phone", "A driver v1", "1.3.204", DeviceType::integrated_gpu, 16384u,
                       (std::array<uint32_t, 3>{512, 512, 64}), 24u));
  EXPECT_EQ(d->limits.min_subgroup_size, 64u) << "no size control: the one size";
  EXPECT_EQ(d->features, (std::vector<std::string>{"int16", "shader_f16", "storage_16bit", "subgroup_vote"}))
      << "NV's matrices are not KHR's";
}

TEST(Profile, WhatIsNone) {
  for (const char* text : {"", "{", "[]", "{}", "3", R"({"capabilities": {"a": {"properties": {}}}})",
                           R"({"maxComputeSharedMemorySize": -1, "maxComputeWorkGroupInvocations": "x"})"})
    EXPECT_FALSE(profile_from_json(text, "x")) << text;
  EXPECT_FALSE(read_profile("/nonexistent/profile.json"));
}

TEST(Profile, AValueOfAnotherTypeIsNamed) {
  const std::pair<const char*, const char*> edits[] = {{"16384", "\"16384\""},
                                                       {"\"subgroupSize\": 64", "\"subgroupSize\": true"},
                                                       {"[512, 512, 64]", "512"},
                                                       {"[512, 512, 64]", "[512, \"512\", 64]"},
                                                       {"\"shaderInt16\": true", "\"shaderInt16\": \"true\""},
                                                       {"\"A phone\"", "[1, 2]"}};
  for (const auto& [from, to] : edits) {
    std::string text = kPhone;
    text.replace(text.find(from), std::string_view(from).size(), to);
    const auto d = profile_from_json(text, "phone.json");
    ASSERT_FALSE(d) << to;
    EXPECT_TRUE(has(d.error().message, "is expected"));
  }
}

}  // namespace attnscope::compile_only_test
