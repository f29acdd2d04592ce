// The real window on a display of its own, driven by real events; measured by real workers on the software device.
#include <memory>

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

constexpr double kPatience = 90;  ///< seconds for anything that a loaded machine has to get done

class Window : public testing::Test {
 protected:
  fs::path dir;
  std::unique_ptr<Display> display;
  std::unique_ptr<Child> window;
  std::string problem = "1x4x64x32";

  void SetUp() override {
    if (!in_path("Xvfb")) GTEST_SKIP() << "Xvfb is not installed, so there is no display to open a window on";
    dir = fs::temp_directory_path() / ("attnscope-window-" + std::to_string(::getpid()) + "-" +
                                       testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(dir);
    display = std::make_unique<Display>(dir);
    ASSERT_FALSE(display->name().empty()) << read_file(dir / "xvfb.log");
  }
  void TearDown() override {
    window.reset();
    display.reset();
    if (!HasFailure() && !dir.empty()) fs::remove_all(dir);
  }

  void open(const std::string& script, const std::vector<std::string>& more = {}) {
    std::ofstream(dir / "script.txt") << script;
    std::vector<std::string> argv = {ATTNSCOPE_EXECUTABLE, "--device",   "cpu",  "--settings", "-",
                                     "--problem",          problem,      "--variant", "tiled", "--script",
                                     (dir / "script.txt").string()};
    argv.insert(argv.end(), more.begin(), more.end());
    window = std::make_unique<Child>(
        argv, std::vector<std::pair<std::string, std::string>>{{"DISPLAY", display->name()}, {"XDG_CACHE_HOME", (dir / "cache").string()}},
        dir, dir / "window.log");
  }
  std::string said() { return read_file(dir / "window.log"); }
  json state() { return read_json(dir / "state.json"); }

  /// Waits until the dumped state is as wanted; null when that does not happen.
  json until(const std::function<bool(const json&)>& wanted, double seconds = kPatience) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < limit && window->wait(0) == -1) {
      const json s = state();
      if (s.is_object() && wanted(s)) return s;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
  }
  static bool sampled(const json& s, int count) {
    return s["live"]["current"] == true && s["live"]["samples"] >= count && s["live"].contains("verdict");
  }
  void hand(const std::string& events) {
    const std::string command = "DISPLAY=" + display->name() + " timeout 20 xdotool " + events;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  static std::string at(const json& s, const std::string& widget) {
    const json& w = s["widgets"][widget];
    return std::to_string(int(w["x"].get<double>() + w["w"].get<double>() / 2)) + " " +
           std::to_string(int(w["y"].get<double>() + w["h"].get<double>() / 2));
  }
  /// Another legal value of BLOCK_M than the present one.
  static int another_block_m(const json& s) {
    const int now = s["ask"]["config"]["BLOCK_M"];
    for (const auto& [id, w] : s["widgets"].items()) {
      const std::string prefix = "param.BLOCK_M.";
      if (!id.starts_with(prefix) || id.ends_with("label") || w["enabled"] == false) continue;
      if (const int value = std::stoi(id.substr(prefix.size())); value != now) return value;
    }
    return 0;
  }
};

TEST_F(Window, ADragWithTheMouseChangesBlockMWhichIsVerifiedAndSampledAnew) {
  if (!in_path("xdotool")) GTEST_SKIP() << "xdotool is not installed, so nothing can click";
  open("dump state.json every=0.2\n");
  const json before = until([](const json& s) { return sampled(s, 20); });
  ASSERT_FALSE(before.is_null()) << said() << state().dump(1).substr(0, 3000);
  const int was = before["ask"]["config"]["BLOCK_M"], wanted = another_block_m(before);
  ASSERT_NE(wanted, 0);
  const std::string from = at(before, "param.BLOCK_M." + std::to_string(was)), to = at(before, "param.BLOCK_M." + std::to_string(wanted));
  hand("mousemove " + from + " sleep 0.3 mousedown 1 sleep 0.3 mousemove " + to + " sleep 0.3 mouseup 1");
  const json after = until([&](const json& s) {
    return s["ask"]["config"]["BLOCK_M"] == wanted && s["live"]["config"]["BLOCK_M"] == wanted && sampled(s, 20);
  });
  ASSERT_FALSE(after.is_null()) << said() << state()["ask"] << state()["live"];
  EXPECT_EQ(after["live"]["verdict"]["pass"], true);
  EXPECT_EQ(after["tried"].size(), 1u) << "the config before went into the session log";

  hand("key ctrl+s");
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(dir / "attnscope-window.png") && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GT(fs::exists(dir / "attnscope-window.png") ? fs::file_size(dir / "attnscope-window.png") : 0, 20000u);
  hand("key ctrl+z");
  EXPECT_FALSE(until([&](const json& s) { return s["ask"]["config"]["BLOCK_M"] == was; }).is_null()) << "Ctrl+Z takes it back";
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(15), 0) << said();
}

