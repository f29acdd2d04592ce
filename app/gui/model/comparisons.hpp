// Records held against each other: the pins against the live config, each other and the run before. A million samples
// are weighed on a thread of its own, so that they cost no frame.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/gui/editor/versions.hpp"
#include "app/gui/model/device_state.hpp"
#include "app/gui/model/live.hpp"
#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"
#include "app/gui/worker/selection.hpp"
#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

/// What the samples of pins say of their medians, by pin: weighed once.
using PinSummaries = std::map<uint64_t, std::shared_ptr<const SampleSummary>>;

// How the pins stand against the live config: one copy of its record, and for every pin a word that comes from the
// samples of that copy and of the pin, all of them. What is shown together was compared together.

struct PinComparison {
  Record live;
  std::vector<double> live_quantiles_ns;  ///< quantiles() of its samples
  std::map<uint64_t, Comparison> words;   ///< by pin; what is not comparable has none
  PinSummaries evidence;
};

/// Made anew now and then on a thread of its own: the one before stands until all words of the next are known.
class PinComparisons {
 public:
  static constexpr double kPeriod = 1.5;  ///< seconds from one to the next
  static constexpr double kSoon = 0.25;   ///< the same when there are twice as many samples as then
  static constexpr size_t kEnough = 10;   ///< samples before anything is said

  /// `live`: the record of what is shown now; nullopt when that has no time, and then nothing stands. Never waits.
  void step(const std::optional<Record>& live, const Pins&, double now);
  /// Whether step() would look at `live` now: making that record costs a copy of its samples.
  bool due(const Pins& pins, double now, size_t samples) const {
    return making_.valid() || !made_ || now - made_at_ >= period(samples) || pins_ != pins.version();
  }
  const PinComparison* current() const { return made_ ? &*made_ : nullptr; }
  /// The word for this pin; nullptr: there is none (not comparable, too few samples, or nothing stands).
  const Comparison* verdict(uint64_t pin) const;
  void clear() { made_.reset(); }

 private:
  double period(size_t samples) const {
    return made_ && samples >= 2 * made_->live.samples_ns.size() ? kSoon : kPeriod;
  }

  std::optional<PinComparison> made_;
  std::future<PinComparison> making_;
  double made_at_ = 0;
  uint64_t pins_ = ~0ull;  ///< the version that is compared
};

// What was measured before the config that is shown now: its curve, for as long as there is none of this one, and how
// this one's median stands against it.

/// Two complete runs that are right, on the same problem, device and in the same modes.
struct Change {
  std::shared_ptr<const Record> before;
  std::string before_name, now_name;  ///< told apart from one another
  double before_ns = 0, now_ns = 0;   ///< medians
  uint64_t before_count = 0, now_count = 0;
  Comparison word;  ///< of now against before
  double relative() const { return now_ns / before_ns - 1; }
};
/// "1.87 → 1.52 ms, −19 %" with the metric's unit once; as a rate the percent is of the rate.
std::string change_text(const Change&, Metric, const Work&);

/// Verified, and sampled for as long as its protocol asks: a slider passing by is not.
bool complete(const Live&);

class PreviousRun {
 public:
  static constexpr double kPeriod = 0.5;  ///< seconds from one comparison to the next

  /// To be told before the run's samples go.
  void leave(const Live&);
  /// The newest that had a time, complete or not; nullptr: none yet.
  const Record* newest() const { return newest_.get(); }
  /// The newest complete run that can stand beside `now` and is another; nullptr: none.
  const Record* beside(const Record& now) const;
  /// `timed`: what is shown now, or nullptr.
  void step(const Live* timed, const DeviceState&, double now);
  /// nullptr while there is nothing to hold against each other.
  const Change* change() const { return change_ ? &*change_ : nullptr; }

 private:
  std::shared_ptr<const Record> newest_, complete_[2];  ///< of complete runs the newest two that differ
  std::optional<Change> change_;
  SampleSummary evidence_;  ///< of change_->before
  uint64_t series_ = 0;
  double due_ = 0;
};

// Pins against each other: a word and a ratio for each two of them, made by the engine on a thread of its own, once,
// for what is in view.

/// A pin (the row) against another (the column).
struct MatrixCell {
  Comparison word;      ///< of the row against the column; its ratio is row / column
  std::string why_not;  ///< why the two are not compared; then there is no word
  double ratio = 0;     ///< of the medians, also where there is no word; 0 = one of them has none
};

