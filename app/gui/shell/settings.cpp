#include "app/gui/shell/settings.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/gui/panels/panel.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {
namespace {

/// What is read and written just as it is: each once, with its name in the file.
template <class Bench, class Layout, class Visit>
void plain_settings(Bench& bench, Layout& layout, const Visit& visit) {
  visit("welcomed", layout.welcomed);
  visit("tab", layout.tab);
  visit("show_pins", layout.show_pins);
  visit("watch", layout.watch);
  visit("distribution", bench.timing.shape.distribution);
  visit("overview", bench.timing.shape.overview);
  visit("map_gpu", bench.maps.gpu.gpu);
}

/// One of a few words; a number stands for each, from 0.
template <class Bench, class Layout, class Visit>
void chosen_settings(Bench& bench, Layout& layout, const Visit& visit) {
  using Words = std::vector<std::string>;
  visit("theme", layout.theme, Words{"dark", "light"});
  visit("metric", bench.request.metric, Words{"time", "tflops", "gbps"});
  visit("cache", bench.request.modes.cache, Words{"hot", "cold"});
  visit("launch", bench.request.modes.launch, Words{"isolated", "back-to-back"});
  Words colours;
  for (const GpuMap::Measure m : GpuMap::kMeasures) colours.emplace_back(word(m));
  visit("map_colour", bench.maps.gpu.measure, colours);
}

/// The rest of what the file may hold.
struct Remembered {
  Json scaling, layout, layouts, beside, recent;
  std::optional<double> width, height, zoom;
  std::string problem, variant, device;
  Config config;
  std::optional<bool> log_axis, quiet;
  std::vector<std::string> problems, gpus;
  std::map<std::string, std::vector<std::string>> hidden;
};

void from_json(const Json& j, Remembered& r) {
  for (const auto& [name, into] : {std::pair{"scaling", &r.scaling},
                                   {"layout", &r.layout},
                                   {"layouts", &r.layouts},
                                   {"beside", &r.beside},
                                   {"recent", &r.recent}})
    *into = j.value(name, Json());
  Fields(j)
      .maybe("width", r.width)
      .maybe("height", r.height)
      .maybe("zoom", r.zoom)
      .maybe("problem", r.problem)
      .maybe("variant", r.variant)
      .maybe("device", r.device)
      .maybe("config", r.config)
      .maybe("log_axis", r.log_axis)
      .maybe("quiet", r.quiet)
      .maybe("problems", r.problems)
      .maybe("gpus", r.gpus)
      .maybe("hidden_columns", r.hidden);
}

/// Into its range, with a word for the note.
template <class T>
void take(const char* name, const std::optional<double>& value, const NumberRange<double>& range, T& into,
          std::vector<std::string>& changed) {
  if (!value) return;
  const double fit = std::clamp(*value, range.least, range.most);
  if (fit != *value) changed.push_back(fmt::format("{} was {:g} and is {:g}", name, *value, fit));
  into = static_cast<T>(fit);
}

/// What cannot be used is told, and the default, or one layout less, is there instead.
void take_layouts(const Remembered& r, Layout& layout, std::vector<std::string>& changed) {
  if (!r.layout.is_null()) {
    if (auto read = layout_from(r.layout)) {
      layout.tree = std::move(read->tree);
      layout.closed = std::move(read->closed);
    } else {
      changed.push_back(fmt::format("the layout cannot be used ({}), so it is the default", read.error().message));
    }
  }
  if (!r.layouts.is_object()) return;
  for (const auto& [name, json] : r.layouts.items()) {
    auto read = layout_from(json);
    if (!read || name.empty() || name.size() > kMostNameBytes || layout.own.size() >= kMostLayouts)
      changed.push_back(fmt::format("the layout '{}' cannot be used{}", name.substr(0, kMostNameBytes),
                                    read ? "" : fmt::format(" ({})", read.error().message)));
    else
      layout.own[name] = std::move(*read);
  }
}

/// What is no path is passed over: a list of files is no reason for a note.
void take_recent(const Json& j, RecentFiles& recent) {
  if (!j.is_array()) return;
  std::vector<RecentFile> files;
  for (const Json& f : j) {
    const Json path = f.is_object() ? f.value("path", Json()) : Json();
    if (!path.is_string() || path.get_ref<const std::string&>().size() > RecentFiles::kMostBytes) continue;
    const Json session = f.value("session", Json());
    files.push_back({path.get<std::string>(), session.is_boolean() && session.get<bool>()});
    if (files.size() == RecentFiles::kMost) break;
  }
  recent.restore(files);
}

/// Devices beside the one that is shown: listed, and not connected. What they are is a command that somebody typed; it
/// is not started unasked.
void take_beside(const Json& j, Workbench& bench, std::vector<std::string>& changed) {
  if (!j.is_array()) return;
  const auto text = [](const Json& d, const char* field, std::string& into) {
    constexpr size_t kMostBytes = 4096;
    const Json value = d.is_object() ? d.value(field, Json()) : Json();
    if (!value.is_string() || value.get_ref<const std::string&>().size() > kMostBytes) return false;
    into = value.get<std::string>();
    return true;
  };
  size_t unused = 0;
  for (const Json& d : j) {
    std::string command, device;
    unused += !text(d, "command", command) || !text(d, "device", device) || !bench.beside.add(command, device);
  }
  if (unused == 1) changed.push_back("a second device cannot be used");
  if (unused > 1) changed.push_back(fmt::format("{} second devices cannot be used", unused));
}

/// A device of another machine is not remembered as one of this.
bool own_machine_alone(const Workbench& bench) {
  return bench.device_state.workers.size() == 1 && bench.device_state.workers[0].empty();
}

/// The scaling plot as it was left.
void take_scaling(const Json& json, Scaling& s, std::vector<std::string>& changed) {
  if (!json.is_object()) return;
  const auto text = [&](const char* name) {
    const auto at = json.find(name);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  for (const ScaleAxis axis : kScaleAxes)
    if (text("axis") == name_of(axis)) s.axis = axis;
  if (const auto log = json.find("log"); log != json.end() && log->is_boolean()) s.log = log->get<bool>();
  s.values_edited = false;
  if (auto values = parse_values(text("values")))
    s.chosen = std::move(*values);
  else
    changed.push_back("the values of Scaling cannot be used: " + values.error().message);
}

Json scaling_json(const Scaling& s) {
  return {{"axis", name_of(s.axis)}, {"log", s.log}, {"values", values_text(s.chosen)}};
}

}  // namespace

std::string default_settings_path() {
  const std::filesystem::path folder = user_folder(UserFolder::settings);
  return folder.empty() ? "" : (folder / "window.json").string();
}

std::string load_settings(const std::string& path, Workbench& bench, Layout& layout, WindowSize& window) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "";
  const auto text = read_text(path);
  const auto notes = text ? settings_from(*text, bench, layout, window) : Result<std::string>(text.error());
  if (!notes)
    return fmt::format("The settings in {} cannot be used ({}){}.", path, notes.error().message, set_aside(path));
  if (notes->empty()) return "";
  return fmt::format("The settings in {} had what cannot be: {}.", path, *notes);
}

