#include "engine/measure/protocol.hpp"

namespace attnscope {

std::string_view to_text(CacheMode mode) { return mode == CacheMode::hot ? "hot" : "cold"; }
std::string_view to_text(LaunchMode mode) { return mode == LaunchMode::isolated ? "isolated" : "back-to-back"; }

Result<void> check_protocol(const Protocol& p) {
  std::string fault;
  const auto check = [&](std::string_view name, auto value, const auto& range) {
    if (fault.empty() && !range.holds(value))
      fault = fmt::format("{} of the protocol is {}; it has to be {}", name, value, range_text(range));
  };
  check("warmup_ms", p.warmup_ms, protocol_range::milliseconds);
  check("warmup_cap_ms", p.warmup_cap_ms, protocol_range::milliseconds);
  check("min_ms", p.min_ms, protocol_range::milliseconds);
  check("max_ms", p.max_ms, protocol_range::cap_ms);
  check("min_samples", p.min_samples, protocol_range::samples);
  check("max_samples", p.max_samples, protocol_range::samples);
  check("target_noise", p.target_noise, protocol_range::noise);
  check("min_sample_us", p.min_sample_us, protocol_range::sample_us);
  if (fault.empty() && p.min_samples > p.max_samples)
    fault =
        fmt::format("min_samples of the protocol is {}, more than its max_samples, {}", p.min_samples, p.max_samples);
  if (!fault.empty()) return bad_input(fault + ".");
  return {};
}

Protocol changed(Protocol p, const ProtocolChange& change) {
  p.cache = change.cache.value_or(p.cache);
  p.launch = change.launch.value_or(p.launch);
  p.warmup_ms = change.warmup_ms.value_or(p.warmup_ms);
  p.min_ms = change.min_ms.value_or(p.min_ms);
  p.max_ms = change.max_ms.value_or(p.max_ms);
  p.target_noise = change.target_noise.value_or(p.target_noise);
  p.min_sample_us = change.min_sample_us.value_or(p.min_sample_us);
  p.min_samples = change.min_samples.value_or(p.min_samples);
  p.max_samples = change.max_samples.value_or(p.max_samples);
  // A bound that was given moves the other one.
  if (!change.min_ms) p.min_ms = std::min(p.min_ms, p.max_ms);
  if (!change.max_ms) p.max_ms = std::max(p.min_ms, p.max_ms);
  if (!change.min_samples) p.min_samples = std::min(p.min_samples, p.max_samples);
  if (!change.max_samples) p.max_samples = std::max(p.min_samples, p.max_samples);
  return p;
}

}  // namespace attnscope
