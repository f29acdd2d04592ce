// A record in the database: as JSON, its samples as bytes, and cells by the tables of fields to find it by.
#pragma once

#include "engine/record/flat.hpp"
#include "engine/record/json.hpp"

namespace attnscope {

enum class CellKind { number, truth, text };
struct ColumnInfo {
  std::string name;
  CellKind kind = CellKind::text;
};

/// Of the table `runs`: parts of the problem, then every field of Record that has a column, less those of the
/// environment that many runs share.
const std::vector<ColumnInfo>& run_columns();
/// Columns of the table `environments`: the others.
const std::vector<ColumnInfo>& environment_columns();

/// The cells of these, in their order.
std::vector<Cell> run_cells(const Record&);
std::vector<Cell> environment_cells(const Environment&);

/// What runs on one device with one driver and program have in common, as JSON; what differs from run to run is left
/// out.
std::string shared_environment(const Environment&);
/// The record as JSON, less its samples and what it shares of the environment.
std::string content_of(const Record&);
/// The record of that, without samples. The error says which field cannot be read.
Result<Record> record_of(const Environment& shared, std::string_view content);

/// Equal for records that are equal in every field, whatever fields later versions add: 32 hex digits.
std::string digest_of(const Record&);

/// Samples from the bytes of their doubles.
Result<std::vector<double>> samples_of(std::string_view bytes);

}  // namespace attnscope
