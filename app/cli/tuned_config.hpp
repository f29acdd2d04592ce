// --config tuned: the config that the tuning cache has for a problem.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/cli/options.hpp"
#include "engine/search/tuned.hpp"

namespace attnscope::cli {

inline constexpr const char* kTuned = "tuned";

/// Read at the first call; what is wrong with the files is said on stderr then.
const tune::TunedTables& tuned_tables();

struct TunedConfig {
  std::optional<Config> config;  ///< absent: nothing that is tuned can serve
  std::string note;              ///< where it is from, or why there is none: a sentence, "" for the very problem
};
/// The best match that is legal here.
TunedConfig tuned_config(Session&, const DeviceInfo&, const std::string& variant, const std::string& shader_hash,
                         const Problem&, const Protocol&);

}  // namespace attnscope::cli
