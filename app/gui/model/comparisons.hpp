// Records held against each other: the pins against the live config and each other, the run before, versions.
#pragma once

#include "app/gui/editor/editor.hpp"
#include "app/gui/model/live.hpp"
#include "app/gui/model/user_request.hpp"

namespace attnscope::gui {

struct Compared {
  Comparison word;                     ///< of the first against the second; its ratio is first / second
  std::string why_not;                 ///< why the two are not compared; then there is no word
  double ratio = 0;                    ///< of the medians, also where there is no word; 0 = one of them has none
  bool in_turn = false;                ///< by samples that were taken in turn, not by those of the records
  double first_ns = 0, second_ns = 0;  ///< the medians of those; 0 = not in_turn
};

/// Comparisons of any two records, each made once from all their samples.
class Comparisons {
 public:
  using Shared = std::shared_ptr<const Record>;
  static constexpr size_t kEnough = 10;  ///< samples of a record before a word about it is said

  /// Two whose runs the newest race took in turn; nullptr: it had not both.
  const Compared* raced(const Record& a, const Record& b) const;
  bool any_raced() const { return !raced_.empty(); }
  /// Runs that were taken in turn: in place of what their own samples say.
  void take(const RaceResult&);
  /// By the newest race, else of all samples of both. nullptr: this frame has weighed enough samples; ask again.
  const Compared* of(const Shared& a, const Shared& b) const;
  /// What the samples of a record say of its median.
  const SampleSummary& summary(const Shared&) const;
  /// A frame begins.
  void step();

 private:
  struct Entry {
    std::optional<Compared> of;
    uint64_t asked = 0;  ///< the step at which it was asked for last
  };
  mutable std::map<std::pair<Shared, Shared>, Entry> all_;
  std::map<std::pair<RunId, RunId>, Compared> raced_;
  mutable std::map<Shared, SampleSummary> summaries_;  ///< what the samples say of the medians: weighed once
  mutable size_t weighed_ = 0;                         ///< samples, in this frame
  uint64_t steps_ = 0;
};

// What was measured before the shown config: its curve, while this one has none, and how this one's median stands.

/// Two complete runs that are right, on the same problem, device and in the same modes.
struct Change {
  std::shared_ptr<const Record> before;
  std::string before_name, now_name;  ///< told apart from one another
  double before_ns = 0, now_ns = 0;   ///< medians
  uint64_t before_count = 0, now_count = 0;
  Comparison word;       ///< of now against before
  bool in_turn = false;  ///< word and medians are of a race
};
/// "1.87 → 1.52 ms, −19 %" with the metric's unit once, of a race "−19 %"; as a rate the percent is of the rate. From a
/// factor of 2 on "2.14× faster". Of these medians; of a race by the word's ratio.
std::string change_text(const Change&, Metric, const Work&);
/// What of that text has room: the medians go first, and the number before what is to be said against it.
std::string change_within(std::string text, bool unsure, const std::function<bool(const std::string&)>& fits);

/// Verified, and sampled for as long as its protocol asks: a slider passing by is not.
bool complete(const Live&);

class PreviousRun {
 public:
  /// To be told before the run's samples go.
  void leave(const Live& live) {
    if (!live.timed()) return;
    auto record = std::make_shared<const Record>(*live.record());
    newest_ = record;
    if (!complete(live)) return;
    if (complete_[0] && run_id(*complete_[0]) != run_id(*record)) complete_[1] = complete_[0];
    complete_[0] = std::move(record);
  }
  /// The newest that had a time, complete or not; nullptr: none yet.
  const Record* newest() const { return newest_.get(); }
  /// `timed`: what is shown now, and `copy` a record of it; nullptr: there is none.
  void step(const Live* timed, const Comparisons::Shared& copy, const Comparisons&, const DeviceState&, const Pins&);
  /// nullptr while there is nothing to hold against each other.
  const Change* change() const { return change_ ? &*change_ : nullptr; }

