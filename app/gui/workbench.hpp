// The state of the workbench: what is asked, what is known. Plain values; panels read it and call its verbs, the link's
// news are folded in by apply(). Knows nothing of ImGui, windows or threads.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/gui.hpp"
#include "app/gui/messages.hpp"
#include "app/gui/series.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

struct DeviceEntry {
  size_t worker = 0;
  std::string where;  ///< the worker's name; "" for this machine's own
  DeviceInfo info;
};

/// What is known of the config that is being measured.
struct Live {
  Ask ask;
  std::string stage;  ///< of Progress; "" when nothing runs
  std::optional<Verdict> verdict;
  std::optional<Resources> resources;
  std::optional<Record> record;  ///< once it ended
  std::string failure;           ///< why it could not go on
  Series series;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
};

/// A config kept for comparison: its curve as it was, and the record behind it.
struct Pin {
  uint64_t id = 0;
  size_t colour = 0;
  bool shown = true;
  Record record;
};

enum class Level { info, good, warning, error };
struct LogLine {
  double at = 0;
  Level level = Level::info;
  std::string text;
};

struct JobState {
  uint64_t id = 0;
  size_t done = 0, total = 0;
  std::optional<Ask> current;
  double began = 0;
  bool running = false;
};

/// One line of the session log: every config tried, in the order tried.
struct Tried {
  Record record;
  bool best = false;  ///< least median among verified ones of the same problem
};

class Workbench {
 public:
  explicit Workbench(const GuiOptions&);

  // --- what is asked -------------------------------------------------------------------------------------------------
  Ask ask;
  size_t worker = 0;
  std::string device_selector;
  bool device_remembered = false;  ///< the selector is from an earlier start: when it fails, the default is taken
  bool paused = false;
  std::optional<bool> quiet_choice;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  Metric metric = Metric::time;
  std::vector<Problem> bar_problems;

  void set_problem(const Problem&);
  void set_variant(const std::string& name);
  void set_value(const std::string& parameter, int64_t value);
  void set_config(const Config&);
  void set_device(size_t worker_index, const std::string& selector);
  void use_nearest();
  void undo();
  void redo();
  void set_measuring(bool on) { paused = !on; }
  void try_again();
  void reload_shaders();
  void pin();
  void unpin(uint64_t id);
  void clear_pins();
  bool can_pin() const;
  /// Records of a result file: one pin for each variant and config (those measured), all of them shown in the bar chart.
  void adopt_results(const std::vector<Record>&);
  /// Pins, measure-alls and the session log, each (problem, variant, config) once: the newest.
  std::vector<Record> all_records() const;
  void tick(double now) { now_ = now; }
  /// pins x bar_problems, as a job for the link; nullopt (with a log line) when there is nothing to measure.
  std::optional<Job> measure_all();
  bool quiet() const;
  /// What to send to the link now.
  Wish wish() const;

  // --- what is known -------------------------------------------------------------------------------------------------
  std::vector<std::string> workers;  ///< names; "" = this machine
  std::vector<DeviceEntry> devices;
  std::optional<DeviceInfo> device;
  std::string device_failure;
  bool variants_known = false;
  std::vector<VariantInfo> variants;
  std::string variants_failure;
  std::optional<Inspection> inspection;  ///< of inspected_ask
  Ask inspected_ask;
  Live live;
  std::vector<Pin> pins;
  std::vector<Record> results;  ///< of measure-all and result files
  std::vector<Tried> tried;
  std::deque<LogLine> log;
  JobState job;
  std::vector<ProblemPreset> presets;
  History history;

  /// The newest news; `disturbed`: a frame was drawn in the batch that they may carry; `now` in seconds.
  void apply(const News&, bool disturbed, double now);
  void say(Level, std::string text, double now);
  void say(Level level, std::string text) { say(level, std::move(text), now_); }

  const VariantInfo* variant(const std::string& name) const;
  std::string short_name(const std::string& variant_name, const Config& config) const {
    return gui::short_name(variant(variant_name), variant_name, config);
  }
  const VariantInfo* current_variant() const { return variant(ask.variant); }
  /// Why the variant cannot serve the current problem; "" when it can, or is not known yet.
  std::string why_not(const std::string& variant_name) const;
  /// The inspection when it is of what is asked now.
  const Inspection* current_inspection() const;
  /// Why this candidate cannot be chosen; "" when it can, or is not known yet.
  std::string why_not_value(const std::string& parameter, size_t candidate) const;
  bool live_is_current() const { return live.ask == ask; }
  bool measuring() const { return !live.stage.empty(); }
  Work work() const;
  /// The record of (config of the pin, problem), from a measure-all or the pin itself.
  const Record* result_for(const Pin&, const Problem&) const;
  /// The live config as a record: what pinning keeps.
  Record live_record() const;
  /// The same, made anew only when something arrived.
  const Record& live_summary();
  /// The live samples against a pin's of the same problem; nullptr without enough of both. Made anew now and then, one
  /// pin at a time, since it costs milliseconds.
  const Comparison* against_live(const Pin&);
  double now() const { return now_; }

 private:
  void changed();
  void on(const DevicesKnown&);
  void on(const DeviceOpened&);
  void on(const VariantsKnown&);
  void on(const VariantChecked&);
  void on(const Inspected&);
  void on(const RunStarted&);
  void on(const RunEvent&);
  void on(const RunEnded&);
  void on(const JobStep&);
  void on(const Failed&);
  void on(const Note&);
  void note_tried(const Record&);

  std::string wanted_variant_, wanted_config_;
  std::map<std::string, Config> last_config_;                        ///< by variant
  std::map<std::string, std::pair<Problem, std::string>> checked_;   ///< by variant: for which problem, and why not
  std::optional<Record> summary_;
  struct Compared {
    Comparison result;
    double at = 0;
    Ask live;
    bool known = false;
  };
  std::map<uint64_t, Compared> compared_;
  double compared_at_ = 0;
  bool adopt_nearest_ = true;  ///< the config was not chosen by hand: a legal neighbour may replace it
  bool follows_problem_ = false;  ///< the config is the one that suits the problem: with another problem it is chosen anew
  bool disturbed_ = false;
  uint64_t sources_ = 0, attempt_ = 0, next_id_ = 1;
  double now_ = 0;
};

}  // namespace attnscope::gui
