// The sampling protocol as a value: how one measurement warms up, samples and stops.
#pragma once

#include "engine/number.hpp"

namespace attnscope {

enum class CacheMode { hot, cold };  ///< cold: L2 overwritten between samples, outside the timed span
enum class LaunchMode { isolated, back_to_back };

struct Protocol {
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  double warmup_ms = 25;        ///< at least this long, and until samples have settled
  double warmup_cap_ms = 3000;  ///< give up waiting to settle (the record then says so)
  double min_ms = 100;          ///< at least this much measured time
  double max_ms = 2000;         ///< wall-clock cap
  uint32_t min_samples = 10;
  uint32_t max_samples = 5000;
  double target_noise = 0.005;  ///< relative standard error of the median at which sampling may stop
  /// Shorter work is dispatched several times a sample: the barriers at a sample's ends cost about 6 us on an H200.
  double min_sample_us = 250;
  bool operator==(const Protocol&) const = default;
};

/// Checks a protocol from options, presets or a worker's caller.
namespace protocol_range {
inline constexpr NumberRange<double> milliseconds{0, 86'400'000};  ///< up to a day
inline constexpr NumberRange<double> cap_ms{0.001, 86'400'000};    ///< of max_ms: a measurement takes some time
inline constexpr NumberRange<double> sample_us{0, 10'000'000};
inline constexpr NumberRange<uint32_t> samples{1, 1'000'000};
inline constexpr NumberRange<double> noise{0, 1};
}  // namespace protocol_range

/// The error names the field, its value and the range.
Result<void> check_protocol(const Protocol&);

std::string_view to_text(CacheMode);
std::string_view to_text(LaunchMode);

/// As in Protocol; absent values do not change.
struct ProtocolChange {
  std::optional<CacheMode> cache;
  std::optional<LaunchMode> launch;
  std::optional<double> warmup_ms, min_ms, max_ms, target_noise, min_sample_us;
  std::optional<uint32_t> min_samples, max_samples;
  bool operator==(const ProtocolChange&) const = default;
};

Protocol changed(Protocol, const ProtocolChange&);

}  // namespace attnscope
