// Every legal config of a variant on a problem, a batch at a time, and notes on what the others fell to.
#pragma once

#include <string>
#include <vector>

#include "app/cli/jobs.hpp"

namespace attnscope::cli {

class LegalConfigs {
 public:
  /// `job` outlives it.
  LegalConfigs(Session& session, const Job& job) : session_(session), job_(job) {}
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
  const Job& job_;
  uint64_t next_ = 0, size_ = 0, legal_ = 0;
  bool done_ = false;
  std::vector<PrunedReason> pruned_;
};

}  // namespace attnscope::cli
