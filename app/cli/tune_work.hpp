// What `tune` and `sweep` share: options, devices in groups of equal ones, and one problem searched on such a group.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "app/cli/tune_status.hpp"
#include "engine/tune/drive.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope::cli {

struct SearchOptions {
  CommonOptions common;
  WorkOptions work;
  ProtocolChange protocol;
  std::string shard, journal;
  bool fresh = false;  ///< do not go on where an earlier one stopped
  bool retry = false;  ///< what failed then is tried again
};
void add_search_options(CLI::App&, SearchOptions&);
/// --problem, --preset, --variant, --seed, --output: WorkOptions without the configs.
void add_search_work_options(CLI::App&, WorkOptions&);

/// As open_sessions(), and every usable device with --device all.
Result<std::vector<Opened>> open_search(const SearchOptions&);
/// Devices of one name and driver: they share the work of one search.
std::vector<std::vector<Opened*>> equal_devices(std::vector<Opened>&);

/// How to search, beyond the options that both commands have.
struct SearchPlan {
  tune::StrategyKind strategy = tune::StrategyKind::surrogate;
  double budget_s = 0;
  uint64_t budget_trials = 0, random = 0;
  bool drop = true;
  bool all_variants = false;  ///< those that cannot serve are left out without a word
  size_t finalists = 0;
};
struct SearchOutcome {
  Problem problem;
  DeviceInfo device;
  tune::TuneResult result;
  tune::TuneProgress progress;
  std::vector<tune::ArmSummary> arms;
  std::vector<Record> records;  ///< of every trial, fastest first, then what has no time
  std::string baseline;         ///< "coopmat default"
  double seconds = 0;
};
/// Searches one problem on one group. Every trial is in the journal before the next is told of. Error: nothing could be
/// tried, such as a variant that does not exist.
Result<SearchOutcome> search_problem(const SearchOptions&, const SearchPlan&, const Problem&,
                                     std::span<Opened* const> group, TuneStatus&);

/// "312 tried: 60 measured, 250 dropped early, 2 wrong, 41 refused; 100 by an earlier run"
std::string counts_text(const tune::TuneProgress&);
/// "in 40.1 s: 71 % measuring, 12 % verifying, 15 % waiting for compiles, 2 % choosing"
std::string shares_text(const SearchOutcome&);

}  // namespace attnscope::cli