TEST_F(Window, AKilledWorkerIsSaidAndTheNextConfigIsMeasured) {
  if (!in_path("xdotool")) GTEST_SKIP() << "xdotool is not installed, so nothing can click";
  open("dump state.json every=0.2\n");
  const json before = until([](const json& s) { return sampled(s, 20); });
  ASSERT_FALSE(before.is_null()) << said();
  const auto workers = children_of(window->pid(), "worker");
  ASSERT_EQ(workers.size(), 1u);
  ASSERT_EQ(::kill(workers[0], SIGKILL), 0);
  const json lost = until([](const json& s) { return s["live"]["failure"] != ""; });
  ASSERT_FALSE(lost.is_null()) << said();
  EXPECT_NE(lost["live"]["failure"].get<std::string>().find("signal 9"), std::string::npos) << lost["live"]["failure"];
  EXPECT_EQ(lost["log"].back()["level"], "error");
  const int wanted = another_block_m(lost);
  hand("mousemove " + at(lost, "param.BLOCK_M." + std::to_string(wanted)) + " sleep 0.3 mousedown 1 sleep 0.2 mouseup 1");
  const json next = until([&](const json& s) { return s["live"]["config"]["BLOCK_M"] == wanted && sampled(s, 20); });
  ASSERT_FALSE(next.is_null()) << said() << state()["live"];
  EXPECT_EQ(next["live"]["verdict"]["pass"], true);
  const auto now = children_of(window->pid(), "worker");
  ASSERT_EQ(now.size(), 1u);
  EXPECT_NE(now[0], workers[0]);
}

TEST_F(Window, AShaderThatNeverEndsIsEndedAndTheNextConfigIsMeasured) {
  // Not one endless loop, which llvmpipe leaves after 65,535 turns, but more work than anyone waits for.
  fs::create_directories(dir / "more" / "endless");
  std::ofstream(dir / "more" / "endless" / "manifest.toml") << R"(
title = "Endless"
summary = "Does not come back."
dtypes = ["f32"]
[[parameter]]
name = "ROUNDS"
meaning = "how long"
values = [1000]
[[pass]]
name = "spin"
shader = "spin.comp"
grid = ["total_q * ROUNDS", "heads_q"]
constants = { WORKGROUP = "1024" }
)";
  std::ofstream(dir / "more" / "endless" / "spin.comp") << R"(#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 1024;
layout(constant_id = 1) const uint ROUNDS = 1000;
#include "common/bindings.glsl"
OUTPUT(o, BINDING_O)
void main() {
    float x = float(gl_GlobalInvocationID.x);
    for (uint a = 0; a < ROUNDS; ++a)
        for (uint b = 0; b < ROUNDS; ++b)
            [[unroll]] for (uint c = 0; c < 64; ++c)
                x = sin(x + float(a ^ b) + float(c));
    if (gl_GlobalInvocationID.xy == uvec2(0))
        store4_o(0, 0, 4, vec4(x));
}
)";
  open("dump state.json every=0.2\n"
       "wait samples 10 timeout=90\n"
       "variant endless\nwait failure timeout=120\n"
       "dump lost.json\n"
       "variant tiled\nwait verified timeout=90\nwait samples 20 timeout=90\n"
       "dump after.json\nquit\n",
       {"--shaders", (dir / "more").string(), "--deadline", "4"});
  EXPECT_EQ(window->wait(300), 0) << said();
  const json lost = read_json(dir / "lost.json"), after = read_json(dir / "after.json");
  ASSERT_TRUE(lost.is_object() && after.is_object()) << said();
  EXPECT_NE(lost["live"]["failure"].get<std::string>().find("deadline"), std::string::npos) << lost["live"]["failure"];
  EXPECT_EQ(lost["live"]["variant"], "endless");
  EXPECT_EQ(after["live"]["variant"], "tiled");
  EXPECT_EQ(after["live"]["verdict"]["pass"], true);
  EXPECT_GT(after["frames"]["count"].get<int>(), lost["frames"]["count"].get<int>());
}

TEST_F(Window, AWorkerBehindAnotherCommandGivesTheSameVerdictAndSamples) {
  const std::string command = "sh -c 'exec " + std::string(ATTNSCOPE_EXECUTABLE) + " worker'";
  open("wait verified timeout=90\nwait samples 20 timeout=90\ndump state.json\nexport results.json\nquit\n", {"--worker", command});
  EXPECT_EQ(window->wait(200), 0) << said();
  const json s = state(), results = read_json(dir / "results.json");
  ASSERT_TRUE(s.is_object() && results.is_object()) << said();
  EXPECT_EQ(s["live"]["verdict"]["pass"], true);
  EXPECT_EQ(results["records"][0]["problem"], "1x4x64x32:f32");
  EXPECT_EQ(results["records"][0]["variant"], "tiled");
  EXPECT_GE(results["records"][0]["samples_ns"].size(), 20u);
}

// Drawing and measuring share two cores here, and so may the tests beside this one: the best of three counts.
TEST_F(Window, QuietModeKeepsFramesComing) {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  if (load > 2.0 * std::thread::hardware_concurrency())
    GTEST_SKIP() << "the machine is busy with other work (load " << load << "): no frame rate of this window could be judged";
  std::string seen;
  problem = "2x4x64x32";
  for (int attempt = 0; attempt < 3; ++attempt) {
    open("wait samples 20 timeout=90\nwait seconds 1\nreset-frames\nwait seconds 5\ndump state.json\nquit\n");
    ASSERT_EQ(window->wait(200), 0) << said();
    const json frames = state()["frames"];
    EXPECT_EQ(state()["quiet"], true);
    if (frames["mean_fps"] >= 20 && frames["max_ms"] < 250 && frames["max_gap_ms"] < 250) return;
    seen += frames.dump() + "\n";
  }
  FAIL() << seen;
}

TEST_F(Window, WithoutADisplayItSaysWhatToDoInstead) {
  window = std::make_unique<Child>(std::vector<std::string>{ATTNSCOPE_EXECUTABLE, "--settings", "-"},
                                   std::vector<std::pair<std::string, std::string>>{{"DISPLAY", ":nosuch"}, {"WAYLAND_DISPLAY", ""}}, dir,
                                   dir / "window.log");
  EXPECT_EQ(window->wait(30), 3) << said();
  EXPECT_NE(said().find("attnscope screenshot"), std::string::npos) << said();
}

}  // namespace
}  // namespace attnscope::gui
