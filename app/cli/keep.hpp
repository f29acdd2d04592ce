// Where a finished record goes: into the history of the user. A fault of the history is noted and ends nothing.
#pragma once

#include <mutex>

#include <CLI/CLI.hpp>

#include "engine/history/history.hpp"

namespace attnscope::cli {

/// Any thread may call keep(). Nothing is opened before the first run.
class HistoryKeeper {
 public:
  /// `command`: for messages. Nothing is kept unless `wanted`, or where there is no place for it (history_file()).
  HistoryKeeper(std::string command, bool wanted);
  /// Keeps those that are worth keeping, in one write. A failure is one line on stderr, after which this process keeps
  /// no more.
  void keep(std::span<const Record>, bool live = false);
  void keep(const Record& record, bool live = false) { keep(std::span(&record, 1), live); }

 private:
  void say(const std::string& sentence) const;
  std::string command_;
  std::mutex mutex_;
  bool wanted_;
  std::optional<History> history_;
  std::string told_;  ///< the last note that was printed
};

/// The error: there is none, or it cannot be opened. `command`: for messages.
Result<History> open_history(const std::string& command, bool to_write = false);

struct HistoryFilterOptions {
  std::vector<std::string> words;  ///< FIELD=VALUE
  std::string since, until;
};
/// --where, --since, --until and, where `words`, conditions without an option before them.
void add_history_filter(CLI::App&, HistoryFilterOptions&, bool words);
/// The error names the option.
Result<HistoryFilter> history_filter(const HistoryFilterOptions&);

}  // namespace attnscope::cli