 private:
  std::shared_ptr<const Record> newest_, complete_[2];  ///< of complete runs the newest two that differ
  std::optional<Change> change_;
};

/// The reason of an UNSURE in few words: "not taken interleaved"; "" of any other word.
std::string unsure_text(const Comparison&);
/// The larger over the smaller: "1.23×", "33.4×".
std::string times_text(double ratio);
/// "FASTER 1.23×", "SAME", "UNSURE"
std::string relation_text(const Comparison&);
/// Its interval, of the same direction as the word: "1.05–1.13×"; of UNSURE "1.02× faster to 1.07× slower".
std::string between_text(const Comparison&);
/// "260 vs 283 µs": the medians of a race, which are others than those of the runs.
std::string raced_text(double first_ns, double second_ns);
inline constexpr const char* kRaceThem = "race them";
/// What a word rests on: of a race that its ratio is of pairs of turns, and the medians, since those of the rows are of
/// other moments; of UNSURE why; else its interval.
std::string beside_text(const Compared&);
/// Of A against B, from that of B against A.
Comparison turned_round(const Comparison&);
/// The same of a cell; where the two cannot be compared the ratio of their medians alone, without a word: "(0.52×)".
std::string cell_text(const Compared&);

/// The headline over Inspection::why_not.
std::string cannot_run(const Inspection&);

/// Two versions of a variant, taken in turn in one process: the second against the first.
struct RaceState {
  Selection asked = {};
  std::string first_name = {}, second_name = {};  ///< "#1", "#3"; "" = none was asked for
  Modes modes = {};
  DeviceInfo device = {};                 ///< that both are of
  std::optional<RowComparison> row = {};  ///< at the end
  std::string error = {};                 ///< why there is none
  /// Which of the two has no time, and why ("#2 is wrong: …"); "" when both have one, or it is not over.
  std::string no_time() const {
    if (!row) return "";
    for (const auto& [side, name] : {std::pair(&row->a, first_name), std::pair(&row->b, second_name)}) {
      if (side->median_ns && side->outcome == Outcome::measured) continue;
      const std::string what = side->outcome == Outcome::failed_verdict ? "is wrong" : "was not measured";
      return fmt::format("{} {}{}", name, what, side->message.empty() ? "" : ": " + side->message);
    }
    return "";
  }
};
/// "tiled BLOCK_M=64 against tiled: FASTER 1.23× (1.22–1.24)".
std::string race_text(const RaceState&);

// The versions of the variant that is shown, each with what is known of it on the problem that is asked for.

struct VersionRow {
  int number = 0;
  std::string hash;
  bool current = false;  ///< what is loaded now
  bool good = false;     ///< the last one before it that was correct on this problem
  /// Its run on just this device, problem and modes: of the asked config, else this session's newest; nullptr: none.
  std::shared_ptr<const Record> record;
  bool same_config = false;
};
/// By its record: "correct", "wrong, another config", "not run here".
std::string judged_text(const VersionRow&);
struct VersionsOf {
  Selection selection;
  Modes modes;
  std::string device;  ///< device_key()
  std::string hash;    ///< loaded now; "" = the present text does not load
  bool operator==(const VersionsOf&) const = default;
};
struct VersionList {
  std::vector<VersionRow> rows;  ///< the newest version first
  /// The last good version before the current one: what a change is compared with. nullptr: there is none.
  const VersionRow* before() const { return find_by(rows, true, &VersionRow::good); }
  const VersionRow* current() const { return find_by(rows, true, &VersionRow::current); }
};
VersionList list_versions(const Versions&, const SessionLog&, const VersionsOf&);

// The newest run and the one before it: what of them is of just what is asked now, and the pins against it.

struct LiveCopy {
  std::shared_ptr<const Record> record;
  uint64_t series = 0, taken = 0;  ///< Series::id() and taken()
};

class LiveRuns {
 public:
  LiveRuns(const UserRequest& request, const DeviceState& known, const Editor& editor)
      : request_(request), device_state_(known), editor_(editor) {}

  Live newest;  ///< of whatever config: for the status line. Panels show the numbers of shown() alone
  Comparisons comparisons;

  bool measuring() const { return !newest.stage.empty(); }
  /// The run of just what is asked now: device, problem, variant as loaded, config, modes; nullptr: there is none yet.
  const Live* shown() const;
  /// The same, and only with a time that may be shown: verified and not broken off.
  const Live* timed() const {
    const Live* live = shown();
    return live && live->timed() ? live : nullptr;
  }
  /// While what is asked has no time yet, what was measured before it, to be shown as such; nullptr: there is none.
  std::pair<const Record*, std::span<const double>> before() const;
  /// What is shown against the run before it; nullptr while either is not complete.
  const Change* change() const { return timed() ? previous_.change() : nullptr; }
  Work work() const {
    if (const Live* live = shown(); live && live->began) return {live->began->flops, live->began->bytes};
    return work_of(request_.selection.problem);
  }
  /// What is shown, with the samples of some time ago: what the pins are compared with. nullptr: it has no time.
  const LiveCopy* copy() const { return copy_ ? &*copy_ : nullptr; }
  /// This pin against what is shown, if there is a word; else in two words why not.
  const Compared* verdict(const Pin&) const;
  /// A median of so many samples, which are not known, against what is shown; nullopt: that has too few samples.
  std::optional<Comparison> verdict(double median_ns, uint64_t samples) const;
  std::string why_no_verdict(const Pin&) const;

  /// To be told before the newest run's samples go.
  void leave() { previous_.leave(newest); }
  /// Of another device.
  void forget() {
    leave();
    newest = {};
  }
  void step(const Pins& pins, double now) {
    comparisons.step();
    make_copy(now);
    previous_.step(timed(), copy_ ? copy_->record : nullptr, comparisons, device_state_, pins);
  }

 private:
  void make_copy(double now);
  const UserRequest& request_;
  const DeviceState& device_state_;
  const Editor& editor_;
  PreviousRun previous_;
  std::optional<LiveCopy> copy_;
  double copied_at_ = 0;
};

}  // namespace attnscope::gui
