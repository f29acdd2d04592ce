// Jobs: the (problem, variant, config) triples that a command line asks for, and running them one after another.
#pragma once

#include "app/cli/options.hpp"
#include "engine/search/search.hpp"
#include "engine/session/auto_choice.hpp"

namespace attnscope::cli {

struct WorkItem {
  const VariantInfo* variant = nullptr;
  Problem problem;
  Config config;
  std::string config_text;  ///< as asked for: "default", "A", "BLOCK_M=32"
  /// The session chooses the config: one that suits the problem, or is legal, may replace the default.
  bool adaptable = false;
  bool tuned = false;       ///< it is what the tuning cache has for this problem, else the session's choice of default
  std::string note = {};    ///< where a tuned config is from, or why the default stands in for it
  std::string chosen = {};  ///< "auto" took variant and config: why (AutoChoice::because); "" = they were asked for
  bool all = false;         ///< every legal config in turn; `config` means nothing
  /// Named on the command line, so that it is an error when it cannot run; else it is skipped, with the reason.
  bool named = false;
  std::string why_not = {};  ///< known before running; empty = to be tried
  ErrorKind kind = ErrorKind::bad_input;
};

/// Problems outermost: inputs and references are made once. Points into `opened`. Error: an unknown or broken variant.
Result<std::vector<WorkItem>> make_jobs(const DeviceSession& opened, const std::vector<Problem>& problems,
                                        const WorkOptions& work);

/// The job of one variant and config, with the config that it comes to, and in `chosen` how that was chosen.
Result<WorkItem> one_job(const DeviceSession& opened, const Problem&, const std::string& variant,
                         const std::string& config);

/// The name in a row of a config that replaces a default that does not fit.
inline constexpr const char* kNearest = "nearest to default";

struct Row {
  Record record;
  std::string config_text;
  bool skipped = false;   ///< could not run, and nobody insisted
  bool missing = false;   ///< the device cannot run the variant, whatever the problem, or it does not load
  bool left_out = false;  ///< not begun, since the time was up
  std::string note;       ///< where a tuned config is from, or why the default stands in for it
  double seconds = 0;     ///< of wall time that it took
};

struct RunOptions {
  Protocol protocol;
  uint64_t seed = 1;
  bool measure = false;
  bool verify = true;  ///< with `measure` false too, configs are only compiled
  /// No job begins after this time; the rest become rows marked as left out.
  std::optional<Clock::time_point> end = {};
  std::string why_end = {};          ///< the message of those rows
  HistoryKeeper* history = nullptr;  ///< where every run is remembered
  Predictor* predictor = nullptr;    ///< of the session's device; none: records carry no predicted time
};

/// What a session reports of long work, as stages of the current item.
EventSink stages_on(ProgressLine&);
/// One job. Errors of the session itself become the record's, so that the jobs after it still run.
Row run_job(Session&, const WorkItem&, const RunOptions&, const DeviceInfo&, const EventSink& sink);
ExitCode outcome_code(Outcome);
ExitCode row_code(const Row&, const WorkItem&);
/// Runs all, showing progress, until done or interrupted; what a job for all configs left out is noted on stderr.
ExitCode run_jobs(DeviceSession&, const std::vector<WorkItem>&, const RunOptions&, ProgressKind, std::vector<Row>& rows,
                  const std::function<void(const Row&)>& print);

/// A refusal of a config that was named is also an error message on stderr.
void report_refusals(const std::vector<Row>&);

/// "pass", "FAIL", "SKIP", "REFUSED", "ERROR", "cancelled": for a column.
std::string outcome_text(const Row&);

/// The most configs that --config all takes (a note says so): more would take too long, and all rows are in memory.
inline constexpr uint64_t kMostConfigs = 10'000;
/// Seconds spent on planning, not on running; the first applies as long as nothing legal was found.
inline constexpr double kPlanningForNothing = 10, kPlanning = 60;

class LegalConfigs {
 public:
  /// `job` outlives it.
  LegalConfigs(Session& session, const WorkItem& job) : session_(session), job_(job) {}
  /// The next ones, as few as were found in the session's time for a batch; empty is not the end unless done().
  Result<std::vector<Config>> next();
  bool done() const { return done_; }
  uint64_t legal() const { return legal_; }
  /// "planned 12 %", for a progress line.
  std::string progress() const;
  /// Of the reasons, on stderr.
  void report() const;
  std::string why_none() const;

 private:
  Session& session_;
  const WorkItem& job_;
  uint64_t next_ = 0, size_ = 0, legal_ = 0;
  bool done_ = false;
  double planned_s_ = 0;
  std::string cut_;  ///< why it ended before all were looked at
  std::vector<PrunedReason> pruned_;
};

/// A line on stderr for each reason, with how many of `size` configs it took away and one of them.
void print_pruned(const std::string& variant, const Problem&, std::span<const PrunedReason>, uint64_t size,
                  const char* of_which = "");

inline constexpr const char* kTuned = "tuned";

/// Read at the first call, with problems of the files on stderr.
const tune::TunedTables& tuned_tables();
/// The best match that is legal here, and where it is from, "" for the very problem; or why there is none, a sentence.
std::pair<std::optional<Config>, std::string> tuned_config(Session&, const DeviceInfo&, const VariantInfo&,
                                                           const Problem&, const Protocol&);

}  // namespace attnscope::cli
