#include "engine/record/table_values.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/insight/roofline.hpp"
#include "engine/record/units.hpp"

namespace attnscope {

namespace {

struct Time {
  std::string_view name;
  double Statistics::*member;
};
constexpr std::array<Time, 6> kTimes{{{"median", &Statistics::median},
                                      {"mean", &Statistics::mean},
                                      {"min", &Statistics::min},
                                      {"max", &Statistics::max},
                                      {"p20", &Statistics::p20},
                                      {"p80", &Statistics::p80}}};

std::string count(const std::optional<uint64_t>& x) { return x ? fmt::format("{}", *x) : ""; }
std::string positive(double x) { return x > 0 ? four_digits(x) : ""; }
std::string bytes_of(double x) { return x > 0 ? bytes_text(x) : ""; }
bool planned(const Record& r) { return r.outcome != Outcome::refused && r.outcome != Outcome::error; }
bool compared(const Record& r) { return r.verdict && r.verdict->rows_checked > 0; }

std::string occupancy(const Record& r) {
  const auto core = core_capacity(r.environment.device);
  if (!core || !r.resources.registers) return "";
  const auto estimate =
      estimate_occupancy({r.resources.workgroup_invocations, r.resources.registers, r.resources.shared_bytes}, *core);
  return estimate ? fmt::format("{:.0f} %", 100 * estimate->fraction) : "";
}

/// Rows of K together with as many of V.
std::string kv_rows(const Record& r) {
  constexpr uint64_t shared = 48 * 1024;
  return fmt::format("{}", shared / (uint64_t(r.problem.head_dim + r.problem.v_dim) * dtype_bytes(r.problem.dtype)));
}

struct Value {
  std::string_view name;
  std::string (*text)(const Record&);
};
constexpr std::array<Value, 16> kValues{{
    {"verdict", [](const Record& r) { return verdict_word(r); }},
    {"max_abs", [](const Record& r) { return compared(r) ? error_text(r.verdict->max_abs) : ""; }},
    {"mean_abs", [](const Record& r) { return compared(r) ? error_text(r.verdict->mean_abs) : ""; }},
    {"nmse", [](const Record& r) { return compared(r) ? error_text(r.verdict->nmse) : ""; }},
    {"tflops", [](const Record& r) { return positive(r.tflops); }},
    {"gbps", [](const Record& r) { return positive(r.gbps); }},
    {"bytes", [](const Record& r) { return planned(r) ? bytes_of(r.bytes) : ""; }},
    {"bytes_moved", [](const Record& r) { return planned(r) ? bytes_of(r.bytes + r.extra_bytes) : ""; }},
    {"scratch", [](const Record& r) { return planned(r) ? bytes_text(double(r.scratch_bytes)) : ""; }},
    {"intensity",
     [](const Record& r) { return planned(r) && r.bytes > 0 ? positive(arithmetic_intensity(r.flops, r.bytes)) : ""; }},
    {"intensity_moved",
     [](const Record& r) {
       return planned(r) && r.bytes > 0 ? positive(arithmetic_intensity(r.flops, r.bytes + r.extra_bytes)) : "";
     }},
    {"registers", [](const Record& r) { return count(r.resources.registers); }},
    {"spill", [](const Record& r) { return count(r.resources.spill_bytes); }},
    {"shared", [](const Record& r) { return planned(r) ? fmt::format("{}", r.resources.shared_bytes) : ""; }},
    {"occupancy", occupancy},
    {"kv_rows_in_48k", kv_rows},
}};

}  // namespace

std::vector<std::string_view> column_values() {
  std::vector<std::string_view> out{"name", "problem", "whose", "variant", "config", "time", "speedup", "baseline"};
  for (const Time& time : kTimes) out.push_back(time.name);
  for (const Value& value : kValues) out.push_back(value.name);
  return out;
}

bool is_time_value(std::string_view value) {
  return value == "time" || value == "speedup" || value == "baseline" ||
         std::any_of(kTimes.begin(), kTimes.end(), [&](const Time& t) { return t.name == value; });
}

std::optional<double> time_unit_ns(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "µs" || unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

double Statistics::*statistic(std::string_view name) {
  for (const Time& time : kTimes)
    if (time.name == name) return time.member;
  return nullptr;
}

std::string value_text(std::string_view name, const Record& record) {
  for (const Value& value : kValues)
    if (value.name == name) return value.text(record);
  return "";
}

}  // namespace attnscope
