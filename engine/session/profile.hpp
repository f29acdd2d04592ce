// A device known by its limits alone: a Vulkan Profiles JSON, or the output of `vulkaninfo -j`.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/device_info.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// The prefix of a selector of such a device; the file's name follows.
inline constexpr std::string_view kProfilePrefix = "profile:";

/// Every set of capabilities in the text counts. What it does not say is not there: a profile has no shapes of
/// cooperative matrices, so variants that need one are refused. `what` names the text in errors.
Result<DeviceInfo> profile_from_json(std::string_view text, std::string_view what);
Result<DeviceInfo> read_profile(const std::filesystem::path&);

}  // namespace attnscope
