#include "app/gui/shell/settings.hpp"

#include "app/gui/panels/panel.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {

namespace {

/// What is read and written just as it is: each once, with its name in the file.
template <class Layout, class Visit>
void plain_settings(Layout& layout, const Visit& visit) {
  visit("welcomed", layout.welcomed);
  visit("steps_done", layout.steps_done);
  visit("tab", layout.tab);
  visit("views", layout.view_of);
}

/// One of a few words; a number stands for each, from 0.
template <class Bench, class Layout, class Visit>
void chosen_settings(Bench& bench, Layout& layout, const Visit& visit) {
  using Words = std::vector<std::string>;
  visit("theme", layout.theme, Words{"dark", "light"});
  visit("metric", bench.request.metric, Words{"time", "tflops", "gbps"});
  visit("cache", bench.request.modes.cache, Words{"hot", "cold"});
  visit("launch", bench.request.modes.launch, Words{"isolated", "back-to-back"});
}

struct KeptDevice {
  std::string command, device;
};
void from_json(const Json& j, KeptDevice& d) { Fields(j).need("command", d.command).need("device", d.device); }

struct KeptScaling {
  std::string axis, values;
  std::optional<bool> log;
};
void from_json(const Json& j, KeptScaling& s) {
  Fields(j).maybe("axis", s.axis).maybe("values", s.values).maybe("log", s.log);
}

struct Remembered {
  Json layout;
  KeptScaling scaling;
  std::vector<KeptDevice> beside;
  std::optional<double> width, height, zoom;
  std::string problem, variant, device;
  Config config;
  std::optional<bool> log_axis, quiet;
  std::vector<std::string> problems, gpus;
  std::map<std::string, std::vector<std::string>> hidden;
};

void from_json(const Json& j, Remembered& r) {
  r.layout = j.value("layout", Json());
  Fields(j)
      .maybe("scaling", r.scaling)
      .maybe("beside", r.beside)
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

template <class T>
void take(const char* name, const std::optional<double>& value, const NumberRange<double>& range, T& into,
          std::vector<std::string>& changed) {
  if (!value) return;
  const double fit = std::clamp(*value, range.least, range.most);
  if (fit != *value) changed.push_back(fmt::format("{} was {:g} and is {:g}", name, *value, fit));
  into = static_cast<T>(fit);
}

/// What cannot be used is told, and the default is there instead.
void take_layout(const Remembered& r, Layout& layout, std::vector<std::string>& changed) {
  if (r.layout.is_null()) return;
  if (auto read = layout_from(r.layout))
    layout.panels = std::move(*read);
  else
    changed.push_back(fmt::format("the layout cannot be used ({}), so it is the default", read.error().message));
}

/// A device of another machine is not remembered as one of this.
bool own_machine_alone(const Workbench& bench) {
  return bench.device_state.workers.size() == 1 && bench.device_state.workers[0].empty();
}

void take_scaling(const KeptScaling& kept, Scaling& s, std::vector<std::string>& changed) {
  for (const ScaleAxis axis : kScaleAxes)
    if (kept.axis == name_of(axis)) s.axis = axis;
  s.log = kept.log.value_or(s.log);
  if (auto values = parse_values(kept.values))
    s.chosen = std::move(*values);
  else
    changed.push_back("the values of Scaling cannot be used: " + values.error().message);
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
    plain_settings(layout, check);  // as a whole, before anything is taken
    plain_settings(layout, read);
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  chosen_settings(bench, layout, [&](const char* name, auto& value, const std::vector<std::string>& words) {
    const auto at = std::find(words.begin(), words.end(), json.value(name, Json()));
    if (at != words.end()) value = std::remove_reference_t<decltype(value)>(at - words.begin());
  });
  for (const auto& [table, columns] : r.hidden) layout.hidden[table] = {columns.begin(), columns.end()};
  std::vector<std::string> changed;
  take_layout(r, layout, changed);
  // Listed, and not connected: a command that somebody typed is not started unasked.
  if (bench.others.beside.all().empty())
    for (const KeptDevice& d : r.beside) bench.others.beside.add(d.command, d.device);
  take("zoom", r.zoom, {kZooms.least, kZooms.most}, layout.zoom, changed);
  const NumberRange<double> pixels{double(kWindowPixels.least), double(kWindowPixels.most)};
  take("width", r.width, pixels, window.width, changed);
  take("height", r.height, pixels, window.height, changed);
  bench.views.plot.set_log(r.log_axis.value_or(bench.views.plot.log()));
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
  take_scaling(r.scaling, bench.jobs.scaling, changed);
  for (const std::string& gpu : r.gpus)
    if (!bench.others.gpus.has(gpu)) bench.others.gpus.toggle(gpu);
  bench.jobs.problems.set_problems({});
  for (const std::string& p : r.problems) {
    if (auto problem = parse_problem(p))
      bench.jobs.problems.add(*problem);
    else
      changed.push_back(fmt::format("a listed problem is left out ({})", problem.error().message));
  }
  return fmt::format("{}", fmt::join(changed, "; "));
}

std::string settings_text(const Workbench& bench, const Layout& layout, const WindowSize& window) {
  const Scaling& s = bench.jobs.scaling;
  std::vector<std::string> problems;
  for (const Problem& p : bench.jobs.problems.all()) problems.push_back(to_text(p));
  Json j = {
      {"layout", to_json(layout.panels)},
      {"zoom", layout.zoom},
      {"hidden_columns", layout.hidden},
      {"log_axis", bench.views.plot.log()},
      {"width", window.width},
      {"height", window.height},
      {"problem", to_text(bench.request.selection.problem)},
      {"variant", bench.automatic() ? std::string(kAutoVariant) : bench.request.selection.variant},
      {"config", bench.config_to_keep() ? *bench.config_to_keep() : Config{}},
      {"problems", problems},
      {"gpus", bench.others.gpus.chosen},
      {"scaling", {{"axis", name_of(s.axis)}, {"log", s.log}, {"values", values_text(s.chosen)}}},
  };
  plain_settings(layout, [&](const char* name, const auto& value) { j[name] = value; });
  chosen_settings(bench, layout, [&](const char* name, const auto& value, const std::vector<std::string>& words) {
    j[name] = words[size_t(value)];
  });
  for (const BesideDevice& d : bench.others.beside.all())
    j["beside"].push_back({{"command", d.command}, {"device", d.selector}});
  // No frame was drawn: there is no layout to keep.
  if (panels_of(layout.panels).empty()) j.erase("layout");
  if (own_machine_alone(bench) && bench.device_state.device && !bench.request.device.empty())
    j["device"] = bench.device_state.device->name;
  if (bench.request.quiet) j["quiet"] = *bench.request.quiet;
  return dump_pretty(j) + "\n";
}

Result<void> write_settings(const std::string& path, const std::string& text) {
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  return write_text(path, text);
}

}  // namespace attnscope::gui
