// What `tune` and `sweep` share: options, devices in groups of equal ones, and a search on such a group.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/options.hpp"
#include "app/cli/tune_status.hpp"
#include "engine/search/search.hpp"

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

/// What the options ask of a search of this problem; `variants` as given. The error is of an option.
Result<search::SearchRequest> search_request(const SearchOptions&, const Problem&, const DeviceInfo&);
/// Searches on one group and shows how far it is; notes go to stderr.
Result<search::SearchOutcome> search_on(const SearchOptions&, const search::SearchRequest&,
                                        std::span<Opened* const> group, TuneStatus&);
/// As the search takes them.
std::vector<search::SearchDevice> places_of(std::span<Opened* const> group);

}  // namespace attnscope::cli
