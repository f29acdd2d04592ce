// What a person asks for, as a whole; what the engine chooses of it; and the steps back.
#pragma once

#include "app/gui/gui.hpp"
#include "app/gui/model/device_state.hpp"
#include "app/gui/model/history.hpp"
#include "app/gui/model/messages_log.hpp"
#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

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
  void step_to(const History::Asked&);

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

  /// A worker told of them.
  void hear_variants();
  void hear(const Chosen&);
  void hear(const Inspected&);
  void hear(const TunedKnown& news) { tuned_ = news; }

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
  std::optional<TunedKnown> tuned_;
  std::map<size_t, std::string> left_devices_;  ///< by worker, as it was left for another
  std::string new_variant_;                     ///< to be taken when it is loaded
  std::set<std::string> seen_;                  ///< names of the variants that were there at any time
};

}  // namespace attnscope::gui
