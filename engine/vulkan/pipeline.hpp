// Compute pipelines from SPIR-V, their compile times, and the driver's statistics.
#pragma once

#include "engine/resources.hpp"
#include "engine/shader/module.hpp"
#include "engine/vulkan/device.hpp"

namespace attnscope::vulkan {

struct PipelineState;

struct PipelineRequest {
  std::string name{};  ///< for messages
  Spirv spirv{};
  SpecValues constants{};       ///< those left out take the default of the module's named constant
  uint32_t subgroup_size = 0;   ///< 0 = the driver's choice, which SPIR-V 1.6 lets vary
  bool full_subgroups = false;  ///< refuse when it cannot be promised; given anyway where the local size allows
  bool sliceable = false;       ///< may run in pieces (dispatch base): Execution cuts only such pipelines
};

/// A shared handle.
class Pipeline {
 public:
  /// Before the driver sees it, the error of check_module: nothing that a plan has not refused already.
  static Result<Pipeline> create(const Device&, const PipelineRequest&);
  const ModuleFacts& facts() const;
  bool sliceable() const;
  const std::shared_ptr<PipelineState>& state() const { return state_; }

 private:
  explicit Pipeline(std::shared_ptr<PipelineState> state) : state_(std::move(state)) {}
  std::shared_ptr<PipelineState> state_;
};

/// Milliseconds that compiling this pipeline takes; `ms` is meaningless but for `measured`.
struct CompileTime {
  Compile kind = Compile::cached;
  double ms = 0;
};
/// Without a pipeline cache of ours, of a module that the driver's cannot know (a string in it is new). What still came
/// from a cache, by the driver's word or its time (plausible_compile), is marked as such.
Result<CompileTime> measure_compile(const Device&, const PipelineRequest&);
/// Whether a module of so many words can have been compiled in this time. Pure.
bool plausible_compile(double ms, size_t words);

/// The driver's part of them, in a compile of its own, never the timed pipeline: known names of known drivers. Absent
/// on a device without "pipeline_statistics". What one register is differs, so compare within one driver.
Result<Resources> pipeline_statistics(const Device&, const PipelineRequest&);

/// Interprets raw statistics of a driver (DeviceInfo::driver); an unknown name stays raw. Pure.
Resources normalize_statistics(std::vector<RawResource> raw, std::string_view driver);

/// The driver's IR and assembly of the shader, in a compile of its own. Empty where it returns no text.
Result<std::vector<ShaderText>> pipeline_representations(const Device&, const PipelineRequest&);

}  // namespace attnscope::vulkan
