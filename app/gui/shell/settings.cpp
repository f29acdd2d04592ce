#include "app/gui/shell/settings.hpp"

#include "app/gui/panels/panel.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {

namespace {

using Notes = std::vector<std::string>;

struct Setting {
  const char* name;
  Json now;  ///< null: nothing to keep
  /// Throws where the file has another type; what it returns takes the value.
  std::function<std::function<void(Notes&)>(const Json&)> read;
};

/// `take` gets an empty T where the file has none.
template <class T>
Setting setting(const char* name, Json now, std::function<void(const T&, Notes&)> take) {
  return {name, std::move(now), [name, take = std::move(take)](const Json& j) {
            T value{};
            if constexpr (std::is_same_v<T, Json>)
              value = j.value(name, value);
            else
              Fields(j).maybe(name, value);
            return [value, take](Notes& notes) { take(value, notes); };
          }};
}

/// Just as it is.
template <class T>
Setting plain(const char* name, T& of) {
  return setting<std::optional<T>>(name, of, [&of](const auto& value, Notes&) { of = value.value_or(of); });
}

/// Made to fit its range.
template <class T>
Setting number(const char* name, T& of, NumberRange<T> range) {
  return setting<std::optional<double>>(name, of, [=, &of](const auto& value, Notes& notes) {
    if (!value) return;
    const double fit = std::clamp(*value, double(range.least), double(range.most));
    if (fit != *value) notes.push_back(fmt::format("{} was {:g} and is {:g}", name, *value, fit));
    of = T(fit);
  });
}

/// One of a few words; a number stands for each, from 0.
template <class T>
Setting word(const char* name, T& of, std::vector<Json> words) {
  return setting<Json>(name, words[size_t(of)], [words, &of](const Json& value, Notes&) {
    const auto at = std::ranges::find(words, value);
    if (at != words.end()) of = T(at - words.begin());
  });
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

/// A device of another machine is not remembered as one of this.
bool own_machine_alone(const Workbench& bench) {
  return bench.device_state.workers.size() == 1 && bench.device_state.workers[0].empty();
}

Json scaling_now(const Scaling& s) {
  return {{"axis", name_of(s.axis)}, {"log", s.log}, {"values", values_text(s.chosen)}};
}

void take_scaling(Scaling& s, const KeptScaling& kept, Notes& notes) {
  for (const ScaleAxis axis : kScaleAxes)
    if (kept.axis == name_of(axis)) s.axis = axis;
  s.log = kept.log.value_or(s.log);
  if (auto values = parse_values(kept.values))
    s.chosen = std::move(*values);
  else
    notes.push_back("the values of Scaling cannot be used: " + values.error().message);
}

/// No frame was drawn: there is no layout to keep.
Json layout_now(const PanelLayout& panels) { return panels_of(panels).empty() ? Json() : to_json(panels); }

void take_layout(PanelLayout& panels, const Json& kept, Notes& notes) {
  if (kept.is_null()) return;
  if (auto read = layout_from(kept))
    panels = std::move(*read);
  else
    notes.push_back(fmt::format("the layout cannot be used ({}), so it is the default", read.error().message));
}

Json devices_now(const ExtraDevices& beside) {
  Json devices;
  for (const ExtraDevice& d : beside.all()) devices.push_back({{"command", d.command}, {"device", d.selector}});
  return devices;
}

/// Not connected: a command that somebody typed is not started unasked.
void take_devices(ExtraDevices& beside, const std::vector<KeptDevice>& devices, Notes&) {
  if (!beside.all().empty()) return;
  for (const KeptDevice& d : devices) beside.add(d.command, d.device);
}

void take_problem(Workbench& bench, const std::string& text, Notes& notes) {
  if (text.empty()) return;
  const auto problem = parse_problem(text);
  if (!problem) return notes.push_back(fmt::format("another problem is shown ({})", problem.error().message));
  bench.request.selection.problem = *problem;
  bench.request.problem_was_chosen();
}

Json device_now(const Workbench& bench) {
  const auto& device = bench.device_state.device;
  return own_machine_alone(bench) && device && !bench.request.device.empty() ? Json(device->name) : Json();
}

void take_device(Workbench& bench, const std::string& name, Notes&) {
  if (!bench.request.device.empty() || !own_machine_alone(bench)) return;
  bench.request.device = name;
  bench.request.device_remembered = !name.empty();
}

void take_problems(ProblemList& list, const std::vector<std::string>& texts, Notes& notes) {
  list.set_problems({});
  for (const std::string& text : texts) {
    if (const auto problem = parse_problem(text))
      list.add(*problem);
    else
      notes.push_back(fmt::format("a listed problem is left out ({})", problem.error().message));
  }
}

/// Each once, in the order in which they are taken: a config comes after its variant, that after its problem.
std::vector<Setting> settings_of(Workbench& bench, Layout& layout, WindowSize& window) {
  using Words = std::vector<std::string>;
  UserRequest& asked = bench.request;
  ExtraDevices& beside = bench.others.beside;
  Jobs& jobs = bench.jobs;
  const auto take_hidden = [&](const std::map<std::string, Words>& hidden, Notes&) {
    for (const auto& [table, columns] : hidden) layout.hidden[table] = {columns.begin(), columns.end()};
  };
  const auto take_log = [&](std::optional<bool> log, Notes&) {
    bench.views.plot.set_log(log.value_or(bench.views.plot.log()));
  };
  const auto take_variant = [&](const std::string& name, Notes&) {
    bench.request.variant_was_chosen(name.empty() ? std::string(kAutoVariant) : name);
  };
  const auto take_config = [&](const Config& config, Notes&) {
    if (!config.empty()) bench.request.restore_config(config);
  };
  const auto take_quiet = [&](std::optional<bool> quiet, Notes&) {
    if (!asked.quiet) asked.quiet = quiet;
  };
  const auto take_gpus = [&](const Words& gpus, Notes&) {
    for (const std::string& gpu : gpus)
      if (!bench.others.gpus.has(gpu)) bench.others.gpus.toggle(gpu);
  };
  const auto problems = mapped(jobs.problems.all(), [](const Problem& p) { return to_text(p); });
  const std::string variant = bench.request.automatic() ? std::string(kAutoVariant) : asked.selection.variant;
  const Config config = bench.request.config_to_keep() ? *bench.request.config_to_keep() : Config{};
  return {
      setting<Json>("layout", layout_now(layout.panels), std::bind_front(take_layout, std::ref(layout.panels))),
      number("zoom", layout.zoom, kZooms),
      setting<std::map<std::string, Words>>("hidden_columns", layout.hidden, take_hidden),
      setting<std::optional<bool>>("log_axis", bench.views.plot.log(), take_log),
      number("width", window.width, kWindowPixels),
      number("height", window.height, kWindowPixels),
      plain("welcomed", layout.welcomed),
      plain("steps_done", layout.steps_done),
      plain("tab", layout.tab),
      plain("views", layout.view_of),
      word("theme", layout.theme, {"dark", "light"}),
      word("metric", asked.metric, {"time", "tflops", "gbps"}),
      word("cache", asked.modes.cache, {"hot", "cold"}),
      word("launch", asked.modes.launch, {"isolated", "back-to-back"}),
      setting<std::vector<KeptDevice>>("beside", devices_now(beside), std::bind_front(take_devices, std::ref(beside))),
      setting<std::string>("problem", to_text(asked.selection.problem), std::bind_front(take_problem, std::ref(bench))),
      setting<std::string>("variant", variant, take_variant),
      setting<Config>("config", config, take_config),
      setting<std::string>("device", device_now(bench), std::bind_front(take_device, std::ref(bench))),
      setting<std::optional<bool>>("quiet", asked.quiet ? Json(*asked.quiet) : Json(), take_quiet),
      setting<KeptScaling>("scaling", scaling_now(jobs.scaling), std::bind_front(take_scaling, std::ref(jobs.scaling))),
      setting<Words>("gpus", bench.others.gpus.chosen, take_gpus),
      setting<Words>("problems", problems, std::bind_front(take_problems, std::ref(jobs.problems))),
  };
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
  if (!notes) return put_aside("Settings", path, notes.error().message);
  return notes->empty() ? "" : fmt::format("The settings in {} had what cannot be: {}.", path, *notes);
}

Result<std::string> settings_from(const std::string& text, Workbench& bench, Layout& layout, WindowSize& window) {
  const auto json = TRY(parse_json(text, "it"));
  std::vector<std::function<void(Notes&)>> takes;
  try {
    // As a whole, before anything is taken.
    for (const Setting& s : settings_of(bench, layout, window)) takes.push_back(s.read(json));
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  Notes notes;
  for (const auto& take : takes) take(notes);
  return joined(notes, "; ");
}

std::string settings_text(const Workbench& bench, Layout layout, WindowSize window) {
  Json j;
  // What is kept is only read here.
  for (Setting& s : settings_of(const_cast<Workbench&>(bench), layout, window))
    if (!s.now.is_null()) j[s.name] = std::move(s.now);
  return dump_pretty(j) + "\n";
}

Result<void> write_settings(const std::string& path, const std::string& text) {
  std::error_code ec;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
  return write_text(path, text);
}

}  // namespace attnscope::gui
