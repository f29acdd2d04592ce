// Devices of which the limits alone are known.
#include "engine/session/profile.hpp"
#include "tests/has.hpp"

namespace attnscope::profile_test {

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

}  // namespace attnscope::profile_test
