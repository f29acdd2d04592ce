// Stands for NVIDIA's library: one device, whose counter rises by 30 J a reading.
#include <cstring>

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int one;
  *device = &one;
  return std::strcmp(uuid, "GPU-00112233-4455-6677-8899-aabbccddeeff") == 0 ? 0 : 6;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** device) {
  static int one;
  *device = &one;
  return std::strcmp(pci, "0000:65:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 412'500;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  static unsigned long long counter = 1'000'000;
  *millijoules = counter += 30'000;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1980 : 3201;
  return kind == 1 || kind == 2 ? 0 : 2;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 61;
  return 0;
}
// As drivers before 535 call it.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4 | 0x40;
  return 0;
}
}
