#include "app/gui/shell/commands.hpp"

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

constexpr const char *kMeasure = "Measure", *kConfig = "Config", *kFiles = "Files", *kWindow = "Window",
                     *kShow = "Panels", *kLayouts = "Layouts";

Chord plain(ImGuiKey key) { return {key, false, false}; }
Chord ctrl(ImGuiKey key) { return {key, true, false}; }
Chord ctrl_shift(ImGuiKey key) { return {key, true, true}; }

void zoom(Ui& ui, int steps) {
  const float by = 0.1f * float(steps);
  ui.layout.zoom = steps == 0 ? 1 : std::clamp(std::round((ui.layout.zoom + by) * 10) / 10, kZooms.least, kZooms.most);
}

std::vector<Command> make_fixed() {
  std::vector<Command> all;
  const auto add = [&](const char* group, const char* id, const char* title, std::vector<Chord> chords,
                       std::function<void(Ui&)> run) {
    all.push_back({id, title, group, std::move(chords), std::move(run)});
  };
  const auto can = [&](std::function<bool(const Ui&)> when) { all.back().can = std::move(when); };
  add(kMeasure, "measure", "Pause or resume measuring", {plain(ImGuiKey_Space)}, pause_or_resume);
  add(kMeasure, "pin", "Pin the live config", {plain(ImGuiKey_P)}, [](Ui& ui) { ui.bench.pin(); });
  can([](const Ui& ui) { return can_pin(ui.bench); });
  add(kMeasure, "compare-on", "Compare on another device", {}, [](Ui& ui) {
    ui.layout.tab = "pins";
    ui.shell.devices = true;
  });
  add(kMeasure, "measure-all", "Measure all pins on all listed problems", {plain(ImGuiKey_M)},
      [](Ui& ui) { ui.requests.job = ui.bench.measure_all(); });
  can([](const Ui& ui) { return !ui.bench.jobs.now.running; });
  add(kMeasure, "sweep", "Search for the fastest config", {plain(ImGuiKey_S)}, [](Ui& ui) {
    ui.layout.tab = "map";
    if (!ui.bench.search.measuring()) ui.requests.search = ui.bench.sweep_best();
  });
  add(kMeasure, "cancel-search", "Cancel the search", {}, [](Ui& ui) { ui.requests.cancel_search = true; });
  can([](const Ui& ui) { return ui.bench.search.measuring(); });
  add(kMeasure, "best.show", "Switch to the best of the search", {}, [](Ui& ui) {
    if (ui.bench.search.measuring()) ui.requests.cancel_search = true;
    ui.bench.take_best();
  });
  can([](const Ui& ui) { return ui.bench.search.best() >= 0; });
  add(kMeasure, "cancel-job", "Cancel what is measured beside live sampling", {},
      [](Ui& ui) { ui.requests.cancel_job = true; });
  can([](const Ui& ui) { return !ui.bench.jobs.text().empty(); });
  const auto plot = [&](const char* id, const char* title, ImGuiKey key, Metric metric) {
    add(kMeasure, id, title, {plain(key)}, [metric](Ui& ui) { ui.bench.request.metric = metric; });
  };
  plot("metric.time", "Plot time", ImGuiKey_1, Metric::time);
  plot("metric.tflops", "Plot FLOP/s", ImGuiKey_2, Metric::tflops);
  plot("metric.gbps", "Plot B/s", ImGuiKey_3, Metric::gbps);

  add(kConfig, "problem", "Pick a problem", {}, [](Ui& ui) { ui.shell.presets = true; });
  add(kConfig, "undo", "Undo the last change of problem, variant or config", {ctrl(ImGuiKey_Z)},
      [](Ui& ui) { ui.bench.undo(); });
  can([](const Ui& ui) { return ui.bench.request.history.can_undo(); });
  add(kConfig, "redo", "Redo", {ctrl(ImGuiKey_Y), ctrl_shift(ImGuiKey_Z)}, [](Ui& ui) { ui.bench.redo(); });
  can([](const Ui& ui) { return ui.bench.request.history.can_redo(); });
  add(kConfig, "defaults", "Config back to its defaults", {ctrl(ImGuiKey_D)},
      [](Ui& ui) { ui.bench.request.set_config(default_config(*ui.bench.request.variant())); });
  can([](const Ui& ui) { return ui.bench.request.variant() != nullptr; });

  add(kFiles, "reload", "Read the shader folders again", {plain(ImGuiKey_F5)},
      [](Ui& ui) { ui.bench.reload_shaders(); });
  add(kFiles, "export", "Export results as JSON", {ctrl(ImGuiKey_E)},
      [](Ui& ui) { ui.requests.files.push_back({FileRequest::What::results}); });
  add(kFiles, "picture", "Save the window as PNG", {ctrl_shift(ImGuiKey_S)}, [](Ui& ui) {
    ui.requests.out.push_back({WayOut::Form::png, ""});
  });

  add(kWindow, "palette", "Find a command", {ctrl(ImGuiKey_P), ctrl(ImGuiKey_K)},
      [](Ui& ui) { ui.shell.palette.open = !ui.shell.palette.open; });
  add(kWindow, "full", "Maximize the panel under the mouse, or restore it", {plain(ImGuiKey_F11)}, [](Ui& ui) {
    const std::string& at = ui.shell.under_mouse;
    ui.layout.full = !ui.layout.full.empty() || at.empty() ? "" : at;
  });
  add(kWindow, "zoom.in", "Everything larger",
      {ctrl(ImGuiKey_Equal), ctrl_shift(ImGuiKey_Equal), ctrl(ImGuiKey_KeypadAdd)}, [](Ui& ui) { zoom(ui, 1); });
  add(kWindow, "zoom.out", "Everything smaller", {ctrl(ImGuiKey_Minus), ctrl(ImGuiKey_KeypadSubtract)},
      [](Ui& ui) { zoom(ui, -1); });
  add(kWindow, "zoom.reset", "Usual size", {ctrl(ImGuiKey_0), ctrl(ImGuiKey_Keypad0)}, [](Ui& ui) { zoom(ui, 0); });
  add(kWindow, "theme", "Dark or light theme", {},
      [](Ui& ui) { ui.layout.theme = ui.layout.theme == Theme::dark ? Theme::light : Theme::dark; });
  add(kWindow, "welcome", "First steps: pick a shape, find the best, see why", {},
      [](Ui& ui) { ui.shell.welcome = {.open = true}; });
  add(kWindow, "help", "Keys, and what is shown", {plain(ImGuiKey_F1)}, [](Ui& ui) { ui.shell.help = true; });
  add(kWindow, "quit", "Quit", {ctrl(ImGuiKey_Q)}, [](Ui& ui) { ui.requests.quit = true; });
  return all;
}

