// Resources of a plan's pipelines, queried by separate compiles.
#pragma once

#include "engine/session/events.hpp"
#include "engine/shader/file_cache.hpp"
#include "engine/vulkan/pipeline.hpp"

namespace attnscope {

vulkan::PipelineRequest pipeline_request(const Plan&, const PlanPass&, bool sliceable);

void record_plan(const Plan&, Record&);
std::string pipelines_key(const Plan&);
/// Resources of the same pipelines, with the values of this problem.
Resources for_plan(Resources known, const Plan&);

/// planned_resources(), and what the driver says: registers, spills, code size, and the time of an uncached compile.
Result<Resources> driver_resources(const vulkan::Device&, const Plan&, EventStream&);

/// driver_resources(), kept in the cache by driver, device, shaders and constants.
Result<Resources> compiled_resources(const vulkan::Device&, const Plan&, const FileCache&, EventStream&);

Result<std::vector<ShaderText>> shader_texts(const vulkan::Device&, const Plan&);

/// Why nothing can be executed on a device, and what can be done with it; "" where it can.
std::string why_not_run(const DeviceInfo&);

}  // namespace attnscope
