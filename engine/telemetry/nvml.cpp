// NVML's functions by name: the driver brings the library, and no header of it is needed to build.

#include "engine/telemetry/source.hpp"

namespace attnscope::telemetry {
namespace {

using Device = void*;
constexpr int kOk = 0, kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

/// Bits of nvmlDeviceGetCurrentClocksEventReasons that slow the device; being idle does not.
struct Reason {
  unsigned long long bits;
  const char* words;
};
constexpr std::array kReasons{Reason{0x04, "power"},          Reason{0x60, "temperature"},
                              Reason{0x80, "power brake"},    Reason{0x08, "hardware slowdown"},
                              Reason{0x10, "sync boost"},     Reason{0x02, "application clocks"},
                              Reason{0x100, "display clocks"}};

/// The functions that are used, and the library that they are of.
struct Functions {
  explicit Functions(const std::string& file) : library(file) {
    library.find(init, "nvmlInit_v2");
    library.find(shutdown, "nvmlShutdown");
    library.find(by_uuid, "nvmlDeviceGetHandleByUUID");
    library.find(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(power, "nvmlDeviceGetPowerUsage");
    library.find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    library.find(clock, "nvmlDeviceGetClockInfo");
    library.find(temperature, "nvmlDeviceGetTemperature");
    library.find(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons == nullptr) library.find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // before driver 535
    ready = init != nullptr && shutdown != nullptr && init() == kOk;
  }
  ~Functions() {
    if (ready) shutdown();
  }

  const Library library;
  bool ready = false;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  int (*by_pci)(const char*, Device*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;             // mW
  int (*energy)(Device, unsigned long long*) = nullptr;  // mJ
  int (*clock)(Device, int kind, unsigned*) = nullptr;   // MHz
  int (*temperature)(Device, int, unsigned*) = nullptr;  // °C
  int (*reasons)(Device, unsigned long long*) = nullptr;
};

class Nvml final : public Source {
 public:
  Nvml(std::unique_ptr<Functions> library, Device device) : library_(std::move(library)), device_(device) {}
  std::string name() const override { return "NVML"; }
  Reading read() override {
    Reading r;
    unsigned x = 0;
    unsigned long long wide = 0;
    const Functions& l = *library_;
    if (l.power != nullptr && l.power(device_, &x) == kOk) r.watts = x / 1e3;
    if (l.energy != nullptr && l.energy(device_, &wide) == kOk) r.joules = double(wide) / 1e3;
    if (l.clock != nullptr && l.clock(device_, kSmClock, &x) == kOk) r.clock_mhz = x;
    if (l.clock != nullptr && l.clock(device_, kMemoryClock, &x) == kOk) r.memory_clock_mhz = x;
    if (l.temperature != nullptr && l.temperature(device_, kGpuTemperature, &x) == kOk) r.celsius = x;
    if (l.reasons != nullptr && l.reasons(device_, &wide) == kOk)
      for (const Reason& reason : kReasons)
        if ((wide & reason.bits) != 0) r.throttled.emplace_back(reason.words);
    return r;
  }

 private:
  std::unique_ptr<Functions> library_;
  Device device_;
};

}  // namespace

std::unique_ptr<Source> find_nvml(const Identity& id, const std::string& file) {
  auto library = std::make_unique<Functions>(file);
  if (!library->ready) return nullptr;
  Device device = nullptr;
  bool found = false;
  if (id.uuid.size() == 32 && library->by_uuid != nullptr) {
    const auto part = [&](size_t at, size_t count) { return id.uuid.substr(at, count); };
    const std::string uuid =
        fmt::format("GPU-{}-{}-{}-{}-{}", part(0, 8), part(8, 4), part(12, 4), part(16, 4), part(20, 12));
    found = library->by_uuid(uuid.c_str(), &device) == kOk;
  }
  if (!found && !id.pci.empty() && library->by_pci != nullptr) found = library->by_pci(id.pci.c_str(), &device) == kOk;
  if (!found) return nullptr;
  return std::make_unique<Nvml>(std::move(library), device);
}

}  // namespace attnscope::telemetry
