// Compute pipelines from SPIR-V, their compile times, and the driver's statistics.
#pragma once

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
  enum class Kind { measured, cached, in_first_dispatch };
  Kind kind = Kind::cached;
  double ms = 0;
};
/// Without a pipeline cache of ours, of a module that the driver's cannot know (a string in it is new). What still came
/// from a cache, by the driver's word or its time (plausible_compile), is marked as such.
Result<CompileTime> measure_compile(const Device&, const PipelineRequest&);
/// Whether a module of so many words can have been compiled in this time. Pure.
bool plausible_compile(double ms, size_t words);

struct PipelineStatistic {
  std::string executable, name, description;
  long double value = 0;  ///< holds any 64-bit integer and any double
  bool operator==(const PipelineStatistic&) const = default;
};
/// Known names of known drivers; absent = not reported. What one register is differs, so compare within one driver.
struct PipelineStatistics {
  std::optional<uint64_t> registers;     ///< vector registers of one invocation
  std::optional<uint64_t> spills;        ///< registers or store instructions, as the driver counts
  std::optional<uint64_t> spill_bytes;   ///< of one invocation
  std::optional<uint64_t> stack_bytes;   ///< scratch memory, of an invocation, a thread or a subgroup
  std::optional<uint64_t> shared_bytes;  ///< of one workgroup
  std::optional<uint64_t> code_bytes;
  std::optional<uint64_t> subgroups;    ///< that fit a SIMD or a core, as the driver counts
  std::optional<uint64_t> cycles;       ///< the compiler's own estimate, which is not a measurement
  std::map<std::string, uint64_t> mix;  ///< instructions by kind; "all" is all of them
  std::vector<PipelineStatistic> raw;   ///< as the driver says
  bool operator==(const PipelineStatistics&) const = default;
};
/// In a compile of its own, never the timed pipeline. Absent on a device without "pipeline_statistics".
Result<PipelineStatistics> pipeline_statistics(const Device&, const PipelineRequest&);

/// Interprets raw statistics of a driver (DeviceInfo::driver); an unknown name stays raw. Pure.
PipelineStatistics normalize_statistics(std::vector<PipelineStatistic> raw, std::string_view driver);

/// The driver's IR and assembly of the shader, in a compile of its own. Empty where it returns no text.
Result<std::vector<ShaderText>> pipeline_representations(const Device&, const PipelineRequest&);

}  // namespace attnscope::vulkan
