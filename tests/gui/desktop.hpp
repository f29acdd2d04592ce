// A display of the test's own (Xvfb), the real window on it, and a hand (xdotool).
#pragma once

#include <nlohmann/json.hpp>

#include "tests/child.hpp"

namespace attnscope::gui {

using nlohmann::json;

/// Xvfb on the first free display; `name()` is empty when it did not start.
class Display {
 public:
  explicit Display(const fs::path& dir) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    xvfb_ = std::make_unique<Child>(std::vector<std::string>{"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen",
                                                             "0", "1280x800x24", "-nolisten", "tcp", "-noreset"},
                                    std::vector<std::pair<std::string, std::string>>{}, fs::path(),
                                    Child::Streams{dir / "xvfb.log", {}, ends[1]});
    ::close(ends[1]);
    char number[16]{};
    size_t have = 0;
    // Ends with the newline, or with Xvfb.
    while (have + 1 < sizeof number && ::read(ends[0], number + have, 1) == 1 && number[have] != '\n') ++have;
    ::close(ends[0]);
    if (have > 0) name_ = ":" + std::string(number, have);
  }
  const std::string& name() const { return name_; }

 private:
  std::unique_ptr<Child> xvfb_;
  std::string name_;
};

inline json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
}

/// Seconds for anything that a loaded machine has to get done.
constexpr double kPatience = 120;

/// The real window on the software device, in a display, a folder and with caches of its own. The folder stays when the
/// test fails. Skipped, with the reason, where there is no display or hand to be had.
struct DesktopTest : testing::Test {
  fs::path dir;
  std::unique_ptr<Display> display;
  std::unique_ptr<Child> window;

  void SetUp() override {
    for (const char* needed : {"Xvfb", "xdotool"})
      if (!in_path(needed)) GTEST_SKIP() << needed << " is not installed: there is no display, or nothing can click";
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir = fs::temp_directory_path() /
          ("attnscope-" + std::to_string(::getpid()) + "-" + test->test_suite_name() + "-" + test->name());
    fs::create_directories(dir);
    display = std::make_unique<Display>(dir);
    ASSERT_FALSE(display->name().empty()) << read_file(dir / "xvfb.log");
  }
  void TearDown() override {
    window.reset();
    display.reset();
    if (HasFailure() || dir.empty()) return;
    // A worker that ends by itself once its window is gone may still write its caches.
    std::error_code error;
    soon([&] { return fs::remove_all(dir, error), !error; });
  }

  /// Opens the window, with settings of its own only where `arguments` name some.
  void open_window(const std::string& script, std::vector<std::string> arguments) {
    std::ofstream(dir / "script.txt") << script;
    if (!contains(arguments, "--settings")) arguments.insert(arguments.end(), {"--settings", "-"});
    arguments.insert(arguments.begin(), {"--device", "cpu", "--script", (dir / "script.txt").string()});
    start(arguments,
          {{"DISPLAY", display->name()}, {"XDG_CACHE_HOME", dir / "cache"}, {"XDG_DATA_HOME", dir / "data"}});
  }
  void start(std::vector<std::string> arguments, const std::vector<std::pair<std::string, std::string>>& environment) {
    arguments.insert(arguments.begin(), ATTNSCOPE_EXECUTABLE);
    window = std::make_unique<Child>(arguments, environment, dir, Child::Streams{dir / "window.log"});
  }

  /// What the window printed.
  std::string said() const { return read_file(dir / "window.log"); }
  /// What it dumped last into state.json.
  json state() const { return read_json(dir / "state.json"); }

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
  /// The same, and without it the test ends with what the window printed and dumped.
  json see(const std::function<bool(const json&)>& wanted, double seconds = kPatience) {
    json s = until(wanted, seconds);
    if (s.is_null()) throw std::runtime_error("it never came to be. " + said() + state().dump(1).substr(0, 6000));
    return s;
  }
  /// The state with a widget that answers and stays where it is: what a click leads to may still move it.
  json shows(const std::string& widget) {
    json last;
    return until([&](const json& s) {
      if (!s["widgets"].contains(widget) || s["widgets"][widget]["enabled"] != true) return false;
      const json now = {s["widgets"][widget], s["frames"]["count"]};
      const bool still = last.is_array() && last[0] == now[0] && last[1] != now[1];
      last = now;
      return still;
    });
  }
  /// The middle of a widget, as xdotool takes it.
  static std::string at(const json& s, const std::string& widget) {
    const json& w = s["widgets"][widget];
    return std::to_string(int(w["x"].get<double>() + w["w"].get<double>() / 2)) + " " +
           std::to_string(int(w["y"].get<double>() + w["h"].get<double>() / 2));
  }
  /// Events as xdotool takes them.
  void hand(const std::string& events) {
    const std::string command = "DISPLAY=" + display->name() + " timeout 60 xdotool " + events;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  /// Ended by its keys.
  void quit() {
    hand("key ctrl+q");
    EXPECT_EQ(window->wait(30), 0) << said();
  }
  /// Slow enough for a window of few frames a second to see the press and the release.
  void click(const std::string& widget, int button = 1) {
    const json s = shows(widget);
    ASSERT_FALSE(s.is_null()) << widget << " is not on screen. " << said();
    const std::string b = std::to_string(button);
    hand("mousemove " + at(s, widget) + " sleep 0.3 mousedown " + b + " sleep 0.2 mouseup " + b);
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
  /// So many samples of what is asked for, verified.
  static bool sampled(const json& s, int count) {
    return s["live"]["current"] == true && s["live"]["timed"] == true && s["live"]["samples"] >= count &&
           s["live"].contains("verdict");
  }
};

}  // namespace attnscope::gui
