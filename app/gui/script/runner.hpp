// Carries a script out against the app, one action after another, each wait with its timeout.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/gui/script/input.hpp"
#include "app/gui/script/script.hpp"
#include "app/gui/ui.hpp"

namespace attnscope::gui {

/// What a runner needs of the app around it.
struct RunnerHost {
  Workbench& bench;
  Layout& layout;
  const std::map<std::string, WidgetRect>& widgets;
  InputPlayer& input;
  std::function<void(const std::string& id)> command;  ///< done with the next frame
  std::function<void(const Job&)> submit;
  std::function<void()> cancel_job;
  std::function<unsigned long long()> frames;
  std::function<void()> reset_frames, print_frames;
  std::function<Result<void>(const std::string&path)> dump, picture, export_results;
  std::function<Result<void>(const std::string& widget, const std::string& path)> picture_of;
  /// open, save-session, report, save: what is to be done with files, and its words.
  std::function<Result<void>(const std::string& verb, const std::vector<std::string>& words)> files;
};

class Runner {
 public:
  Runner(std::vector<Action> script, double timeout_s) : script_(std::move(script)), timeout_s_(timeout_s) {}

  /// Does what can be done now; call once after each frame. Errors name the line.
  Result<void> step(RunnerHost&, double now);
  bool done() const { return next_ >= script_.size(); }
  bool wants_quit() const { return quit_; }

 private:
  Result<bool> perform(RunnerHost&, const Action&, double now);  ///< true when done, false to be asked again
  Result<bool> wait(RunnerHost&, const Action&, double now);
  Result<ImVec2> centre(const RunnerHost&, const Action&, const std::string& widget) const;
  Result<bool> choose(RunnerHost&, const Action&);
  Result<bool> play(RunnerHost&, const Action&);

  std::vector<Action> script_;
  double timeout_s_;
  size_t next_ = 0;
  bool started_ = false, quit_ = false;
  double began_ = 0;
  unsigned long long frames_at_start_ = 0;
  struct Repeated {
    std::string path;
    double every_s = 0, last = 0;
  };
  std::optional<Repeated> dump_;
};

}  // namespace attnscope::gui
