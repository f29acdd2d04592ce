// Some of a protocol's settings, to lay over those of another: a preset's, a command line's.
#pragma once

#include <optional>

#include "engine/measure/protocol.hpp"

namespace attnscope {

/// As in Protocol; what is absent stays as it was.
struct ProtocolChange {
  std::optional<CacheMode> cache;
  std::optional<LaunchMode> launch;
  std::optional<double> warmup_ms, warmup_cap_ms, min_ms, max_ms, target_noise, min_sample_us;
  std::optional<uint32_t> min_samples, max_samples;
  bool operator==(const ProtocolChange&) const = default;
};

Protocol changed(Protocol, const ProtocolChange&);

}  // namespace attnscope
