#include "engine/record/csv.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace attnscope {

namespace {

std::string cell(double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; }
std::string cell(uint64_t x) { return fmt::format("{}", x); }
std::string cell(bool x) { return x ? "true" : "false"; }
std::string cell(const std::optional<uint64_t>& x) { return x ? cell(*x) : ""; }
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}
/// For numbers that are 0 when not measured.
std::string measured(double x) { return x > 0 ? cell(x) : ""; }

struct Column {
  const char* name;
  std::function<std::string(const Record&)> text;
};

template <class Get>
Column of_statistics(const char* name, Get get) {
  return {name, [get](const Record& r) { return r.statistics ? cell(get(*r.statistics)) : std::string(); }};
}
template <class Get>
Column of_verdict(const char* name, Get get) {
  return {name, [get](const Record& r) { return r.verdict ? cell(get(*r.verdict)) : std::string(); }};
}
template <class Get>
Column of_record(const char* name, Get get) {
  return {name, [get](const Record& r) { return cell(get(r)); }};
}

const std::vector<Column>& columns() {
  using S = Statistics;
  using V = Verdict;
  using R = Record;
  static const std::vector<Column> all{
      of_record("variant", [](const R& r) { return std::string_view(r.variant); }),
      of_record("config", [](const R& r) { return to_text(r.config); }),
      of_record("config_name", [](const R& r) { return std::string_view(r.config_name); }),
      of_record("problem", [](const R& r) { return to_text(r.problem); }),
      of_record("batch", [](const R& r) { return uint64_t{r.problem.batch}; }),
      of_record("heads_q", [](const R& r) { return uint64_t{r.problem.heads_q}; }),
      of_record("heads_kv", [](const R& r) { return uint64_t{r.problem.heads_kv}; }),
      of_record("seq_q", [](const R& r) { return uint64_t{r.problem.seq_q}; }),
      of_record("seq_kv", [](const R& r) { return uint64_t{r.problem.seq_kv}; }),
      of_record("head_dim", [](const R& r) { return uint64_t{r.problem.head_dim}; }),
      of_record("v_dim", [](const R& r) { return uint64_t{r.problem.v_dim}; }),
      of_record("dtype", [](const R& r) { return to_text(r.problem.dtype); }),
      of_record("causal", [](const R& r) { return r.problem.causal; }),
      of_record("accumulate", [](const R& r) { return to_text(r.precision.accumulate); }),
      of_record("probabilities", [](const R& r) { return to_text(r.precision.probabilities); }),
      of_record("outcome", [](const R& r) { return to_text(r.outcome); }),
      of_record("message", [](const R& r) { return std::string_view(r.message); }),
      of_verdict("pass", [](const V& v) { return v.pass; }),
      of_verdict("rows_checked", [](const V& v) { return v.rows_checked; }),
      of_verdict("rows_total", [](const V& v) { return v.rows_total; }),
      of_verdict("nan_count", [](const V& v) { return v.nan_count; }),
      of_verdict("unwritten_count", [](const V& v) { return v.unwritten_count; }),
      of_verdict("guard_intact", [](const V& v) { return v.guard_intact; }),
      of_verdict("max_abs", [](const V& v) { return v.max_abs; }),
      of_verdict("mean_abs", [](const V& v) { return v.mean_abs; }),
      of_verdict("nmse", [](const V& v) { return v.nmse; }),
      of_verdict("allowed_max_abs", [](const V& v) { return v.allowed_max_abs; }),
      of_verdict("allowed_nmse", [](const V& v) { return v.allowed_nmse; }),
      of_statistics("median_ns", [](const S& s) { return s.median; }),
      of_statistics("min_ns", [](const S& s) { return s.min; }),
      of_statistics("max_ns", [](const S& s) { return s.max; }),
      of_statistics("mean_ns", [](const S& s) { return s.mean; }),
      of_statistics("p20_ns", [](const S& s) { return s.p20; }),
      of_statistics("p80_ns", [](const S& s) { return s.p80; }),
      of_statistics("stddev_ns", [](const S& s) { return s.stddev; }),
      of_statistics("samples", [](const S& s) { return s.count; }),
      of_statistics("noise", [](const S& s) { return s.noise; }),
      of_statistics("drift", [](const S& s) { return s.drift; }),
      {"tflops", [](const R& r) { return measured(r.tflops); }},
      {"gbps", [](const R& r) { return measured(r.gbps); }},
      of_record("flops", [](const R& r) { return r.flops; }),
      of_record("bytes", [](const R& r) { return r.bytes; }),
      of_record("extra_bytes", [](const R& r) { return r.extra_bytes; }),
      of_record("scratch_bytes", [](const R& r) { return r.scratch_bytes; }),
      of_record("registers", [](const R& r) { return r.resources.registers; }),
      of_record("spill_bytes", [](const R& r) { return r.resources.spill_bytes; }),
      of_record("shared_bytes_driver", [](const R& r) { return r.resources.shared_bytes_driver; }),
      of_record("code_bytes", [](const R& r) { return r.resources.code_bytes; }),
      of_record("shared_bytes", [](const R& r) { return r.resources.shared_bytes; }),
      of_record("private_bytes", [](const R& r) { return r.resources.private_bytes; }),
      {"workgroup_invocations", [](const R& r) { return measured(double(r.resources.workgroup_invocations)); }},
      {"workgroups", [](const R& r) { return measured(double(r.resources.workgroups)); }},
      {"compile_ms", [](const R& r) { return measured(r.resources.compile_ms.value_or(0)); }},
      of_record("compile", [](const R& r) { return to_text(r.resources.compile); }),
      of_record("cache", [](const R& r) { return to_text(r.protocol.cache); }),
      of_record("launch", [](const R& r) { return to_text(r.protocol.launch); }),
      of_record("dispatches_per_sample", [](const R& r) { return uint64_t{r.dispatches_per_sample}; }),
      of_record("settled", [](const R& r) { return r.settled; }),
      of_record("seed", [](const R& r) { return r.seed; }),
      of_record("device", [](const R& r) { return std::string_view(r.environment.device.name); }),
      of_record("driver", [](const R& r) { return std::string_view(r.environment.device.driver); }),
      of_record("shader_hash", [](const R& r) { return std::string_view(r.environment.shader_hash); }),
      of_record("program_version", [](const R& r) { return std::string_view(r.environment.program_version); }),
      of_record("time_utc", [](const R& r) { return std::string_view(r.environment.time_utc); }),
  };
  return all;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Column& column : columns()) line += (line.empty() ? "" : ",") + std::string(column.name);
  return line;
}

std::string to_csv(std::span<const Record> records) {
  std::string text = csv_header() + "\n";
  for (const Record& record : records) {
    bool first = true;
    for (const Column& column : columns()) {
      if (!first) text += ',';
      first = false;
      text += column.text(record);
    }
    text += '\n';
  }
  return text;
}

}  // namespace attnscope
