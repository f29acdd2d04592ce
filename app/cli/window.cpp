// The desktop app (no command), and `attnscope screenshot`, the same app rendered off screen.

#include "app/cli/jobs.hpp"
#include "app/gui/gui.hpp"
#include "engine/platform/system.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope::cli {
namespace {

struct WindowOptions {
  CommonOptions common;
  GuiOptions gui;
  std::string picture;
  std::vector<std::string> results;
  bool quiet_mode = false, drawing = false, idle = false, no_history = false;
};

void add_gui_options(CLI::App& app, WindowOptions& o) {
  add_device_options(app, o.common);
  add_text(app, "--problem", o.gui.problem, "PROBLEM", "Problem to begin with");
  add_text(app, "--variant", o.gui.variant, "NAME|auto",
           "Variant to begin with, or auto: the one that suits each problem best (the default)");
  add_text(app, "--config", o.gui.config, "CONFIG", "Config to begin with");
  add_value(app, "--results", o.results, "FILE.json", "Result file to open in Compare; repeatable");
  add_value(app, "--script", o.gui.script, "FILE", "Action script to carry out (docs/gui.md)");
  add_number(app, "--script-timeout", o.gui.script_timeout_s, NumberRange<double>{0, 86'400},
             "Seconds that each wait of the script may take", "SECONDS")
      ->capture_default_str();
  add_value(app, "--settings", o.gui.settings_path, "FILE", "File that keeps settings and layout; - for none");
  add_number(app, "--scale", o.gui.scale, kScales, "Scale of everything drawn; default: the monitor's", "FACTOR");
  add_number(app, "--width", o.gui.width, kWindowPixels, "Of the window", "PIXELS");
  add_number(app, "--height", o.gui.height, kWindowPixels, "Of the window", "PIXELS");
  app.add_flag("--quiet-mode", o.quiet_mode, "Draw nothing while samples are taken (default on a software device)");
  app.add_flag("--no-quiet-mode", o.drawing, "Draw while samples are taken");
  app.add_flag("--no-history", o.no_history, "Do not keep measurements in the history (attnscope history)");
  app.add_flag("--idle", o.idle, "Dispatch nothing until asked");
}

/// A worker elsewhere may have others.
Result<void> check_variant(const GuiOptions& o) {
  if (o.variant.empty() || o.variant == kAutoVariant || !o.workers.empty()) return {};
  std::vector<std::string> known{std::string(kAutoVariant)};
  std::error_code error;
  for (const std::filesystem::path& dir : o.shader_dirs)
    for (const std::filesystem::path& folder : variant_folders(dir, error)) {
      if (variant_name(folder) == o.variant) return {};
      known.push_back(variant_name(folder));
    }
  return about("--variant", o.variant, search::no_such_variant(joined(known)));
}

Result<void> complete(WindowOptions& o) {
  o.gui.device = o.common.device;
  o.gui.deadline_s = o.common.deadline_s;
  o.gui.session = session_options(o.common);
  o.gui.warn = [](const std::string& note) { print_err("note: {}\n", note); };
  o.gui.print = [](const std::string& line) { print_out("{}\n", line); };
  o.gui.abandon = [](const Error& error) { std::_Exit(print_error(error, false)); };
  if (o.quiet_mode || o.drawing) o.gui.quiet = o.quiet_mode;
  o.gui.measure = !o.idle;
  for (const std::string& file : o.results) o.gui.results.emplace_back(file);
  if (!o.gui.problem.empty()) TRY(about("--problem", o.gui.problem, parse_problem(o.gui.problem)));
  o.gui.workers = TRY(worker_commands(o.common));
  // New variants go to a folder of the person's own: the last of --shaders, else the one that every command searches.
  o.gui.new_variants = user_shaders_dir(true);
  for (const std::string& dir : o.common.shaders)
    if (std::error_code error;
        !std::filesystem::exists(std::filesystem::path(dir) / "manifest.toml", error) && may_write(dir))
      o.gui.new_variants = dir;
  o.gui.shader_dirs = TRY(shader_dirs(o.common));
  TRY(check_variant(o.gui));
  o.gui.source_dirs = TRY(source_dirs(o.common));
  std::filesystem::path data = TRY(data_dir());
  o.gui.data_dir = data;
  o.gui.sessions = sessions_dir();
  o.gui.tuning = {tuned_file(), shipped_models_dir(), trials_dir()};
  const std::filesystem::path folder = data / "assets" / "presets";
  std::vector<std::string> names = TRY(list_presets(folder));
  for (const std::string& name : names) {
    const Preset preset = TRY(about("preset", name, load_preset(folder, name)));
    // The first start's selection, on a GPU and on a software device.
    for (const auto& [start, software] : {std::pair{"start-gpu", false}, std::pair{"start-software", true}})
      if (name == start && !preset.problems.empty())
        o.gui.start.push_back({software, preset.problems.front(), preset.variants});
    o.gui.presets.push_back({preset.name, preset.title, preset.problems, preset.whose});
  }
  return {};
}

int open_window(WindowOptions& o) {
  need(complete(o));
  leave_own_console();
  catch_interrupts();
  o.gui.end = &interrupted();
  // Workers that never answer are left behind, so their threads share it.
  o.gui.finished = [keeper = std::make_shared<HistoryKeeper>(!o.no_history)](const Record& record, bool live) {
    keeper->keep(record, live);
  };
  int code = need(run_window(o.gui));
  return interrupted() ? int(exit_interrupted) : code;
}

int take_picture(WindowOptions& o) {
  need(complete(o));
  need(render_screenshot(o.gui, o.picture));
  return exit_ok;
}

}  // namespace

void add_window(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<WindowOptions>();
  add_gui_options(app, *o);
  chosen = [o] { return open_window(*o); };
}

void add_screenshot(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "screenshot",
                                  "Render the app off screen into a PNG, after an action script", take_picture);
  command.add_option("OUT", o.picture, "PNG to write")->required()->type_name("OUT.png");
  add_gui_options(command, o);
}

}  // namespace attnscope::cli
