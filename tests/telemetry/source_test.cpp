// Sensors: NVML by a library that stands for it, drivers in sysfs by a made tree, and what readings come to.
#include "engine/telemetry/source.hpp"
#include "tests/has.hpp"

namespace attnscope::telemetry::source_test {

constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kIntel = 0x8086;
const std::string kPci = "0000:65:00.0";

TEST(Telemetry, NvmlIsFoundByUuidAndByPciAddressAndWithoutALibraryOrAFolderThereIsNone) {
  const Places places{.nvml = ATTNSCOPE_FAKE_NVML};
  EXPECT_EQ(find_source({kNvidia, "0123456789abcdef0123456789abcdef", ""}, places), nullptr);
  EXPECT_NE(find_source({kNvidia, "", kPci}, places), nullptr);
  const auto source = must(find_source({kNvidia, "00112233445566778899aabbccddeeff", ""}, places));
  EXPECT_EQ(source->name(), "NVML");
  const Reading a = source->read(), b = source->read();
  EXPECT_DOUBLE_EQ(*a.watts, 412.5);
  EXPECT_DOUBLE_EQ(*b.joules - *a.joules, 30);
  EXPECT_EQ(std::tuple(a.clock_mhz, a.memory_clock_mhz, a.celsius, a.throttled),
            std::tuple(1980, 3201, 61, (std::vector<std::string>{"power", "temperature"})));
  const TempDir dir;
  EXPECT_EQ(find_source({kNvidia, "", kPci}, {.nvml = dir.path() / "none.so", .sys = dir.path()}), nullptr);
  EXPECT_EQ(find_source({kAmd, "", ""}, {.sys = dir.path()}), nullptr);
}

TEST(Telemetry, DriversAreReadFromTheirOwnFiles) {
  struct Case {
    const char* name;
    uint32_t vendor;
    std::map<std::string, const char*> files;
    Reading says;
  };
  const TempDir dir;  // of all of them: each is found by its address
  int slot = 0;
  for (const Case& c : {Case{"amdgpu",
                             kAmd,
                             {{"hwmon/hwmon3/name", "amdgpu"},
                              {"hwmon/hwmon3/power1_average", "245000000"},
                              {"hwmon/hwmon3/temp1_input", "66000"},
                              {"hwmon/hwmon3/freq1_input", "2304000000"},
                              {"hwmon/hwmon3/freq2_input", "1249000000"}},
                             {.watts = 245, .clock_mhz = 2304, .memory_clock_mhz = 1249, .celsius = 66}},
                        Case{"i915",
                             kIntel,
                             {{"hwmon/hwmon1/name", "i915"},
                              {"hwmon/hwmon1/energy1_input", "5000000"},
                              {"drm/card1/gt/gt0/rps_act_freq_mhz", "1300"},
                              {"drm/card1/gt/gt0/throttle_reason_pl1", "1"},
                              {"drm/card1/gt/gt0/throttle_reason_pl2", "1"},
                              {"drm/card1/gt/gt0/throttle_reason_thermal", "0"}},
                             {.joules = 5, .clock_mhz = 1300, .throttled = {"power"}}},
                        Case{"xe",
                             kIntel,
                             {{"hwmon/hwmon2/name", "xe"},
                              {"hwmon/hwmon2/energy2_input", "7000000"},
                              {"tile0/gt0/freq0/act_freq", "2400"},
                              {"tile0/gt0/freq0/throttle/reason_pl1", "0"},
                              {"tile0/gt0/freq0/throttle/reason_thermal", "1"}},
                             {.joules = 7, .clock_mhz = 2400, .throttled = {"temperature"}}}}) {
    SCOPED_TRACE(c.name);
    const std::string pci = fmt::format("0000:0{}:00.0", ++slot);
    for (const auto& [file, text] : c.files)
      write_file(dir.path() / "bus/pci/devices" / pci / file, std::string(text) + "\n");
    const auto source = must(find_source({c.vendor, "", pci}, {.sys = dir.path()}));
    EXPECT_EQ(source->name(), c.name);
    const Reading r = source->read();
    EXPECT_EQ(std::tie(r.watts, r.joules, r.celsius, r.clock_mhz, r.memory_clock_mhz, r.throttled),
              std::tie(c.says.watts, c.says.joules, c.says.celsius, c.says.clock_mhz, c.says.memory_clock_mhz,
                       c.says.throttled));
  }
}

Reading reading(double joules) { return {.watts = 100, .joules = joules, .clock_mhz = 1000}; }

TEST(Telemetry, TheCounterTellsThePowerBetweenItsMoves) {
  Summary s;
  // It moves each 0.1 s, by 50 J; before its first move and after its last one nothing is known.
  for (int i = 0; i < 40; ++i) s.add(reading(1000 + 50 * (i / 4)), 0.025 * i);
  const Telemetry t = s.of("NVML", 1000, 0.95, 1.0);
  EXPECT_NEAR(*t.watts, 500, 1e-6);
  EXPECT_NEAR(*t.joules, 0.5, 1e-6);
  EXPECT_EQ(t.readings, 40u);
  EXPECT_NEAR(t.seconds, 0.975, 1e-9);
  EXPECT_EQ(t.clock_mhz, 1000);
  EXPECT_FALSE(s.of("NVML", 1000, 0.5, 1.0).joules) << "half of the time it was idle";
}

TEST(Telemetry, TooFewMovesTellThePowerAloneAndNoEnergy) {
  Summary s;
  for (int i = 0; i < 4; ++i) s.add(reading(1000 + i / 2), 0.025 * i);
  const Telemetry t = s.of("NVML", 10, 0.1, 0.1);
  EXPECT_EQ(t.watts, 100);
  EXPECT_FALSE(t.joules);
  // A device without a counter has energy where its readings go on for long enough.
  Summary slow;
  for (int i = 0; i < 80; ++i) {
    Reading r = reading(0);
    r.joules.reset();
    if (i % 4 == 0) r.throttled = {"power"};
    r.celsius = 50 + i % 3;
    slow.add(r, 0.025 * i);
  }
  const Telemetry whole = slow.of("amdgpu", 20, 2, 2);
  EXPECT_NEAR(*whole.joules, 10, 1e-9);
  EXPECT_EQ(whole.celsius, 52);
  EXPECT_EQ(throttled_text(whole), "power (25 %)");
  EXPECT_EQ(sensors_text({"NVML", 2, 80, 412.5, 0.00193, 1755, {}, 61, {}}),
            "412 W, 1.93 mJ an execution, 1755 MHz, 61 °C");
}

TEST(Telemetry, AWatchReadsUntilItIsStopped) {
  struct Counting final : Source {
    std::string name() const override { return "counting"; }
    Reading read() override {
      ++count;
      return reading(double(count));
    }
    uint64_t count = 0;
  } source;
  Watch watch(source);
  const Telemetry t = watch.stop().of(source.name(), 1, 1, 1);
  EXPECT_GE(t.readings, 2u);
  EXPECT_EQ(t.readings, source.count);
  EXPECT_EQ(t.source, "counting");
}

}  // namespace attnscope::telemetry::source_test
