#include "engine/session/stamp.hpp"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace attnscope {

Environment stamp(const DeviceInfo& device) {
  Environment e;
  e.device = device;
  e.program_version = ATTNSCOPE_VERSION;
  e.time_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  // No node name: a record may be published.
  if (utsname os{}; ::uname(&os) == 0) e.host_os = fmt::format("{} {} {}", os.sysname, os.release, os.machine);
  return e;
}

std::string running_machine() {
  // Of the kernel's start: containers of one machine share it, as they do its devices.
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace attnscope
