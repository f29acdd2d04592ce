// Choosing a device by selector. Pure: works on values.

#include <charconv>

#include "engine/vulkan/instance.hpp"
#include "engine/words.hpp"

namespace attnscope::vulkan {
namespace {

int speed_class(DeviceType type) {
  switch (type) {
    case DeviceType::discrete_gpu: return 4;
    case DeviceType::integrated_gpu: return 3;
    case DeviceType::virtual_gpu: return 2;
    case DeviceType::other: return 1;
    case DeviceType::software: return 0;
  }
  return 0;
}

std::string listed(const std::vector<DeviceInfo>& devices) {
  std::string out;
  for (const auto& d : devices) out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", d.index, d.name);
  return out;
}

}  // namespace

Result<uint32_t> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector) {
  if (devices.empty())
    return unsupported(
        "No Vulkan device was found. Install the graphics driver of your GPU, or Mesa's software device "
        "(package mesa-vulkan-drivers on Debian).");
  const std::string wanted = lower_case(selector);
  const bool is_index = !wanted.empty() && std::ranges::all_of(wanted, [](char c) { return c >= '0' && c <= '9'; });
  const bool is_cpu = wanted == "cpu";
  size_t index = devices.size();
  if (is_index) std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);

  std::vector<uint32_t> matches;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const bool match = is_index ? i == index
                       : is_cpu ? devices[i].type == DeviceType::software
                                : lower_case(devices[i].name).find(wanted) != std::string::npos;
    if (match) matches.push_back(i);
  }
  if (matches.empty() && is_cpu)
    return unsupported(
        fmt::format("There is no software Vulkan device for \"cpu\" (package mesa-vulkan-drivers on Debian "
                    "has one). Devices: {}.",
                    listed(devices)));
  if (matches.empty())
    return unsupported(fmt::format("No device matches \"{}\". Give an index, part of a name, or \"cpu\". Devices: {}.",
                                   selector, listed(devices)));
  const auto slower = [&](uint32_t a, uint32_t b) {
    const auto rank = [&](uint32_t i) {
      return std::tuple(devices[i].unsuitable.empty(), speed_class(devices[i].type),
                        devices[i].limits.device_memory_bytes);
    };
    return rank(a) < rank(b);
  };
  const uint32_t best = *std::ranges::max_element(matches, slower);  // the first of equals
  if (!devices[best].unsuitable.empty())
    return unsupported(fmt::format("Device {} ({}) cannot be used: {}.", devices[best].index, devices[best].name,
                                   devices[best].unsuitable));
  return best;
}

}  // namespace attnscope::vulkan
