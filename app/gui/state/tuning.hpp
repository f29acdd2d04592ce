// What a person asks of a search, and what the tuning cache has for what is shown. Values.
#pragma once

#include <optional>
#include <string>

#include "app/gui/search_news.hpp"

namespace attnscope::gui {

/// The form of the tuning panel.
struct TuningForm {
  tune::StrategyKind strategy = tune::StrategyKind::surrogate;
  std::string budget = "60s";  ///< as --budget takes it; "" = until nothing is left
  bool all_variants = true;
};

/// How long ago an ISO 8601 UTC time was, in words: "just now", "12 min ago", "3 h ago", "5 days ago"; "" when it is
/// none. `now`: seconds since 1970.
std::string ago(const std::string& time_utc, int64_t now);
/// Where a tuned config is from, in few words: "tuned here, 12 min ago", "shipped table".
std::string provenance(const tune::TunedMatch&, int64_t now);

}  // namespace attnscope::gui
