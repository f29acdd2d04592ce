// Shared by `tune` and `sweep`: options, groups of equal devices, and a search on such a group.
#pragma once

#include "app/cli/options.hpp"
#include "engine/search/search.hpp"

namespace attnscope::cli {

struct SearchOptions {
  CommonOptions common;
  WorkOptions work;
  ProtocolChange protocol;
  std::string journal;
  bool fresh = false;  ///< do not go on where an earlier one stopped
  bool retry = false;  ///< what failed then is tried again
};
void add_search_options(CLI::App&, SearchOptions&);

/// Like open_sessions(), but with --device all every usable device.
Result<std::vector<DeviceSession>> open_search(const SearchOptions&);
/// Devices of one name and driver: they share the work of one search.
std::vector<std::vector<search::SearchDevice>> equal_devices(const std::vector<DeviceSession>&);

/// What the options ask of a search of this problem; `variants` as given. The error is of an option.
Result<search::SearchRequest> search_request(const SearchOptions&, const Problem&, const DeviceInfo&);
/// Searches on one group and shows how far it is; notes go to stderr.
Result<search::SearchOutcome> search_on(const SearchOptions&, const search::SearchRequest&,
                                        std::span<const search::SearchDevice> group);

}  // namespace attnscope::cli
