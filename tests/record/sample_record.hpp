// Records to test with: one with every field away from its default, for round trips, and plain ones.
#pragma once

#include "tests/record/field_round_trip.hpp"

namespace attnscope {

inline Record sample_record() {
  Record r = another(Record{});
  r.variant = "tiled";
  r.config = {{"BLOCK_M", 64}, {"BLOCK_N", -5'000'000'000'000'000'001}};
  r.config_name = "A";
  r.outcome = Outcome::cancelled;
  r.message = "a \"quoted\", two-line\nmessage with µ";
  r.samples_ns = {12345.678901234567, 2e9, 3};
  r.statistics = Statistics{3, 12345.7, 3, 2e9, 6e8, 4, 1e9, 1e8, 0.3, -0.2};
  r.resources.spills = r.resources.spill_bytes = 0;
  r.resources.compile = Compile::measured;
  r.seed = 0xffff'ffff'ffff'fffeu;
  Environment& e = r.environment;
  e.telemetry = Telemetry{"NVML", 1.5, 60, 500.5, 0.125, 1980, 3201, 61, {{"power", 0.25}}};
  e.device.name = "Some GPU";
  e.device.type = DeviceType::discrete_gpu;
  e.device.driver = "Some 1.2.3";
  e.device.limits.core_count = 132;
  e.program_version = "0.1.0";
  e.time_utc = "2026-11-21T00:00:00Z";
  e.host_os = "Linux";
  return r;
}

/// The sample with sixty samples about `ns`, a little apart, and nothing said of it.
inline Record steady(double ns, const char* problem = "1x8x512x64:f16", const Config& config = {{"BLOCK_N", 16}}) {
  Record r = sample_record();
  r.problem = *parse_problem(problem);
  r.config = config;
  r.config_name = r.message = "";
  r.outcome = Outcome::measured;
  r.samples_ns.clear();
  for (int i = 0; i < 60; ++i) r.samples_ns.push_back(ns * (1 + 1e-3 * ((i * 7) % 11 - 5)));
  r.statistics = summarize(r.samples_ns);
  return r;
}
/// Timed with this median, and nothing but what a table of it needs.
inline Record timed(const char* problem, const char* variant, const Config& config, double median_ns) {
  Record r{.problem = *parse_problem(problem), .variant = variant, .config = config};
  r.verdict = Verdict{.pass = true, .rows_checked = 64, .rows_total = 64, .max_abs = 3.2e-5};
  r.statistics = Statistics{
      50,    median_ns, 0.9 * median_ns, 2 * median_ns, 1.1 * median_ns, 0.95 * median_ns, 1.05 * median_ns, 10,
      0.001, 0.0};
  r.samples_ns = {median_ns};
  r.flops = problem_flops(r.problem);
  r.bytes = problem_bytes(r.problem);
  r.tflops = r.flops / median_ns / 1e3;
  r.gbps = r.bytes / median_ns;
  return r;
}
inline Record refused(const char* problem, const char* variant, const Config& config, const char* why) {
  Record r{.problem = *parse_problem(problem), .variant = variant, .config = config, .outcome = Outcome::refused};
  r.message = why;
  r.flops = problem_flops(r.problem);
  r.bytes = problem_bytes(r.problem);
  return r;
}

}  // namespace attnscope