class CompareMatrix {
 public:
  static constexpr size_t kBatch = 512;  ///< cells made at a time

  /// Pins by id that are in view, as rows and as columns: what is missing of them is made. Call once a frame in view.
  void look(const Pins&, const std::vector<uint64_t>& rows, const std::vector<uint64_t>& columns);
  /// Folds in what was made; forgets pins that are gone. Never waits.
  void step(const Pins&);
  /// nullptr: not made yet.
  const MatrixCell* cell(uint64_t row, uint64_t column) const;
  bool busy() const { return making_.valid(); }
  /// Cells made so far, for whoever wants to know what it costs.
  uint64_t made() const { return made_; }

 private:
  using Pair = std::pair<uint64_t, uint64_t>;
  struct Made {
    std::map<Pair, MatrixCell> cells;
    PinSummaries evidence;
  };
  static Made make(const std::map<uint64_t, Pin>&, PinSummaries, const std::vector<Pair>&);
  std::map<Pair, MatrixCell> cells_;
  PinSummaries evidence_;
  std::future<Made> making_;
  uint64_t pins_ = ~0ull, made_ = 0;
};

// Comparisons in few words.

/// "FASTER 1.23×", "SAME", "UNSURE"
std::string relation_text(const Comparison&);
/// Of A against B, from that of B against A.
Comparison turned_round(const Comparison&);
/// The same of a cell; where the two cannot be compared the ratio of their medians alone, without a word: "(0.52×)".
std::string cell_text(const MatrixCell&);

/// The headline over Inspection::why_not.
std::string cannot_run(const Inspection&);

// The best of a search against what is shown, taken in turn in one process: whether it is taken. Plain values.

struct BestRace {
  enum class Verdict {
    take,   ///< the best is faster
    equal,  ///< what is shown is as fast: nothing changes
    stay,   ///< what is shown is faster, or nobody can tell
  };
  uint64_t job = 0;
  bool running = false;
  bool keep = false;  ///< it was to be accepted: into the tuning cache, where it is not slower
  std::string stage;  ///< of the race; "" = it is over
  Selection shown, best;
  std::string shown_name, best_name;  ///< told apart from one another
  Modes modes;
  DeviceInfo device;    ///< that both are of
  std::string machine;  ///< Session::machine() of its worker
  // At the end.
  std::optional<Comparison> word;          ///< of the best against what was shown
  double shown_ns = 0, best_ns = 0;        ///< medians
  std::string error;                       ///< why there is no word
  std::optional<Verdict> verdict() const;  ///< none: there is no word
};

/// For a person: "tiled M=64 against tiled, which is shown: FASTER, 0.8102 (0.8050–0.8160), 1.87 → 1.52 ms".
std::string word_text(const BestRace&);
/// The best against what is shown, both of one race: from neighbouring turns, and where there are too few of them (each
/// execution takes long) from all samples.
Comparison word_of_race(const Record& shown, std::span<const uint32_t> shown_turns, const Record& best,
                        std::span<const uint32_t> best_turns);

// The versions of the variant that is shown, each with what is known of it on the problem that is asked for.

class VersionsView {
 public:
  struct Row {
    int number = 0;
    std::string hash;
    bool current = false;  ///< what is loaded now
    bool good = false;     ///< the last one before it that was correct on this problem
    bool texts = false;    ///< it can be put into the editor, and compared with
    /// The run of it on just this device, problem and in these modes: of the config that is asked for, else the newest
    /// one; nullptr: none of this session.
    std::shared_ptr<const Record> record;
    bool same_config = false;
  };
  /// Of what.
  struct Of {
    Selection selection;
    Modes modes;
    std::string device;  ///< device_key()
    std::string hash;    ///< loaded now; "" = the present text does not load
    bool operator==(const Of&) const = default;
  };
  /// Made anew when anything of it changed. `live`: the run that is shown, as a record; counts as the newest.
  void step(const Versions&, const SessionLog&, const Of&);
  /// The newest version first.
  const std::vector<Row>& rows() const { return rows_; }
  /// The last good version before the current one: what a change is compared with. nullptr: there is none.
  const Row* before() const;
  const Row* current() const;

 private:
  Of of_;
  uint64_t versions_ = ~0ull, tried_ = ~0ull;
  std::vector<Row> rows_;
};

}  // namespace attnscope::gui
