// Stores the result of a search in the tuning cache.
#pragma once

#include "engine/search/search.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope::search {

/// What runs untuned goes on to run: the race did not call its winner FASTER. false too where nothing raced, and where
/// nobody knows what runs untuned or it failed.
bool keeps_current(const SearchOutcome&);
/// The fastest of each variant that raced, of the variant that runs untuned only what was called FASTER than that, else
/// that itself; first what runs from now on. Or, where nothing raced, the best trial.
std::vector<tune::TunedEntry> tuned_entries(const SearchOutcome&);
/// What dispatches each entry elsewhere, of the sources that the devices were given: what has changed since stays
/// without. Compiles in this process, so of sources that a worker has loaded.
void add_passes(std::vector<tune::TunedEntry>&, std::span<const VariantSource>, const std::string& cache_dir,
                const DeviceInfo&);
/// Into the file, for every device that took part. Notes are of a file that was set aside.
Result<std::vector<std::string>> keep_tuned(const std::filesystem::path& file, std::span<const tune::TunedEntry>,
                                            std::span<const SearchDevice>, const Waiting& = {});

}  // namespace attnscope::search
