#include "engine/session/profile.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/feature_names.hpp"
#include "engine/input/file.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/shader/vulkan_feature.hpp"

namespace attnscope {
namespace {

constexpr uint64_t kMaxProfileBytes = uint64_t{16} << 20;

/// Every member of every structure by its own name, and every string of a list as one that is true.
class Members {
 public:
  void add(const Json& json, const std::string& name) {
    if (json.is_object()) {
      for (const auto& [key, value] : json.items()) add(value, key);
      return;
    }
    if (json.is_array() && !json.empty() && json.front().is_string())
      for (const Json& item : json)
        if (item.is_string()) members_[item.get<std::string>()] = true;
    // Sets of capabilities add to one another.
    Json& known = members_[name];
    if (known.is_null() || json == true || (known.is_number() && json.is_number() && json > known)) known = json;
  }
  bool yes(std::string_view name) const {
    const Json* value = find(name);
    if (value && !value->is_boolean() && !value->is_number()) wrong(name, *value, "true or false");
    return value && (*value == true || (value->is_number() && *value > 0));
  }
  uint64_t number(std::string_view name) const {
    const Json* value = find(name);
    if (value && !is_size(*value)) wrong(name, *value, "a number");
    return to_number(value);
  }
  std::array<uint32_t, 3> three(std::string_view name) const {
    std::array<uint32_t, 3> out{};
    const Json* value = find(name);
    if (!value) return out;
    const bool good = value->is_array() && value->size() == 3 && std::ranges::all_of(*value, is_size);
    if (!good) wrong(name, *value, "three numbers");
    for (size_t i = 0; good && i < 3; ++i)
      out[i] = static_cast<uint32_t>(std::min<uint64_t>(to_number(&value->at(i)), UINT32_MAX));
    return out;
  }
  /// The error of the first value of a wrong type; "" = none.
  const std::string& fault() const { return fault_; }
  uint32_t small(std::string_view name) const {
    return static_cast<uint32_t>(std::min<uint64_t>(number(name), UINT32_MAX));
  }
  std::string text(std::string_view name) const {
    const Json* value = find(name);
    if (value && !value->is_string()) wrong(name, *value, "a text");
    return value && value->is_string() ? value->get<std::string>() : "";
  }
  bool is_number(std::string_view name) const {
    const Json* value = find(name);
    return value && value->is_number();
  }

 private:
  static bool is_size(const Json& value) { return value.is_number() && value >= 0; }
  void wrong(std::string_view name, const Json& value, std::string_view wanted) const {
    constexpr size_t kShown = 40;
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kShown) text = text.substr(0, kShown) + "...";
    if (fault_.empty()) fault_ = fmt::format("{} is {}, and {} is expected", name, text, wanted);
  }
  static uint64_t to_number(const Json* value) {
    if (value && value->is_number_unsigned()) return value->get<uint64_t>();
    const double number = value && value->is_number() ? value->get<double>() : 0;
    return number > 0 && number < 1.8e19 ? static_cast<uint64_t>(number) : 0;
  }
  const Json* find(std::string_view name) const {
    const auto at = members_.find(name);
    return at == members_.end() || at->second.is_null() ? nullptr : &at->second;
  }
  std::map<std::string, Json, std::less<>> members_;
  mutable std::string fault_;
};

DeviceType type_of(const Members& m) {
  const bool coded = m.is_number("deviceType");
  const uint64_t code = coded ? m.number("deviceType") : 0;
  const std::string text = coded ? "" : m.text("deviceType");
  if (code == 1 || text.find("INTEGRATED") != text.npos) return DeviceType::integrated_gpu;
  if (code == 2 || text.find("DISCRETE") != text.npos) return DeviceType::discrete_gpu;
  if (code == 3 || text.find("VIRTUAL") != text.npos) return DeviceType::virtual_gpu;
  if (code == 4 || text.find("CPU") != text.npos) return DeviceType::software;
  return DeviceType::other;
}

DeviceLimits limits_of(const Members& m) {
  DeviceLimits l{
      .max_shared_bytes = m.small("maxComputeSharedMemorySize"),
      .max_workgroup_invocations = m.small("maxComputeWorkGroupInvocations"),
      .max_workgroup_size = m.three("maxComputeWorkGroupSize"),
      .max_workgroup_count = m.three("maxComputeWorkGroupCount"),
      .max_storage_buffer_bytes = m.number("maxStorageBufferRange"),
      .max_allocation_bytes = m.number("maxMemoryAllocationSize"),
      .max_push_constant_bytes = m.small("maxPushConstantsSize"),
      .max_storage_buffers = std::min({m.small("maxPerStageDescriptorStorageBuffers"),
                                       m.small("maxDescriptorSetStorageBuffers"), m.small("maxPerStageResources")}),
      .max_workgroup_subgroups = m.small("maxComputeWorkgroupSubgroups"),
      .subgroup_size = m.small("subgroupSize")};
  l.min_subgroup_size = m.small("minSubgroupSize") ? m.small("minSubgroupSize") : l.subgroup_size;
  l.max_subgroup_size = m.small("maxSubgroupSize") ? m.small("maxSubgroupSize") : l.subgroup_size;
  l.coopmat2_reserved_shared_bytes = m.small("cooperativeMatrixWorkgroupScopeReservedSharedMemory");
  return l;
}

bool has_feature(const Members& m, const std::string& name) {
  if (name == "pipeline_statistics") return m.yes("pipelineExecutableInfo");
  if (name == "shared_explicit_layout")
    return m.yes("workgroupMemoryExplicitLayout") && m.yes("workgroupMemoryExplicitLayout16BitAccess");
  const VulkanFeature* f = vulkan_feature(name);
  // A member of one name may be of several extensions, such as cooperativeMatrix.
  return f && (f->extension.empty() || m.yes(f->extension)) &&
         std::ranges::all_of(f->members, [&](const std::string& member) { return m.yes(member); });
}

}  // namespace

Result<DeviceInfo> profile_from_json(std::string_view text, std::string_view what) {
  const Json json = TRY(parse_json(text, what));
  Members m;
  m.add(json, "");
  DeviceInfo info;
  info.use = DeviceUse::limits;
  info.limits = limits_of(m);
  info.type = type_of(m);
  info.vendor_id = m.small("vendorID");
  info.device_id = m.small("deviceID");
  for (const std::string_view name : kFeatureNames)
    if (has_feature(m, std::string(name))) info.features.emplace_back(name);
  info.name = m.text("deviceName");
  if (info.name.empty()) info.name = m.text("label");
  if (info.name.empty()) info.name = std::filesystem::path(what).stem().string();
  info.driver = m.text("driverName");
  info.driver += (info.driver.empty() ? "" : " ") + m.text("driverInfo");
  info.api_version = m.text("api-version");
  if (!m.fault().empty()) return bad_input(fmt::format("{}: {}", what, m.fault()));
  if (info.limits.max_shared_bytes == 0 || info.limits.max_workgroup_invocations == 0 || info.limits.subgroup_size == 0)
    return bad_input(
        fmt::format("{}: it lacks maxComputeSharedMemorySize, maxComputeWorkGroupInvocations or subgroupSize. Give a "
                    "Vulkan Profiles file of a device, or what `vulkaninfo -j` writes.",
                    what));
  return info;
}

Result<DeviceInfo> read_profile(const std::filesystem::path& path) {
  const std::string text = TRY(read_file(path, kMaxProfileBytes));
  return profile_from_json(text, path.string());
}

}  // namespace attnscope
