// What a person asks for, as a whole; what the engine chooses of it; and the steps back.
#pragma once

#include "app/gui/gui.hpp"
#include "app/gui/model/device_state.hpp"
#include "app/gui/model/messages_log.hpp"
#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"
#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

/// The steps that undo and redo walk through: changes of what is asked, and pins that were removed.
class History {
 public:
  struct Choice {
    Selection selection;
    bool automatic = false;  ///< whether the engine chose the variant
    bool operator==(const Choice&) const = default;
  };
  struct Step {
    Choice before = {}, after = {};            ///< the same where it is a step of rows
    uint64_t gesture = 0;                      ///< that it is a part of; 0 = none
    std::vector<Pin> pins = {};                ///< removed
    bool opened = false;                       ///< the other way round: the pins came from a file
    std::vector<SessionLog::Entry> runs = {};  ///< removed
    bool asks() const { return before != after; }
  };

  /// What is asked now; a step when it differs from what was asked last. What was undone is dropped. All of one gesture
  /// (a number other than 0, until another is told) are one step: a drag is taken back at once.
  void remember(const Selection& now, bool automatic = false) {
    if (last_ && last_->selection != now && !join({now, automatic}))
      push({.before = *last_, .after = {now, automatic}, .gesture = gesture_});
    last_ = {now, automatic};
  }
  void gesture(uint64_t number) { gesture_ = number; }
  /// The same without a step of its own: what was put in place of what a person asked belongs to that step.
  void amend(const Selection& now, bool automatic = false) {
    Step* step = last_ ? newest() : nullptr;
    if (step) step->after = {now, automatic};
    if (step && !step->asks()) steps_.resize(--at_);
    last_ = {now, automatic};
  }
  void removed(std::vector<Pin> pins) {
    if (!pins.empty()) push({.pins = std::move(pins)});
  }
  void opened(std::vector<Pin> pins) { push({.pins = std::move(pins), .opened = true}); }
  void removed(std::vector<SessionLog::Entry> runs) {
    if (!runs.empty()) push({.runs = std::move(runs)});
  }
  /// No step is left; what is asked stays what the next one begins from.
  void clear() {
    steps_.clear();
    at_ = 0;
  }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ < steps_.size(); }
  /// The step to take back, or to take again; call only when can_undo() / can_redo().
  const Step& undo() {
    const Step& step = steps_[--at_];
    if (step.asks()) last_ = step.before;
    return step;
  }
  const Step& redo() {
    const Step& step = steps_[at_++];
    if (step.asks()) last_ = step.after;
    return step;
  }

 private:
  static constexpr size_t kKept = 500;
  void push(Step step) {
    steps_.resize(at_);
    steps_.push_back(std::move(step));
    if (steps_.size() > kKept) steps_.erase(steps_.begin());
    at_ = steps_.size();
  }
  /// The step that what is put in its place belongs to; nullptr: there is none.
  Step* newest() { return at_ > 0 && at_ == steps_.size() && steps_.back().asks() ? &steps_.back() : nullptr; }
  /// True when it became a part of the last step.
  bool join(const Choice& now) {
    Step* step = newest();
    if (gesture_ == 0 || !step || step->gesture != gesture_) return false;
    step->after = now;
    if (step->before.selection == now.selection) steps_.resize(--at_);
    return true;
  }
  std::vector<Step> steps_;
  size_t at_ = 0;  ///< steps that are done
  std::optional<Choice> last_;
  uint64_t gesture_ = 0;
};

class UserRequest {
 public:
  UserRequest(const GuiOptions&, const DeviceState&, MessagesLog&);

  Selection selection;
  Modes modes;
  size_t worker = 0;
  std::string device;              ///< as Session::open takes it
  bool device_remembered = false;  ///< from an earlier start: when it fails, the default is taken
  bool paused = false;
  std::optional<bool> quiet;  ///< unset: on for a software device
  Metric metric = Metric::time;
  std::vector<Selection> also;  ///< of a panel in view: it shows which of them cannot run
  bool closer = false;          ///< a panel in view shows what the config means: its neighbours are planned too
  uint64_t peaks = 0;           ///< how often the device's ceilings were asked for
  History history;              ///< what can be undone