std::string chord_text(const Chord& c) {
  const char* key = c.key == ImGuiKey_Equal ? "+" : c.key == ImGuiKey_Minus ? "-" : ImGui::GetKeyName(c.key);
  return (c.ctrl ? "Ctrl+" : "") + std::string(c.shift ? "Shift+" : "") + key;
}

bool pressed(const Chord& c, bool repeats) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl == c.ctrl && io.KeyShift == c.shift && !io.KeyAlt && ImGui::IsKeyPressed(c.key, repeats);
}

void add_panels(std::vector<Command>& all) {
  for (const Panel* panel : all_panels()) {
    if (!*panel->title) continue;
    const std::string name = panel->name;
    const auto show = [&](const std::string& id, const std::string& title) {
      all.push_back({"panel." + id, "Show " + title, kShow, {}, [id](Ui& ui) { show_panel(ui, id); }});
      all.push_back({"full." + id, "Maximize " + title, kShow, {}, [id, name](Ui& ui) {
                       show_panel(ui, id);
                       ui.layout.full = name;
                     }});
    };
    show(name, panel->title);
    for (const PanelView* view : panel->views) show(view->name, fmt::format("{}: {}", panel->title, view->title));
  }
}

void add_choices(std::vector<Command>& all, const Ui& ui) {
  const Workbench& bench = ui.bench;
  const auto add = [&](std::string id, std::string title, const char* group, std::function<void(Ui&)> run,
                       bool can = true) {
    all.push_back({std::move(id), std::move(title), group, {}, std::move(run)});
    if (!can) all.back().can = [](const Ui&) { return false; };
  };
  add("variant.auto", "Variant auto", "Variants",
      [](Ui& u) { u.bench.request.set_variant(std::string(kAutoVariant)); });
  for (const VariantInfo& v : bench.device_state.variants)
    add(
        "variant." + v.name, fmt::format("Variant {}", v.name), "Variants",
        [name = v.name](Ui& u) { u.bench.request.set_variant(name); }, v.error.empty() && v.why_not.empty());
  if (const VariantInfo* v = bench.request.variant())
    for (const NamedConfig& named : v->configs)
      add("config." + named.name, fmt::format("Config {} of {}", named.name, v->name), kConfig,
          [config = full_config(*v, named)](Ui& u) { u.bench.request.set_config(config); });
  for (const ProblemPreset& preset : bench.given.presets)
    for (size_t i = 0; i < preset.problems.size(); ++i) {
      const std::string text = to_text(preset.problems[i]), whose = preset.whose_of(i);
      add("problem." + text, fmt::format("Problem {} ({})", text, whose.empty() ? preset.name : whose), "Problems",
          [problem = preset.problems[i]](Ui& u) { u.bench.request.set_problem(problem); });
    }
  for (const DeviceEntry& d : bench.device_state.devices)
    add(
        fmt::format("device.{}.{}", d.worker, d.info.index), fmt::format("Device {}", d.info.name), "Devices",
        [worker = d.worker, index = d.info.index](Ui& u) { u.bench.set_device(worker, std::to_string(index)); },
        d.info.unsuitable.empty());
}

}  // namespace

