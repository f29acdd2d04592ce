// How far a search is, on stderr: one line on a terminal, a line for each new best elsewhere.
#pragma once

#include <mutex>
#include <string>

#include "app/cli/progress.hpp"
#include "engine/clock.hpp"
#include "engine/tune/tuner.hpp"

namespace attnscope::cli {

/// Thread-safe: searches on several groups of devices show in turn.
class TuneStatus {
 public:
  explicit TuneStatus(ProgressKind kind);
  ~TuneStatus() { clear(); }
  TuneStatus(const TuneStatus&) = delete;
  TuneStatus& operator=(const TuneStatus&) = delete;
  /// A stage of a search: "1x16x4096x128:f16", "search", how far, since when, and how long it may take (0 = not known).
  void show(const std::string& what, const std::string& stage, const tune::TuneProgress&, Clock::time_point start,
            double budget_s);
  void clear();

 private:
  std::mutex mutex_;
  ProgressKind kind_;
  bool terminal_, drawn_ = false;
  std::string told_;  ///< where there is no terminal, the last line
};

}  // namespace attnscope::cli
