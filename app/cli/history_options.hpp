// Which runs of the history, on a command line.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/history/filter.hpp"

namespace attnscope::cli {

struct HistoryFilterOptions {
  std::vector<std::string> words;  ///< FIELD=VALUE
  std::string since, until;
};
/// --where, --since, --until and, where `words`, conditions without an option before them.
void add_history_filter(CLI::App&, HistoryFilterOptions&, bool words);
/// The error names the option.
Result<HistoryFilter> history_filter(const HistoryFilterOptions&);

}  // namespace attnscope::cli