Result<std::string> settings_from(const std::string& text, Workbench& bench, Layout& layout, WindowSize& window) {
  auto json = TRY(parse_json(text, "it"));
  Remembered r;
  const auto check = [&](const char* name, auto value) { Fields(json).maybe(name, value); };
  const auto read = [&](const char* name, auto& value) { Fields(json).maybe(name, value); };
  try {
    from_json(json, r);
    plain_settings(bench, layout, check);  // as a whole, before anything is taken
    plain_settings(bench, layout, read);
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  chosen_settings(bench, layout, [&](const char* name, auto& value, const std::vector<std::string>& words) {
    const auto at = std::find(words.begin(), words.end(), json.value(name, Json()));
    if (at != words.end()) value = std::remove_reference_t<decltype(value)>(at - words.begin());
  });
  if (bench.maps.gpu.gpu.empty()) bench.maps.gpu.measure = GpuMap::Measure::time;
  for (const auto& [table, columns] : r.hidden) layout.hidden[table] = {columns.begin(), columns.end()};
  std::vector<std::string> changed;
  take_layouts(r, layout, changed);
  take_recent(r.recent, layout.recent);
  if (bench.beside.all().empty()) take_beside(r.beside, bench, changed);
  take("zoom", r.zoom, {kZooms.least, kZooms.most}, layout.zoom, changed);
  const NumberRange<double> pixels{double(kWindowPixels.least), double(kWindowPixels.most)};
  take("width", r.width, pixels, window.width, changed);
  take("height", r.height, pixels, window.height, changed);
  bench.timing.view.set_log(r.log_axis.value_or(bench.timing.view.log()));
  if (!r.problem.empty()) {
    if (auto problem = parse_problem(r.problem)) {
      bench.request.selection.problem = *problem;
      bench.problem_was_chosen();
    } else {
      changed.push_back(fmt::format("another problem is shown ({})", problem.error().message));
    }
  }
  bench.variant_was_chosen(r.variant.empty() ? std::string(kAutoVariant) : r.variant);
  if (!r.config.empty()) bench.restore_config(r.config);
  if (bench.request.device.empty() && own_machine_alone(bench)) {
    bench.request.device = r.device;
    bench.request.device_remembered = !bench.request.device.empty();
  }
  if (!bench.request.quiet) bench.request.quiet = r.quiet;
  take_scaling(r.scaling, bench.scaling, changed);
  for (const std::string& gpu : r.gpus)
    if (!bench.other_gpus.has(gpu)) bench.other_gpus.toggle(gpu);
  bench.across.set_problems({});
  size_t unread = 0;
  for (const std::string& p : r.problems) {
    auto problem = parse_problem(p);
    if (problem)
      bench.across.add(*problem);
    else if (++unread == 1)
      changed.push_back(
          fmt::format("the list of problems is without one that cannot be ({})", problem.error().message));
  }
  if (unread > 1) changed.push_back(fmt::format("and without {} others", unread - 1));
  return fmt::format("{}", fmt::join(changed, "; "));
}

std::string settings_text(const Workbench& bench, const Layout& layout, const WindowSize& window) {
  std::vector<std::string> problems;
  for (const Problem& p : bench.across.problems()) problems.push_back(to_text(p));
  Json j = {
      {"layout", to_json(SavedLayout{layout.tree, closed_panels(layout.tree)})},
      {"zoom", layout.zoom},
      {"hidden_columns", layout.hidden},
      {"log_axis", bench.timing.view.log()},
      {"width", window.width},
      {"height", window.height},
      {"problem", to_text(bench.request.selection.problem)},
      {"variant", bench.automatic() ? std::string(kAutoVariant) : bench.request.selection.variant},
      {"config", bench.config_to_keep() ? *bench.config_to_keep() : Config{}},
      {"problems", problems},
      {"gpus", bench.other_gpus.chosen},
      {"scaling", scaling_json(bench.scaling)},
  };
  plain_settings(bench, layout, [&](const char* name, const auto& value) { j[name] = value; });
  chosen_settings(bench, layout, [&](const char* name, const auto& value, const std::vector<std::string>& words) {
    j[name] = words[size_t(value)];
  });
  for (const auto& [name, own] : layout.own) j["layouts"][name] = to_json(own);
  for (const RecentFile& f : layout.recent.all()) j["recent"].push_back({{"path", f.path}, {"session", f.session}});
  for (const BesideDevice& d : bench.beside.all())
    j["beside"].push_back({{"command", d.command}, {"device", d.selector}});
  // No frame was drawn: there is no layout to keep.
  if (panels_of(layout.tree).empty()) j.erase("layout");
  if (own_machine_alone(bench) && bench.device_state.device && !bench.request.device.empty())
    j["device"] = bench.device_state.device->name;
  if (bench.request.quiet) j["quiet"] = *bench.request.quiet;
  return dump_pretty(j) + "\n";
}

Result<void> save_settings(const std::string& path, const Workbench& bench, const Layout& layout,
                           const WindowSize& window) {
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  return write_text(path, settings_text(bench, layout, window));
}

}  // namespace attnscope::gui
