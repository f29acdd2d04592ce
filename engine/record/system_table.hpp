// The table of a published system, from a preset: a line for each row and problem, ours beside the published numbers.
#pragma once

#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

struct TableColumn {
  std::string title;
  std::string value;  ///< a column's value, or "published" or "parameter", by their `key`
  std::string key;    ///< the published figure, the parameter, or the row that a time is of or a speedup is over
  bool operator==(const TableColumn&) const = default;
};

struct TableRow {
  std::string name;
  std::string variant = {}, config = {};  ///< of a record; config is a text, "" = the default
  bool from_baseline = false;             ///< the records are not measured but taken from the baseline's file
  bool shown = true;                      ///< false: it has no lines of its own, and columns speak of it
  std::vector<Problem> problems;
  std::map<std::string, std::vector<std::string>> published = {};  ///< one text, or one for each problem
  bool operator==(const TableRow&) const = default;
};

/// A line at the end: the geometric mean of each column of ratios, and the least of them in another.
struct TableMean {
  std::string title;
  std::string where;  ///< an expression over the problem: which lines take part; "" = all
  bool operator==(const TableMean&) const = default;
};

/// Whose shape a problem is, for a person, by its text.
using Whose = std::map<std::string, std::string>;

struct SystemTable {
  std::string device, source;  ///< of the published figures, in words; no device where none was timed
  std::string unit = "ms";     ///< of every time
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  Whose whose;
  std::vector<TableMean> means;
  bool mark_best = false;
  double software_gflop = 0;           ///< larger problems are not run on a software device; 0 = no limit
  std::vector<std::string> baselines;  ///< variants of a baseline file to compare with; empty = all
  std::string baseline_note;           ///< shown when there is a baseline
  std::vector<std::string> notes;
  bool operator==(const SystemTable&) const = default;
};

/// Every problem of a table, in the order in which rows name them.
std::vector<Problem> problems_of(const SystemTable&);

/// By row and by that row's problem; nullptr = not run.
using TableRecords = std::vector<std::vector<const Record*>>;

/// `rank` decides which line is the best. What has no time says why in a word, and in a note below.
TextTable system_table(const SystemTable&, const std::string& title, const TableRecords&,
                       std::span<const Record> baseline, double Statistics::*rank = &Statistics::median);

}  // namespace attnscope
