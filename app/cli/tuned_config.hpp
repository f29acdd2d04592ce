// --config tuned: the config that the tuning cache has for a problem.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/cli/options.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope::cli {

inline constexpr const char* kTuned = "tuned";

/// The user's tuning cache; "" = there is no place for one.
std::filesystem::path tuned_file();

/// Read at the first call; what is wrong with the files is said on stderr then.
const tune::TunedTables& tuned_tables();
/// Read anew, in silence: for a window that stays open while others tune.
tune::TunedTables read_tuned_tables();

struct TunedConfig {
  std::optional<Config> config;  ///< absent: nothing that is tuned can serve
  std::string note;              ///< where it is from, or why there is none: a sentence, "" for the very problem
};
/// The best match that is legal here.
TunedConfig tuned_config(Session&, const DeviceInfo&, const std::string& variant, const std::string& shader_hash,
                         const Problem&, const Protocol&);

}  // namespace attnscope::cli