const std::vector<Command>& fixed_commands() {
  static const std::vector<Command> all = make_fixed();
  return all;
}

std::vector<Command> all_commands(const Ui& ui) {
  std::vector<Command> all = fixed_commands();
  add_panels(all);
  for (const ShippedLayout& l : shipped_layouts())
    all.push_back({std::string("layout.") + l.name, fmt::format("Layout {}", l.title), kLayouts, {}, [&l](Ui& u) {
                     take_layout(u, l);
                   }});
  add_choices(all, ui);
  return all;
}

std::string keys_text(const Command& c) { return c.chords.empty() ? "" : chord_text(c.chords.front()); }

std::string keys_of(const std::string& id) {
  const Command* c = find_by(fixed_commands(), id, &Command::id);
  return c ? keys_text(*c) : "";
}

Result<void> run_command(Ui& ui, const std::string& id) {
  const std::vector<Command> all = all_commands(ui);
  const Command* c = find_by(all, id, &Command::id);
  if (!c) return bad_input(fmt::format("there is no command '{}'.", id));
  if (c->can && !c->can(ui)) return bad_input(fmt::format("'{}' cannot be done now.", c->title));
  (void)ui.bench.messages.take_refusal();
  c->run(ui);
  const std::string why = ui.bench.messages.take_refusal();
  return why.empty() ? Result<void>() : bad_input(why);
}

void shortcuts(Ui& ui) {
  // An open list or menu takes the keys of letters too: who types to find an entry starts nothing behind it.
  const bool taken = ImGui::GetIO().WantTextInput || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  for (const Command& c : fixed_commands()) {
    // What has the keys' focus is pressed with it.
    if (ImGui::GetIO().NavVisible && !c.chords.empty() && c.chords.front().key == ImGuiKey_Space) continue;
    // Files and the window are at hand everywhere; steps of undo follow each other while their key is held.
    if (taken && c.group != kFiles && c.group != kWindow) continue;
    const auto struck = [&](const Chord& chord) { return pressed(chord, c.group == kConfig); };
    if (std::ranges::none_of(c.chords, struck)) continue;
    if (!c.can || c.can(ui)) c.run(ui);
  }
}

}  // namespace attnscope::gui
