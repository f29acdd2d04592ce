// The registry of columns of a record, for tables of records, systems' tables and grids.
#pragma once

#include "engine/measure/units.hpp"
#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

struct TableUnits {
  TimeUnit time{"ns", 1};
  RateUnit flops{"TFLOP/s", 1e12}, bytes{"GB/s", 1e9};
};

TimeUnit choose_time_unit(std::span<const Record>);
/// The rows that a verdict compared, for a column: "all", "759 of 32,768"; "" without a verdict.
std::string rows_text(const Record&);
std::string predicted_text(const PredictedTime&);  ///< "predicted 410 µs by the model of 2026-11-24"
/// "pass", "FAIL" or, when nothing was verified, what happened instead ("refused").
std::string verdict_word(const Record&);

struct RecordColumn {
  /// Where a person may name it: as a value (compare --show), as a field (compare --by), or nowhere.
  enum class Use { value, field, table };
  std::string_view name;
  Use use = Use::table;
  std::string (*text)(const Record&) = nullptr;  ///< "" where the record does not have it; nullptr: what follows has it
  double Statistics::*statistic = nullptr;       ///< a time, in the table's unit
  double (*time)(const Record&) = nullptr;       ///< ns, in the same unit; 0 where the record does not have it
  double (*rate)(const Record&) = nullptr;       ///< per second, in the unit of `rates`
  RateUnit TableUnits::*rates = nullptr;
  std::string_view title = {};  ///< in tables of records; of a time without its unit
  bool right = true;
};
/// These names and those of the columns of a use.
std::vector<std::string> with_columns(std::vector<std::string> names, RecordColumn::Use);
/// nullptr where there is none. A name may be a value's and a field's.
const RecordColumn* find_column(std::string_view name, RecordColumn::Use);
/// "" where the record does not have it.
std::string column_text(const RecordColumn&, const Record&, const TableUnits& = {});

/// The least width of cells whose beginning is enough.
inline constexpr size_t kLeastProblem = 26, kLeastConfig = 14, kLeastVariant = 12;

/// A column's place in a table of records, with what a TextTable's column says.
struct ColumnPlace {
  std::string_view name;
  int expendable = 0;
  size_t least = 0;
};
TextTable table_of(std::span<const ColumnPlace>, std::span<const Record* const>, const TableUnits&);

// Short names of configs in one table: only the parameters that differ.

struct ConfigName {
  std::string variant;
  Config config;
  std::string name = {};  ///< of the manifest's named config ("default" for the defaults), "" when it is none
  Config defaults = {};   ///< the variant's; empty where they are not known
};
ConfigName config_name(const Record&, const Config& defaults = {});
/// The variant, with its named config or the values of its config where it has any.
std::string long_name(const ConfigName&);

/// A label for each: its name, else the parameters that differ from the defaults (unknown: among this variant's configs
/// here), as --config takes them; whole where two would be alike. "" without parameters.
std::vector<std::string> short_config_labels(std::span<const ConfigName>);
/// The same with the variant before it: "tiled BLOCK_M=16,BLOCK_N=32", "tiled default", "peer".
std::vector<std::string> short_labels(std::span<const ConfigName>);

}  // namespace attnscope
