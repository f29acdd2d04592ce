// Every legal config of a variant on a problem, a batch at a time, and notes on what the others fell to.
#pragma once

#include <string>
#include <vector>

#include "app/cli/jobs.hpp"

namespace attnscope::cli {

/// Where --config all ends, and says so: nobody waits for more, and rows are kept.
inline constexpr uint64_t kMostConfigs = 10'000;
/// Seconds of planning, not of running; the first as long as nothing legal was found.
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
  /// A line on stderr for each reason, with how many configs it took away and one of them.
  void report() const;
  std::string why_none() const;

 private:
  Session& session_;
  const WorkItem& job_;
  void look_at_limits(double spent_s);
  uint64_t next_ = 0, size_ = 0, legal_ = 0;
  bool done_ = false;
  double planned_s_ = 0;
  std::string cut_;  ///< why it ended before all were looked at
  std::vector<PrunedReason> pruned_;
};

}  // namespace attnscope::cli
