// How long a search may take, as text: a time or a number of configs.
#pragma once

#include <cstdint>
#include <string>

#include "engine/result.hpp"

namespace attnscope::tune {

/// 0 and 0: until nothing is left to try.
struct Budget {
  double seconds = 0;   ///< of searching; 0 = no limit
  uint64_t trials = 0;  ///< those that an earlier process made count; refused ones do not; 0 = no limit
  bool operator==(const Budget&) const = default;
};

/// "60s", "2m", "1h": a time to search in; "200": a number of configs; the error says so.
Result<Budget> parse_budget(const std::string& text);

}  // namespace attnscope::tune
