// The tuning cache as a session uses it: which tuned config can run here.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/session/session.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope::search {

using tune::TunedTables;

/// With the models in folders "models" beside the file and beside the folder. Paths may be empty or name nothing: an
/// empty table. What is wrong with files is in the tables' notes.
TunedTables load_tables(const std::filesystem::path& user_file, const std::filesystem::path& shipped_folder);

/// The best match whose config is legal; nullopt: there is none. `matches`, when given, gets how many there were.
std::optional<tune::TunedMatch> choose_tuned(Session&, const TunedTables&, const tune::TunedQuery&,
                                             size_t* matches = nullptr);

}  // namespace attnscope::search
