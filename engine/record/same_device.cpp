#include "engine/record/same_device.hpp"

namespace attnscope {

std::string device_key(const DeviceInfo& d) {
  return fmt::format("{}|{}|{}", d.name, d.driver, d.device_uuid.empty() ? std::to_string(d.index) : d.device_uuid);
}

bool same_device(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name && a.driver == b.driver && a.device_uuid == b.device_uuid &&
         (!a.device_uuid.empty() || a.index == b.index);
}

}  // namespace attnscope
