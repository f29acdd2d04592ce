// hwmon and the files of a driver below a PCI device in sysfs.
#include <charconv>
#include <fstream>

#include "engine/telemetry/source.hpp"

namespace attnscope::telemetry {
namespace {

namespace fs = std::filesystem;
constexpr uint32_t kNvidia = 0x10de;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}
std::optional<double> number_in(const fs::path& file, double scale = 1) {
  if (file.empty()) return std::nullopt;
  const std::string line = first_line(file);
  double x = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), x);
  return error == std::errc() && end != line.data() ? std::optional(x * scale) : std::nullopt;
}
/// The first of these that can be read; "" = none.
fs::path first_of(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (number_in(folder / name)) return folder / name;
  return {};
}
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, none)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Names of the reasons in i915 and xe, by the end of the file's name.
struct SysfsReason {
  const char *file, *words;
};
constexpr SysfsReason kSysfsReasons[] = {{"pl1", "power"},
                                         {"pl2", "power"},
                                         {"pl4", "power"},
                                         {"thermal", "temperature"},
                                         {"prochot", "temperature"},
                                         {"ratl", "temperature"},
                                         {"vr_thermalert", "temperature"},
                                         {"vr_tdc", "current"}};

class Sysfs final : public Source {
 public:
  explicit Sysfs(const fs::path& device) {
    for (const fs::path& hwmon : folders_in(device / "hwmon")) {
      driver_ = first_line(hwmon / "name");
      watts_ = first_of(hwmon, {"power1_average", "power1_input"});
      joules_ = first_of(hwmon, {"energy1_input"});
      // xe has the card's under 1 and the package's under 2; temp1 is not there.
      if (joules_.empty()) joules_ = first_of(hwmon, {"energy2_input"});
      celsius_ = first_of(hwmon, {"temp1_input", "temp2_input"});
      clock_hz_ = first_of(hwmon, {"freq1_input"});
      memory_clock_hz_ = first_of(hwmon, {"freq2_input"});
    }
    // i915: below the card; xe: below the device.
    for (const fs::path& card : folders_in(device / "drm")) {
      for (const char* gt : {"gt/gt0", "gt"}) {
        if (clock_mhz_.empty()) clock_mhz_ = first_of(card / gt, {"rps_act_freq_mhz"});
        if (reasons_.empty() && fs::exists(card / gt / "throttle_reason_pl1"))
          reasons_ = card / gt / "throttle_reason_";
      }
      if (clock_mhz_.empty()) clock_mhz_ = first_of(card, {"gt_act_freq_mhz"});
    }
    const fs::path xe = device / "tile0" / "gt0" / "freq0";
    if (clock_mhz_.empty()) clock_mhz_ = first_of(xe, {"act_freq"});
    if (reasons_.empty() && fs::exists(xe / "throttle" / "reason_pl1")) reasons_ = xe / "throttle" / "reason_";
  }
  bool any() const {
    return !watts_.empty() || !joules_.empty() || !celsius_.empty() || !clock_hz_.empty() || !clock_mhz_.empty();
  }
  std::string name() const override { return driver_.empty() ? "sysfs" : driver_; }
  Reading read() override {
    Reading r;
    r.watts = number_in(watts_, 1e-6);
    r.joules = number_in(joules_, 1e-6);
    r.celsius = number_in(celsius_, 1e-3);
    r.clock_mhz = clock_mhz_.empty() ? number_in(clock_hz_, 1e-6) : number_in(clock_mhz_);
    r.memory_clock_mhz = number_in(memory_clock_hz_, 1e-6);
    if (reasons_.empty()) return r;
    for (const SysfsReason& reason : kSysfsReasons)
      if (number_in(reasons_.string() + reason.file).value_or(0) != 0 &&
          std::find(r.throttled.begin(), r.throttled.end(), reason.words) == r.throttled.end())
        r.throttled.emplace_back(reason.words);
    return r;
  }

 private:
  std::string driver_;
  fs::path watts_, joules_, celsius_, clock_hz_, memory_clock_hz_, clock_mhz_, reasons_;
};

}  // namespace

std::unique_ptr<Source> find_source(const Identity& id, const Places& places) {
  if (id.vendor_id == kNvidia)
    if (auto nvml = find_nvml(id, places.nvml)) return nvml;
  if (id.pci.empty()) return nullptr;
  auto sysfs = std::make_unique<Sysfs>(places.sys / "bus" / "pci" / "devices" / id.pci);
  return sysfs->any() ? std::move(sysfs) : nullptr;
}

}  // namespace attnscope::telemetry
