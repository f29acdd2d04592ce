#include "engine/record/compare_records.hpp"

#include <fmt/format.h>

namespace attnscope {

std::string why_not_comparable(const Record& a, const Record& b) {
  const DeviceInfo &x = a.environment.device, &y = b.environment.device;
  const auto differ = [](std::string_view what, std::string_view one, std::string_view other) {
    return fmt::format("not comparable: {}, {} and {}", what, one.empty() ? "unknown" : one,
                       other.empty() ? "unknown" : other);
  };
  if (x.name != y.name || x.type != y.type || x.vendor_id != y.vendor_id || x.device_id != y.device_id)
    return differ("two devices", x.name, y.name);
  if (x.driver != y.driver || x.pipeline_uuid != y.pipeline_uuid) return differ("two drivers", x.driver, y.driver);
  // Software runs on whatever CPU is there; of that a record knows the operating system, if anything.
  const std::string &here = a.environment.host_os, &there = b.environment.host_os;
  if (x.type == DeviceType::software && !here.empty() && !there.empty() && here != there)
    return differ("two hosts", here, there);
  if (!(a.problem == b.problem)) return differ("two problems", to_text(a.problem), to_text(b.problem));
  const Protocol &p = a.protocol, &q = b.protocol;
  if (p.cache != q.cache) return differ("two cache modes", to_text(p.cache), to_text(q.cache));
  if (p.launch != q.launch) return differ("two launch modes", to_text(p.launch), to_text(q.launch));
  // Short work carries the barriers at a sample's ends: the fewer executions a sample, the more of them.
  const bool several = a.dispatches_per_sample > 1 || b.dispatches_per_sample > 1;
  if (several && p.min_sample_us != q.min_sample_us)
    return differ("two lengths of a sample", fmt::format("{} µs", p.min_sample_us),
                  fmt::format("{} µs", q.min_sample_us));
  if (a.samples_ns.empty() || b.samples_ns.empty()) return "no samples";
  return {};
}

Taken taken_of(const Record& a, const Record& b) {
  const auto shares = [](const Record& r) { return r.environment.device.type == DeviceType::software; };
  return {.interleaved = false, .shared_cpu = shares(a) || shares(b)};
}

Comparison compare_records(const Record& a, const SampleSummary& of_a, const Record& b, const SampleSummary& of_b,
                           double tolerance) {
  if (std::string why = why_not_comparable(a, b); !why.empty()) {
    Comparison c;
    c.reason = std::move(why);
    return c;
  }
  return compare(of_a, of_b, taken_of(a, b), tolerance);
}

Comparison compare_records(const Record& a, const Record& b, double tolerance) {
  return compare_records(a, make_sample_summary(a.samples_ns), b, make_sample_summary(b.samples_ns), tolerance);
}

}  // namespace attnscope
