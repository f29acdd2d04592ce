// A record in the database: cells by the tables of fields, the parts without a cell, and its samples as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
/// Fields that have no column, as JSON, less samples and environment: what a driver reports raw.
std::string rest_of(const Record&);

using Row = std::map<std::string, Cell, std::less<>>;
/// A record from its cells, the environment it shares and the rest (may be ""), without samples. The error says which
/// column cannot be read.
Result<Record> record_of(const Row&, const Environment& shared, std::string_view rest);

/// Equal for records that are equal in every field, whatever fields later versions add: 32 hex digits.
std::string digest_of(const Record&);

/// A byte that names the form, then the samples as doubles.
std::string pack_samples(std::span<const double> samples_ns);
/// The very samples. The error: the bytes are of another form, as earlier builds wrote them.
Result<std::vector<double>> unpack_samples(std::string_view bytes);

}  // namespace attnscope
