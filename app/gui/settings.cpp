#include "app/gui/settings.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/record/json.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {
namespace {

/// The member when it is there and of the right type.
template <class T>
void get(const Json& json, const char* key, T& into) {
  if (const auto at = json.find(key); at != json.end()) into = at->get<T>();
}

/// A device of another machine is not remembered as one of this.
bool own_machine_alone(const Workbench& bench) {
  return bench.known.workers.size() == 1 && bench.known.workers[0].empty();
}

}  // namespace

std::string default_settings_path() {
  if (const char* xdg = std::getenv("XDG_CONFIG_HOME"); xdg && *xdg) return std::string(xdg) + "/attnscope/window.json";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.config/attnscope/window.json";
  return "";
}

std::string load_settings(const std::string& path, Workbench& bench, Layout& layout, WindowSize& window) {
  auto text = read_text(path);
  if (!text) return "";
  auto json = parse_json(*text, path);
  if (!json) return fmt::format("The settings in {} are damaged and were not used: {}", path, json.error().message);
  try {
    const Json& j = *json;
    get(j, "left", layout.left);
    get(j, "right", layout.right);
    get(j, "bottom", layout.bottom);
    get(j, "tab", layout.tab);
    get(j, "show_pins", layout.show_pins);
    bool log = bench.view.log();
    get(j, "log_axis", log);
    bench.view.set_log(log);
    get(j, "width", window.width);
    get(j, "height", window.height);
    std::string word;
    get(j, "problem", word);
    if (auto problem = parse_problem(word)) {
      bench.asked.ask.problem = *problem;
      bench.problem_was_chosen();
    }
    get(j, "variant", bench.asked.ask.variant);
    Config config;
    get(j, "config", config);
    if (!config.empty()) bench.restore_config(config);
    if (bench.asked.device.empty() && own_machine_alone(bench)) {
      get(j, "device", bench.asked.device);
      bench.asked.device_remembered = !bench.asked.device.empty();
    }
    word = "time";
    get(j, "metric", word);
    bench.asked.metric = word == "tflops" ? Metric::tflops : word == "gbps" ? Metric::gbps : Metric::time;
    word = "hot";
    get(j, "cache", word);
    bench.asked.modes.cache = word == "cold" ? CacheMode::cold : CacheMode::hot;
    word = "isolated";
    get(j, "launch", word);
    bench.asked.modes.launch = word == "back-to-back" ? LaunchMode::back_to_back : LaunchMode::isolated;
    if (const auto quiet = j.find("quiet"); quiet != j.end() && quiet->is_boolean() && !bench.asked.quiet)
      bench.asked.quiet = quiet->get<bool>();
    std::vector<std::string> problems;
    get(j, "problems", problems);
    bench.across.set_problems({});
    for (const std::string& p : problems)
      if (auto problem = parse_problem(p)) bench.across.add(*problem);
    std::string imgui;
    get(j, "imgui", imgui);
    ImGui::LoadIniSettingsFromMemory(imgui.data(), imgui.size());
  } catch (const std::exception& e) {
    return fmt::format("The settings in {} are damaged: {}", path, e.what());
  }
  return "";
}

Result<void> save_settings(const std::string& path, const Workbench& bench, const Layout& layout,
                           const WindowSize& window) {
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  std::vector<std::string> problems;
  for (const Problem& p : bench.across.problems()) problems.push_back(to_text(p));
  Json j = {
      {"left", layout.left},
      {"right", layout.right},
      {"bottom", layout.bottom},
      {"tab", layout.tab},
      {"show_pins", layout.show_pins},
      {"log_axis", bench.view.log()},
      {"width", window.width},
      {"height", window.height},
      {"problem", to_text(bench.asked.ask.problem)},
      {"variant", bench.asked.ask.variant},
      {"config", bench.config_to_keep() ? *bench.config_to_keep() : Config{}},
      {"metric", bench.asked.metric == Metric::time     ? "time"
                 : bench.asked.metric == Metric::tflops ? "tflops"
                                                        : "gbps"},
      {"cache", to_text(bench.asked.modes.cache)},
      {"launch", to_text(bench.asked.modes.launch)},
      {"problems", problems},
      {"imgui", ImGui::SaveIniSettingsToMemory()},
  };
  if (own_machine_alone(bench) && bench.known.device && !bench.asked.device.empty())
    j["device"] = bench.known.device->name;
  if (bench.asked.quiet) j["quiet"] = *bench.asked.quiet;
  return write_text(path, dump_pretty(j) + "\n");
}

}  // namespace attnscope::gui
