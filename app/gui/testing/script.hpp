// Action scripts: one action a line, the same in the real window and off screen. docs/gui.md is their reference.
#pragma once

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

struct Action {
  int line = 0;
  std::string verb;
  std::vector<std::string> words;   ///< the arguments, split at blanks
  std::string rest;                 ///< the arguments as written
  std::optional<double> timeout_s;  ///< of a wait, from timeout=S
  std::optional<double> every_s;    ///< of a dump, from every=S
};

/// Blank lines and lines that begin with # are skipped. Errors (bad_input) name the line, the word and what is allowed.
Result<std::vector<Action>> parse_script(const std::string& text);
/// The error names the path.
Result<std::vector<Action>> read_script(const std::string& path);

/// Input made by a script: played into ImGui one step a frame, as a person's would come.
class InputPlayer {
 public:
  void move(ImVec2 to);
  void click(ImVec2 at, int button = ImGuiMouseButton_Left);
  void double_click(ImVec2 at);
  /// Turns the wheel there; upwards is positive.
  void scroll(ImVec2 at, int steps);
  /// Presses at `from`, moves in small steps to `to`, releases there.
  void drag(ImVec2 from, ImVec2 to, bool shift = false);
  void type(const std::string& text) {
    steps_.push_back({.kind = Step::Kind::text, .text = text});
    steps_.push_back({});
  }
  /// "P", "Ctrl+Z", "Space", "Enter", "F5"; the error lists what is known.
  Result<void> key(const std::string& name);
  /// Before ImGui::NewFrame: the next step, if there is one. `goes_on`: more may come, the mouse stays where it is.
  void play(bool goes_on);
  bool busy() const { return !steps_.empty(); }

 private:
  struct Step {
    enum class Kind { move, button, wheel, patience, key, text, rest } kind = Kind::rest;
    ImVec2 at{};
    bool down = false;
    int button = ImGuiMouseButton_Left;
    ImGuiKey key = ImGuiKey_None;
    std::string text{};
  };
  std::deque<Step> steps_;
  std::optional<ImVec2> at_;  ///< where the mouse was moved last
};

// Carries a script out against the app, one action after another, each wait with its timeout.

struct RunnerHost {
  Workbench& bench;
  Layout& layout;
  const std::map<std::string, WidgetRect>& widgets;
  InputPlayer& input;
  std::function<unsigned long long()> frames;  ///< drawn so far
  /// What the app does: commands, jobs, pictures, files, statistics; nothing for the other verbs.
  std::function<Result<void>(const Action&)> act;
  std::string& refused;  ///< why the command of the frame before was not done; "" = it was
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
  std::optional<Action> dump_;  ///< to be repeated
  double dumped_ = 0;
};

}  // namespace attnscope::gui
