// A device's ceilings on disk: one file for each device and driver.
#pragma once

#include <filesystem>

#include "engine/device_info.hpp"
#include "engine/insight/peaks.hpp"

namespace attnscope {

class PeaksStore {
 public:
  /// Empty: keeps nothing.
  explicit PeaksStore(std::filesystem::path dir) : dir_(std::move(dir)) {}
  /// Those of this device under this driver, by this program's kernels. `note`: a file could not be read.
  std::optional<Peaks> load(const DeviceInfo&, std::string& note) const;
  /// Replaces the file as a whole. "" or why not.
  std::string store(const DeviceInfo&, const Peaks&) const;
  std::filesystem::path file_of(const DeviceInfo&) const;

 private:
  std::filesystem::path dir_;
};

}  // namespace attnscope
