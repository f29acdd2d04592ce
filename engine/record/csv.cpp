#include "engine/record/csv.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "engine/record/flat.hpp"
#include "engine/record/run.hpp"

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
    "spills", "stack_bytes", "subgroups", "cycles",
    "kv_operands",
    "predicted_ns", "predicted_by",
    "scores",
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

/// Lines of cells (RFC 4180): a quoted cell may hold commas, quotes doubled, and line ends.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }
  bool done() const { return text_.empty(); }
  /// The place in the text of the line that next() returned.
  size_t line() const { return began_; }

  std::vector<std::string> next() {
    began_ = line_;
    std::vector<std::string> cells(1);
    bool quoted = false;
    size_t i = 0;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"')
          cells.back() += c;
        else if (i + 1 < text_.size() && text_[i + 1] == '"')
          cells.back() += text_[++i];
        else
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        ++i;
        break;
      } else if (c != '\r') {
        cells.back() += c;
      }
    }
    text_.remove_prefix(i);
    return cells;
  }

 private:
  std::string_view text_;
  size_t line_ = 1, began_ = 1;
};

}  // namespace

Result<Config> config_from_text(std::string_view text) {
  Config config;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    // The last one: a name may hold anything, a value is an integer.
    const size_t equals = item.rfind('=');
    const std::string_view digits = equals == item.npos ? std::string_view() : item.substr(equals + 1);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || equals == 0 || error != std::errc() || end != digits.data() + digits.size())
      return bad_input(fmt::format("'{}' is not a parameter with its value, as in BLOCK_M=64", item));
    config[std::string(item.substr(0, equals))] = value;
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return config;
}

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

Result<std::vector<Record>> records_from_csv(std::string_view text, std::string_view what) {
  Reader reader(text);
  const std::vector<std::string> names = reader.next();
  for (const char* needed : {"problem", "variant"})
    if (std::ranges::find(names, needed) == names.end())
      return bad_input(
          fmt::format("{} is not a CSV of records: its first line, the header, has no column '{}'.", what, needed));
  std::vector<Record> records;
  std::map<std::string, Cell, std::less<>> row;
  const auto find = [&](std::string_view name) -> const Cell* {
    const auto at = row.find(name);
    return at == row.end() ? nullptr : &at->second;
  };
  while (!reader.done()) {
    std::vector<std::string> cells = reader.next();
    if (cells.size() == 1 && cells.front().empty()) continue;
    if (cells.size() != names.size())
      return bad_input(
          fmt::format("{}, line {}: it has {} cells, the header {}.", what, reader.line(), cells.size(), names.size()));
    for (size_t c = 0; c < cells.size(); ++c) row[names[c]] = cells[c].empty() ? Cell() : Cell(std::move(cells[c]));
    try {
      read_columns(records.emplace_back(), find);
    } catch (const std::exception& e) {
      return bad_input(fmt::format("{}, line {}: {}", what, reader.line(), e.what()));
    }
    if (const std::string why = impossible_time(records.back()); !why.empty())
      return bad_input(fmt::format("{}, line {}: {}", what, reader.line(), why));
    enforce_verdict(records.back());
    if (empty(row["problem"]) || empty(row["variant"]))
      return bad_input(fmt::format("{}, line {}: a record needs a problem and a variant.", what, reader.line()));
  }
  return records;
}

}  // namespace attnscope
