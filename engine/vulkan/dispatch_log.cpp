// Dispatches on the host's clock, and where the device sits.

#include "engine/clock.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

/// Ticks from `b` to `a`, either way round, of a counter with so many bits.
double ticks_between(uint64_t a, uint64_t b, uint32_t bits) {
  if (bits >= 64) return static_cast<double>(static_cast<int64_t>(a - b));
  const uint64_t size = uint64_t{1} << bits, d = (a - b) & (size - 1);
  return d >= size / 2 ? -static_cast<double>(size - d) : static_cast<double>(d);
}

/// Ticks and ns of this moment; nullopt when the driver fails.
std::optional<std::pair<uint64_t, int64_t>> calibrate(const LogicalDevice& device) {
  std::array<VkCalibratedTimestampInfoKHR, 2> infos{
      vk_struct<VkCalibratedTimestampInfoKHR>(VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR),
      vk_struct<VkCalibratedTimestampInfoKHR>(VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR)};
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_KHR;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR;
  std::array<uint64_t, 2> stamps{};
  uint64_t deviation = 0;
  const auto get = device.vk.vkGetCalibratedTimestampsKHR ? device.vk.vkGetCalibratedTimestampsKHR
                                                          : device.vk.vkGetCalibratedTimestampsEXT;
  if (get == nullptr || get(device.device, 2, infos.data(), stamps.data(), &deviation) != VK_SUCCESS)
    return std::nullopt;
  return std::pair{stamps[0], static_cast<int64_t>(stamps[1])};
}

}  // namespace

void DispatchLog::add(const std::string& name, const std::vector<uint64_t>& ticks) {
  const int64_t now = now_ns();
  const std::lock_guard lock(mutex);
  if (!anchor && !ticks.empty()) anchor = {ticks.back(), now};
  for (size_t i = 0; i + 1 < ticks.size(); i += 2)
    if (entries.size() < kMost)
      entries.push_back({name, ticks[i], ticks[i + 1]});
    else
      ++left_out;
}

Dispatches Device::take_dispatches() const {
  Dispatches out;
  if (!state_->log) return out;
  DispatchLog& log = *state_->log;
  const std::lock_guard lock(log.mutex);
  if (log.calibrated && !log.entries.empty()) {
    if (const auto now = calibrate(*state_))
      log.anchor = now;
    else
      log.calibrated = false;
  }
  out.calibrated = log.calibrated;
  out.left_out = std::exchange(log.left_out, 0);
  const DeviceLimits& limits = info().limits;
  const auto on_host = [&](uint64_t ticks) {
    const double ns = ticks_between(ticks, log.anchor->first, limits.timestamp_valid_bits) * limits.timestamp_period_ns;
    return log.anchor->second + static_cast<int64_t>(ns);
  };
  for (DispatchLog::Entry& e : log.entries) out.spans.push_back({std::move(e.name), on_host(e.begin), on_host(e.end)});
  log.entries.clear();
  return out;
}

const char* calibration_extension(VkPhysicalDevice physical) {
  const std::vector<std::string> has = device_extensions(physical);
  for (const char* name : {VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME}) {
    if (std::find(has.begin(), has.end(), name) == has.end()) continue;
    const auto list = std::string_view(name) == VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME
                          ? vkGetPhysicalDeviceCalibrateableTimeDomainsKHR
                          : vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
    uint32_t count = 0;
    if (list == nullptr || list(physical, &count, nullptr) != VK_SUCCESS) continue;
    std::vector<VkTimeDomainKHR> domains(count);
    if (list(physical, &count, domains.data()) != VK_SUCCESS) continue;
    const auto can = [&](VkTimeDomainKHR d) { return std::find(domains.begin(), domains.end(), d) != domains.end(); };
    if (can(VK_TIME_DOMAIN_DEVICE_KHR) && can(VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR)) return name;
  }
  return nullptr;
}

std::string Device::pci_address() const {
  const std::vector<std::string> has = device_extensions(state_->physical);
  if (std::find(has.begin(), has.end(), VK_EXT_PCI_BUS_INFO_EXTENSION_NAME) == has.end()) return {};
  auto pci =
      vk_struct<VkPhysicalDevicePCIBusInfoPropertiesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  auto p = vk_struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  p.pNext = &pci;
  vkGetPhysicalDeviceProperties2(state_->physical, &p);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
}

}  // namespace attnscope::vulkan
