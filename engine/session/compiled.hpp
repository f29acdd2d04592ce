// A plan compiled and not executed: what the driver says of it, and its shaders as text.
#pragma once

#include "engine/session/resources.hpp"
#include "engine/shader/file_cache.hpp"
#include "engine/shader/module.hpp"

namespace attnscope {

/// driver_resources(), kept in the cache by driver, device, shaders and constants.
Result<Resources> compiled_resources(const vulkan::Device&, const Plan&, const FileCache&, EventStream&);

/// As Session::shader_texts().
Result<std::vector<ShaderText>> shader_texts(const vulkan::Device&, const Plan&);

/// Why nothing can be executed on a device, and what can be done with it; "" where it can.
std::string why_not_run(const DeviceInfo&);

}  // namespace attnscope