  void set_problem(const Problem&);
  /// By hand, from now on; "auto" leaves it to the engine again.
  void set_variant(const std::string& name);
  void set_value(const std::string& parameter, int64_t value) {
    Config config = selection.config;
    config[parameter] = value;
    set_config(config);
  }
  void set_config(const Config&);
  /// As --config takes it; "default" leaves the choice to the engine, now and for the problems to come.
  Result<void> set_config(std::string_view text);
  /// A record's problem, variant, config and modes, as one step to undo.
  void take(const Record&);
  /// Whether there is such a variant that loads; else that is said.
  bool take(const Selection&, const Modes&);
  /// It is taken as soon as it is loaded, at the config that is asked for now.
  void take_new_variant(const std::string& name) {
    new_variant_ = name;
    last_config_[name] = selection.config;
  }
  /// As a step of undo or redo has it.
  void step_to(const History::Choice&);

  const VariantInfo* variant() const { return device_state_.variant(selection.variant); }
  /// The same where it loads.
  const VariantInfo* loaded() const { return variant() && variant()->error.empty() ? variant() : nullptr; }
  const Inspection* inspection() const { return device_state_.inspection(selection); }
  /// Whether the engine chooses the variant for each problem, with its config: until a person chooses either.
  bool automatic() const { return automatic_; }
  void end_automatic() {
    automatic_ = false;
    why_automatic_.clear();
  }
  /// Why it chose the one that is asked: a sentence; "" when it did not, or does so only now.
  const std::string& why_automatic() const { return why_automatic_; }
  /// The engine was asked which config, or variant, and has not answered yet.
  bool choosing() const { return chosen_ == Choice::by_engine && choose_; }

  /// What the tuning cache has for just what is asked; nullptr: nothing, or it is not known yet.
  const tune::TunedMatch* tuned() const;
  /// "tuned here, 12 min ago" where what is asked is the tuned config; "".
  std::string tuned_caption() const;
  /// False: it is that one already. Each worker keeps the device that it is left with.
  bool set_device(size_t of_worker, const std::string& selector);
  const std::map<size_t, std::string>& left_devices() const { return left_devices_; }

  /// By an option or the settings: the first look takes no other.
  void problem_was_chosen() { problem_chosen_ = true; }
  void variant_was_chosen(const std::string& name) {
    automatic_ = name.empty() || name == kAutoVariant;
    // A config that was kept is of its own variant alone.
    if (automatic_ || selection.variant != name) chosen_ = Choice::by_engine;
    if (!automatic_) selection.variant = name;
  }
  /// A person chose this config some time before.
  void restore_config(const Config& config) {
    selection.config = config;
    end_automatic();
    chosen_ = Choice::before;
  }
  /// nullptr while the engine chooses.
  const Config* config_to_keep() const { return chosen_ == Choice::by_engine ? nullptr : &selection.config; }

  void hear_variants();
  void hear(const SelectionChoice&);
  void hear(const InspectionResult&);
  void hear(const TunedLookup& news) { tuned_ = news; }

 private:
  /// What a first look shows: the problem and the first variant that can run here, of the choice made for such a
  /// device. With "auto" the variant stands until the engine has chosen, and where nothing can serve the problem.
  void choose_first();
  /// What "default" stands for, until the engine says otherwise the declared defaults.
  void leave_to_engine();
  /// A config is of one variant: whoever sets one by hand has chosen that variant too.
  void take_by_hand() {
    chosen_ = Choice::by_hand;
    end_automatic();
  }
  /// For when its variant is chosen again.
  void keep_config();

  const DeviceState& device_state_;
  MessagesLog& messages_;
  std::string wanted_config_;
  std::vector<StartChoice> start_;
  bool problem_chosen_ = false;                ///< by an option, the settings or a person: else the device decides
  std::map<std::string, Config> last_config_;  ///< by variant
  /// Whose choice the config is: it decides what may replace it.
  enum class Choice {
    by_engine,  ///< what "default" stands for: chosen anew with another problem
    before,     ///< a person's, but for another problem or shader: a legal neighbour may replace it
    by_hand     ///< a person's, for just this: only they replace it
  };
  Choice chosen_ = Choice::by_engine;
  bool automatic_ = true;
  std::string why_automatic_;
  bool choose_ = true;  ///< by_engine, and the engine has not answered yet
  std::optional<TunedLookup> tuned_;
  std::map<size_t, std::string> left_devices_;  ///< by worker, as it was left for another
  std::string new_variant_;                     ///< to be taken when it is loaded
  std::set<std::string> seen_;                  ///< names of the variants that were there at any time
};

}  // namespace attnscope::gui
