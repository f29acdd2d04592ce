// The desktop app as two calls: a real window, and the same window rendered off screen.
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope {

/// A named list of problems, as assets/presets holds them: the caller reads the files, the window only offers them.
struct ProblemPreset {
  std::string name, summary;
  std::vector<Problem> problems;
  std::map<std::string, std::string> whose = {};  ///< by a problem's text: "Llama-3-8B prefill"

  std::string whose_of(size_t i) const { return at_or(whose, to_text(problems[i])); }
};

/// What the window shows first on a device of this kind: the first of the variants that can run there.
struct StartChoice {
  bool software = false;
  Problem problem;
  std::vector<std::string> variants;
};

/// Where the window keeps what searches find; "" = nowhere.
struct TuningPlaces {
  std::filesystem::path tuned, models, trials;  ///< a file, the folder of those that ship, a folder of journals
};

/// What can be drawn: letters are legible and fit their atlas, and a picture is one image of any Vulkan device.
inline constexpr NumberRange<float> kScales{0.5f, 8};
inline constexpr NumberRange<int> kWindowPixels{160, 8192};
/// What a person chooses of the scale, times the monitor's.
inline constexpr NumberRange<float> kZooms{0.7f, 3};

struct GuiOptions {
  std::string device;  ///< of the measured device, as Session::open takes it; "" = remembered, else the best there is
  /// argv of each `--worker` command; empty = this executable's own worker. The device picker lists those of each.
  std::vector<std::vector<std::string>> workers;
  std::optional<double> deadline_s;                ///< a worker silent for longer is ended; absent: WorkerOptions' own
  SessionOptions session;                          ///< handed to the worker
  std::vector<std::filesystem::path> shader_dirs;  ///< as read_variant_sources takes them
  std::vector<std::filesystem::path> source_dirs;  ///< likewise
  /// Where "new variant from this one" copies to: one of `shader_dirs`; "" = nowhere.
  std::filesystem::path new_variants = {};
  std::filesystem::path data_dir;  ///< holds fonts/ (copied at build); without it ImGui's own font is used
  std::vector<ProblemPreset> presets;
  std::vector<StartChoice> start;  ///< for a first start, when nothing is given or remembered
  std::string problem;             ///< text form; "" = remembered, else that of `start`
  std::string variant, config;     ///< "" = remembered, else "auto", at what suits
  TuningPlaces tuning = {};        ///< where searches keep what they find, and where "auto" looks
  /// For what an opened session takes the place of; made when needed; "" = beside the settings, else the current one.
  std::filesystem::path sessions = {};
  std::vector<std::filesystem::path> results;  ///< result files (JSON) whose records are shown as pinned
  std::string script;                          ///< path of an action script (docs/gui.md); "" = none
  double script_timeout_s = 60;                ///< of each wait that names none
  /// File of settings and layout. "" = $XDG_CONFIG_HOME/attnscope/window.json of run_window, else none; "-" = none.
  std::string settings_path;
  float scale = 0;            ///< of everything drawn; 0 = the monitor's for run_window, 1 off screen
  int width = 0, height = 0;  ///< pixels; 0 = remembered, else 1280 x 800 times scale
  std::optional<bool> quiet;  ///< no drawing while samples are taken; unset = on for a software device
  bool measure = true;        ///< false: nothing is dispatched until asked (pictures of result files)
  /// Told what is wrong with files of the window's own (settings, last session), beside its messages.
  std::function<void(const std::string&)> warn = {};
  /// Told what a script asks to be printed, a line each; absent: nobody is.
  std::function<void(const std::string&)> print = {};
  /// Set by whoever wants the window to end as if it were closed, such as a signal's handler.
  const std::atomic<bool>* end = nullptr;
  /// The display went away, and the library below ends the process when this returns, which it therefore must not.
  std::function<void(const Error&)> abandon = {};
  /// Called with each record of a run, on the thread of its worker; `live`: sampled until something else was asked for.
  std::function<void(const Record&, bool live)> finished = {};
};

/// Shows the window until it is closed or the script quits; the value is the exit code (1 when the script's last
/// verdict failed). Errors: unsupported (no display, or no Vulkan device that can draw; the message says what to do),
/// device_lost (the display or the device went away), bad_input (a script line, with its number, or a result file).
Result<int> run_window(const GuiOptions&);

/// Whether threads of a closed window still run, since a worker did not end in time: main must not return then.
bool threads_left();

/// The same window drawn without any display or window library, after the script has run; without a script it waits for
/// a verdict and for samples first (or only draws, when `measure` is false). PNG, `width` x `height`.
Result<void> render_screenshot(const GuiOptions&, const std::filesystem::path& out_png);

}  // namespace attnscope
