// A request for where a config's result is wrong, and the answer.
#pragma once

#include "engine/attention/error_map.hpp"
#include "engine/session/session.hpp"

namespace attnscope {

struct ErrorMapRequest {
  Problem problem;
  std::string variant;
  Config config;
  uint64_t seed = 1;
  uint32_t batch = 0, head = 0;
  bool worst_head = false;  ///< of the head with the largest error instead
  uint32_t cells = 128;     ///< along a side at most, 1 to kMostErrorCells
  uint32_t elements = 64;   ///< failing ones to list, up to kMostErrorElements
  bool operator==(const ErrorMapRequest&) const = default;
};
struct ErrorMapAnswer {
  /// The run that the map is of: with the verdict of this one execution, never with samples. Outcome verified,
  /// failed_verdict, refused, cancelled or error.
  Record record;
  std::optional<ErrorMap> map;  ///< with a verdict
};

/// The error names the field, its value and the range.
Result<void> check_request(const ErrorMapRequest&);

}  // namespace attnscope
