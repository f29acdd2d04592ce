// Resources of a plan: what its pipelines cost the device, asked in compiles of their own.
#pragma once

#include "engine/record/record.hpp"
#include "engine/session/events.hpp"
#include "engine/variant/plan.hpp"
#include "engine/vulkan/pipeline.hpp"

namespace attnscope {

/// The request that makes the pipeline of one pass.
vulkan::PipelineRequest pipeline_request(const Plan&, const PlanPass&, bool sliceable);

/// What the plan alone says: shared and private bytes, workgroups.
Resources planned_resources(const Plan&);

/// The same, and what the driver says: registers, spills, code size, and the time of a compile that no cache
/// answers, where there is one to measure.
Result<Resources> driver_resources(const vulkan::Device&, const Plan&, EventStream&);

}  // namespace attnscope
