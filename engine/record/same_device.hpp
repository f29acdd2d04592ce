// The identity of a device, for runs, pins and searches.
#pragma once

#include "engine/device_info.hpp"

namespace attnscope {

/// Equal for records of one device under one driver, and only for those: by its UUID, and where that is not known by
/// its index. An index alone says nothing beyond one machine, and changes when a device is added to it. A software
/// device has the same UUID on every machine: it is one device with all of its kind.
std::string device_key(const DeviceInfo&);
bool same_device(const DeviceInfo&, const DeviceInfo&);

}  // namespace attnscope
