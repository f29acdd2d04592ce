// Names for files that nobody named.
#pragma once

#include <future>

#include "app/gui/draw/canvas.hpp"
#include "app/gui/shell/settings.hpp"
#include "app/gui/testing/script.hpp"
#include "app/gui/workbench/session_file.hpp"
#include "app/gui/worker/pacing.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {

// The app between its window (or none) and its workbench: one object that both drivers run frame by frame.

std::vector<WorkerThreadOptions> worker_links(const GuiOptions&);

/// As render_screenshot, with any sessions behind it: the measuring goes through `link`.
Result<void> render_offscreen(const GuiOptions&, std::vector<WorkerThreadOptions> link,
                              const std::filesystem::path& out_png);

class App {
 public:
  /// Makes the ImGui and ImPlot contexts; they go with it.
  App(const GuiOptions&, std::vector<WorkerThreadOptions>);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Reads settings, script and result files. `settings_path`: "" = none.
  Result<void> start(const std::string& settings_path);
  /// A script given as text that is known to be right, when the options name none.
  void use_script(const char* text);
  /// The size to open with, in units of which `scale` are one at scale 1, and then how large things are drawn.
  WindowSize wanted_size(float scale) const;
  /// `pixels`: of a unit of the window's.
  void set_scale(float scale, float pixels = 1);
  /// For the desktop: what runs and how far, else what is shown, and which window of several.
  std::string title() const;
  /// Before a frame: theme, zoom and scale as they are now.
  void restyle(Canvas&);

  /// Folds news in and sends the newest request; cheap, call at every turn of the loop.
  void pump();
  /// What to do now; resumes the worker itself when it is time.
  Pacing::Step next(bool input);
  /// A whole frame for ImGui, once its platform has begun one; leaves its draw data ready.
  void build(const Gpu&);
  /// After the frame is on screen: pictures, exports, the script. `begin`: when the frame began.
  Result<void> finish(Canvas&, const Gpu&, double begin, bool input);
  void save();

  WorkerThreads& links() { return links_; }
  const Workbench& bench() const { return bench_; }
  /// Files dropped on the window, or asked for, read on a thread of its own: a session replaces this one.
  void open(const std::string& path);
  bool wants_quit() const { return quit_; }
  /// Called from any thread when there is something to fold in.
  void on_news(const std::function<void()>& wake);
  bool script_done() const { return !runner_ || runner_->done(); }
  bool has_script() const { return runner_.has_value(); }
  double now() const;

 private:
  void style();
  Pacing::Scene scene(bool input) const;
  std::string state(const Gpu&) const;
  /// What a script asks of the app rather than of the workbench.
  Result<void> act(const Action&, Canvas&, const Gpu&);
  /// `widget` "" = the whole window.
  Result<Picture> picture_of(Canvas&, const std::string& widget);
  Result<void> export_results(const std::string& path);
  void keep();
  /// Devices beside the one that is shown get their links, and lose them.
  void link_beside();
  void compile_elsewhere();
  void start_disk(const Requests&);
  void saved(const SaveOutcome&);
  /// A copy of a variant, with the texts that were edited, by file.
  struct Copied {
    std::string name, from;
    std::map<std::string, std::string> texts;
  };
  void take_copy(const Copied&, const Result<std::filesystem::path>&);
  /// Calls `then`, between two frames, with what a thread of its own came to.
  template <class T, class Then>
  void later(std::future<T>, Then then);
  void save_later(const std::string& path, std::future<Result<void>>, const std::string& but = "");
  /// A picture without a path is encoded on a thread of its own: it takes longer than a frame may.
  Result<void> put_out(Canvas&, const WayOut&);
  Result<void> save_session_as(const std::string& path);
  /// Keeps what is here before another session takes its place. Where, "" = nothing; an error says where it was tried.
  Result<std::string> keep_aside();
  std::future<Result<void>> make_report(const std::string& path);
  struct Opened {
    std::string path;
    std::string session;  ///< its text; "" = results
    std::vector<Record> records;
  };
  static Result<Opened> read_any(const std::string& path);
  Result<void> take_in(Opened);
  void say(Level level, std::string text, std::string panel = "") {
    bench_.messages.say(level, std::move(text), std::move(panel));
  }
  void complain(const Result<void>&);
  /// The same; that it went well is the last of the first steps.
  void exported(const Result<void>&);

  GuiOptions options_;
  Workbench bench_;
  Layout layout_;
  PanelStates states_;
  Shell shell_;
  std::map<std::string, WidgetRect> widgets_;
  Requests requests_;
  WindowSize window_;
  std::string settings_path_;
  OwnSession session_;
  std::future<Result<void>> keeping_;  ///< settings and session being written
  SessionCopy kept_;                   ///< what was written last
  double kept_at_ = 0;
  std::string settings_kept_;                   ///< as they were written last
  std::vector<std::function<bool()>> pending_;  ///< by later(); true: it is done
  std::vector<WayOut> pictures_;                ///< of the next frame, when the menu that asked is gone
  Watch watch_;                                 ///< made before anything is read for the first time
  std::unique_ptr<GpuCompiler> gpus_;           ///< made for the first GPU that is chosen
  std::function<void()> wake_;
  bool copying_ = false;
  InputPlayer input_;
  std::optional<Runner> runner_;
  Pacing pacing_;
  std::vector<bool> disturbed_;  ///< by worker: a frame was drawn in the batch that it takes
  float scale_ = 1;              ///< the monitor's, or --scale
  float pixels_ = 1;             ///< of a unit of the window's
  float drawn_ = 0;              ///< and with the zoom: what things are drawn at; 0 = nothing yet
  Theme drawn_theme_ = Theme::dark;
  bool fonts_missed_ = false;  ///< that was said
  double start_ = 0, last_input_ = 0;
  bool quit_ = false, software_renderer_ = false;
  size_t search_worker_ = 0;
  WorkerThreads links_;
};

}  // namespace attnscope::gui
