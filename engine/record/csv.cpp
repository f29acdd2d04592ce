#include "engine/record/csv.hpp"

#include <array>

#include "engine/record/csv_cell.hpp"
#include "engine/record/flat.hpp"

namespace attnscope {

namespace {

/// The order, which scripts rely on: whatever comes new goes to the end. The cells are those of the tables of fields
/// and the parts of the problem (flat.hpp); a column of theirs that is not here, or the reverse, does not compile.
// clang-format off
constexpr auto kHeader = std::to_array<std::string_view>({
    "variant", "config", "config_name", "problem",
    "batch", "heads_q", "heads_kv", "seq_q", "seq_kv", "head_dim", "v_dim", "dtype", "causal",
    "accumulate", "probabilities", "outcome", "message",
    "pass", "rows_checked", "rows_total", "nan_count", "unwritten_count", "guard_intact",
    "max_abs", "mean_abs", "nmse", "allowed_max_abs", "allowed_nmse",
    "median_ns", "min_ns", "max_ns", "mean_ns", "p20_ns", "p80_ns", "stddev_ns", "samples", "noise", "drift",
    "tflops", "gbps", "flops", "bytes", "extra_bytes", "scratch_bytes",
    "registers", "spill_bytes", "shared_bytes_driver", "code_bytes", "shared_bytes", "private_bytes",
    "workgroup_invocations", "workgroups", "compile_ms",
    "cache", "launch", "dispatches_per_sample", "settled", "seed",
    "device", "driver", "shader_hash", "program_version", "time_utc",
    "f16_pairs",
    "reason", "worst_batch", "worst_head", "worst_query", "worst_dim", "worst_got", "worst_expected",
    "warmup_ms", "warmup_cap_ms", "protocol_min_ms", "protocol_max_ms", "min_samples", "max_samples", "target_noise",
    "min_sample_us",
    "host_os",
    "compile", "all_on_device",
    "floor_us", "roof", "floor_fraction",
});
// clang-format on

/// Place in the header of each cell, in the order in which they are made: parts of the problem, then the tables.
struct Places {
  std::array<size_t, kHeader.size()> of{};
  bool agree = false;  ///< each place is taken once
};
constexpr Places kPlaces = [] {
  Places places;
  std::array<bool, kHeader.size()> taken{};
  size_t made = 0, strange = 0;
  const auto place = [&](std::string_view name) {
    for (size_t i = 0; i < kHeader.size(); ++i)
      if (kHeader[i] == name && !taken[i] && made < kHeader.size()) {
        taken[i] = true;
        places.of[made++] = i;
        return;
      }
    ++strange;
  };
  for_each_problem_column(Problem{}, [&](std::string_view name, const auto&) { place(name); });
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { place(hint.column); });
  places.agree = made == kHeader.size() && strange == 0;
  return places;
}();
static_assert(kPlaces.agree, "kHeader has each column of the tables and each part of a problem once, and no other");

template <class Cells>
void append_line(std::string& text, const Cells& cells) {
  for (size_t i = 0; i < cells.size(); ++i) (text += i == 0 ? "" : ",") += cells[i];
  text += '\n';
}

}  // namespace

std::string csv_header() {
  std::string line;
  append_line(line, kHeader);
  line.pop_back();
  return line;
}

std::string to_csv(std::span<const Record> records) { return csv_header() + "\n" + csv_lines(records); }

std::string csv_lines(std::span<const Record> records) {
  std::string text;
  std::array<std::string, kHeader.size()> cells;
  for (const Record& record : records) {
    const size_t* place = kPlaces.of.data();
    for_each_problem_column(record.problem,
                            [&](std::string_view, const auto& part) { cells[*place++] = csv_cell(part); });
    for_each_column(&record, [&](const auto* value, const Hint& hint) {
      cells[*place++] = value ? csv_cell(*value, hint.zero) : "";
    });
    append_line(text, cells);
  }
  return text;
}

}  // namespace attnscope
