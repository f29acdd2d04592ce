// A device as a value: everything that choosing, planning and recording need.
#pragma once

#include "engine/words.hpp"

namespace attnscope {

enum class DeviceType { discrete_gpu, integrated_gpu, virtual_gpu, software, other };
constexpr std::string_view to_text(DeviceType type) {
  return word_of(type, {"discrete GPU", "integrated GPU", "virtual GPU", "software", "other"});
}

/// What can be done with a device. `compile`: its driver has no hardware, so nothing is executed.
enum class DeviceUse { run, compile };
constexpr std::string_view to_text(DeviceUse use) { return word_of(use, {"run", "compile"}); }

/// One shape that VK_KHR_cooperative_matrix advertises. Types are "f16", "f32", "bf16", "s8", ...
struct MatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  std::string a, b, c, result;
  std::string scope;  ///< "subgroup" or "workgroup"
  bool operator==(const MatrixShape&) const = default;
};

/// How an f32 accumulator of the first f16 shape lies over the lanes of a subgroup (engine/vulkan/matrix_layout.hpp).
struct MatrixLayout {
  uint32_t m = 0, n = 0, k = 0;
  uint32_t elements = 0;      ///< of a lane; 0, as all that follow, when the layout is not one that kernels can use
  uint32_t row_shift = 0;     ///< elements i with equal i >> row_shift share a row
  uint32_t lane_mask = 0;     ///< lanes that differ in these bits share their rows
  uint32_t element_rows = 0;  ///< row of element i less that of element 0, 4 bits each
  uint32_t element_cols = 0;
  /// 1, 2 or 4 where so many neighbouring lanes share each chunk of 8 columns of a row, in order: lane l holds columns
  /// l % row_lanes * 8 / row_lanes to the next lane's of every chunk, of rows l / row_lanes + element_rows. Else 0.
  uint32_t row_lanes = 0;
  bool a_like_accumulator = false;  ///< an A matrix holds the same cells in the same places
  /// There are accumulators of half as many columns too: each row of a lane is the first half of this one.
  bool half_columns = false;
  bool operator==(const MatrixLayout&) const = default;
};

/// Facts of a GPU that a driver without hardware cannot report (assets/gpus.toml).
struct CompileOnly {
  std::string name;
  uint32_t core_count = 0;  ///< 0 = not known
  /// How the shape m, n, k lies over one subgroup; what the driver compiles for has to agree with it.
  std::optional<MatrixLayout> matrix_layout;
  bool operator==(const CompileOnly&) const = default;
};

struct DeviceLimits {
  uint32_t max_shared_bytes = 0;  ///< maxComputeSharedMemorySize
  uint32_t max_workgroup_invocations = 0;
  std::array<uint32_t, 3> max_workgroup_size{};
  std::array<uint32_t, 3> max_workgroup_count{};
  uint64_t max_storage_buffer_bytes = 0;  ///< maxStorageBufferRange
  uint64_t max_allocation_bytes = 0;      ///< 0 = not known, and no limit
  uint32_t max_push_constant_bytes = 0;
  uint32_t max_storage_buffers = 0;      ///< of one compute shader; 0 = not known
  uint32_t max_workgroup_subgroups = 0;  ///< maxComputeWorkgroupSubgroups, where a size is asked for; 0 = not known
  uint32_t subgroup_size = 0;            ///< the default; min/max are what can be asked for
  uint32_t min_subgroup_size = 0;
  uint32_t max_subgroup_size = 0;
  double timestamp_period_ns = 0;
  uint32_t timestamp_valid_bits = 0;
  uint64_t device_memory_bytes = 0;             ///< of the largest device-local heap; 0 = not known, and no limit
  uint32_t core_count = 0;                      ///< SMs / compute units when the driver reports them, else 0
  uint32_t warps_per_core = 0;                  ///< resident subgroups a core holds, when reported, else 0
  uint32_t coopmat2_reserved_shared_bytes = 0;  ///< of max_shared_bytes, lost to shaders with workgroup-scope matrices
  bool operator==(const DeviceLimits&) const = default;
};

struct DeviceInfo {
  uint32_t index = 0;
  std::string name;
  DeviceType type = DeviceType::other;
  DeviceUse use = DeviceUse::run;
  uint32_t vendor_id = 0, device_id = 0;
  uint32_t driver_id = 0;     ///< VkDriverId; 0 = not known
  std::string driver;         ///< driver name and version text, e.g. "NVIDIA 580.159.04"
  std::string api_version;    ///< "1.3.230"
  std::string pipeline_uuid;  ///< hex of pipelineCacheUUID
  std::string device_uuid;    ///< hex of deviceUUID: this very device, whatever its index, name or driver; "" = unknown
  DeviceLimits limits;
  /// Optional features by name, of kFeatureNames (engine/feature_names.hpp).
  std::vector<std::string> features;
  std::vector<MatrixShape> matrix_shapes;
  std::optional<MatrixLayout> matrix_layout;  ///< known when the device is open; absent without such matrices
  std::string unsuitable;                     ///< why it cannot be used; empty when it can

  bool has(std::string_view feature) const { return contains(features, feature); }
  bool operator==(const DeviceInfo&) const = default;
};

/// Equal for records of one device under one driver alone: by UUID, else by index, which changes when a device is
/// added. All software devices of a kind are one.
inline std::string device_key(const DeviceInfo& d) {
  return fmt::format("{}|{}|{}", d.name, d.driver, d.device_uuid.empty() ? std::to_string(d.index) : d.device_uuid);
}
inline bool same_device(const DeviceInfo& a, const DeviceInfo& b) { return device_key(a) == device_key(b); }

}  // namespace attnscope
