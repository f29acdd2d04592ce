// Records to test with: one with every field away from its default, for round trips, and plain ones.
#pragma once

#include <sstream>

#include "engine/record/record.hpp"

namespace attnscope {

inline Record sample_record() {
  Record r;
  r.problem = *parse_problem("1x8x64x64:q=3:kv=2:dv=32:causal:scale=0.3:page=16:in=ramp:f16");
  r.variant = "tiled";
  r.config = {{"BLOCK_M", 64}, {"BLOCK_N", -5'000'000'000'000'000'001}};
  r.config_name = "A";
  r.outcome = Outcome::cancelled;
  r.chosen = "auto: tiled, tuned for 1x2x33x16";
  r.message = "a \"quoted\", two-line\nmessage with µ";
  Verdict v{.pass = true,
            .reason = "none",
            .rows_checked = 3,
            .rows_total = 18'446'744'073'709'551'615u,
            .all_on_device = true,
            .nan_count = 1,
            .unwritten_count = 2,
            .guard_intact = false,
            .max_abs = 0.1,
            .mean_abs = 1e-300,
            .nmse = 1.0 / 3,
            .allowed_max_abs = 2e-5,
            .allowed_nmse = 5e-4,
            .row_nmse = 1.0 / 7,
            .allowed_row_nmse = 2e-3,
            .worst = Verdict::Worst{1, 2, 3, 4, -0.5, 0.25},
            .not_finite = NotFinite{1, 2, 3, 4, 37}};
  r.verdict = v;
  r.precision = {DType::f16, DType::bf16, DType::f16, true, DType::f16};
  r.protocol = {CacheMode::cold, LaunchMode::back_to_back, 1, 2, 3, 4, 5, 6, 0.07, 8};
  r.samples_ns = {12345.678901234567, 2e9, 3};
  r.dispatches_per_sample = 7;
  r.settled = false;
  r.statistics = Statistics{3, 12345.7, 3, 2e9, 6e8, 4, 1e9, 1e8, 0.3, -0.2};
  r.predicted = PredictedTime{11'500, "2026-11-24T04:17:41Z, driver Some 1.2.2"};
  r.tflops = 1.5;
  r.gbps = 2.5;
  r.flops = 1e15;
  r.bytes = 123456789;
  r.extra_bytes = 77;
  r.floor = Floor{12.5, "device memory", 0.9, 3, 12, 0.5};
  r.fit = LaunchFit{4096, 132, 4, 0.25, "registers", 7.75, 0.75, 0.97, 0.1, 0.2, 1.5};
  r.advice = {{"spills", "it spills", "BLOCK_M", 32, 0.25}};
  r.scratch_bytes = 1ull << 60;
  r.resources.registers = 255;
  r.resources.spills = 0;
  r.resources.spill_bytes = 0;
  r.resources.stack_bytes = 512;
  r.resources.subgroups = 12;
  r.resources.cycles = 70000;
  r.resources.mix = {{"all", 900}};
  r.resources.may_spill = "rows are wide";
  r.resources.shared_bytes_driver = 50176;
  r.resources.code_bytes = 9;
  r.resources.shared_bytes = 49152;
  r.resources.private_bytes = 512;
  r.resources.workgroup_invocations = 128;
  r.resources.workgroups = 4096;
  r.resources.compile_ms = 12.5;
  r.resources.compile = Compile::measured;
  r.resources.raw = {{"main", "Registers", "per thread", 255}};
  r.seed = 0xffff'ffff'ffff'fffeu;
  r.environment.telemetry = Telemetry{"NVML", 1.5, 60, 500.5, 0.125, 1980, 3201, 61, {{"power", 0.25}}};
  DeviceInfo& d = r.environment.device;
  d.index = 2;
  d.name = "Some GPU";
  d.type = DeviceType::discrete_gpu;
  d.use = DeviceUse::compile;
  d.vendor_id = 0x10de;
  d.driver_id = 4;
  d.device_id = 0x2335;
  d.driver = "Some 1.2.3";
  d.api_version = "1.4.312";
  d.pipeline_uuid = "00ff";
  d.device_uuid = "ff00";
  const std::array<uint32_t, 3> size{1024, 1024, 64}, count{4294967295u, 65535, 65535};
  d.limits = {49152, 1024, size, count, 1ull << 40, 1ull << 41, 256, 16, 64,
              32,    8,    64,   0.5,   64,         1ull << 37, 132, 64, 5120};
  d.features = {"coopmat", "shader_f16"};
  d.matrix_shapes = {{16, 8, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  d.matrix_layout = MatrixLayout{16, 8, 16, 4, 1, 3, 0x1100, 0x1010, 2, true};
  d.unsuitable = "not really";
  r.environment.program_version = "0.1.0";
  r.environment.shader_hash = "0123456789abcdef";
  r.environment.time_utc = "2026-11-21T00:00:00Z";
  r.environment.host_os = "Linux";
  r.environment.peaks = Peaks{"Some GPU",
                              "ff00",
                              "Some 1.2.3",
                              "abcd",
                              "2026-11-20T00:00:00Z",
                              {{CeilingKind::matrix, "f16", "f32", 16, 8, 16, 620.5, 0.01, "a note"}}};
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
  Record r;
  r.problem = *parse_problem(problem);
  r.variant = variant;
  r.config = config;
  r.verdict.emplace();
  r.verdict->pass = true;
  r.verdict->rows_checked = r.verdict->rows_total = 64;
  r.verdict->max_abs = 3.2e-5;
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
  Record r;
  r.problem = *parse_problem(problem);
  r.variant = variant;
  r.config = config;
  r.outcome = Outcome::refused;
  r.message = why;
  r.flops = problem_flops(r.problem);
  r.bytes = problem_bytes(r.problem);
  return r;
}
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace attnscope
