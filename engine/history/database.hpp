// The database file of a history: created, updated, set aside if it is damaged. All SQL is in this module.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "engine/input/file.hpp"
#include "engine/record/flat.hpp"

namespace attnscope {

/// Of the layout, kept as the file's user_version. Further columns, which any version adds, are not a new schema.
inline constexpr int kHistorySchema = 2;
/// "attn": says whose file it is.
inline constexpr int kHistoryApplication = 0x6174746e;
/// How long one process waits for another one's writing.
inline constexpr std::chrono::milliseconds kHistoryBusy{10'000};

struct OpenDatabase {
  std::unique_ptr<Wait> wait = {};  ///< for another process' writing; the database points to it
  std::unique_ptr<SQLite::Database> database = {};
  std::string note = {};  ///< a sentence for the user where a damaged or foreign file was set aside
};

/// Opens or makes the file. One that is damaged or another program's is renamed, with a note.
Result<OpenDatabase> open_database(const std::filesystem::path&, const Waiting&);
/// The same for reading alone: an older version's file only gets its new columns. No file at all is a null database.
Result<OpenDatabase> open_to_read(const std::filesystem::path&, const Waiting&);

/// The file, closed, turned out to be damaged: it is renamed as by open_database. `why` "": as opening it shows.
Result<OpenDatabase> begin_anew(const std::filesystem::path&, std::string why, const Waiting&);

/// Whether the error says that the file is damaged or no database, rather than that it cannot be reached.
bool is_damage(const SQLite::Exception&);
/// Where the file or its folder cannot be written to, it says which one.
Error history_error(const std::filesystem::path&, const SQLite::Exception&);

/// A column's name within a statement; names come from the tables of fields.
inline std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

inline void bind_cell(SQLite::Statement& statement, int place, const Cell& cell) {
  const auto bind = [&](const auto& x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
      statement.bind(place);
    else
      statement.bind(place, x);
  };
  std::visit(bind, cell);
}

// A record in the database: as JSON, its samples as bytes, and cells by the tables of fields to find it by.

enum class CellKind { number, truth, text };
struct ColumnInfo {
  std::string name;
  CellKind kind = CellKind::text;
};

/// Each with a comma before it.
inline std::string names(const std::vector<ColumnInfo>& columns) {
  std::string out;
  for (const ColumnInfo& c : columns) out += ", " + in_quotes(c.name);
  return out;
}

/// Of the table `runs`: parts of the problem, then every field of Record that has a column, less those many runs share.
const std::vector<ColumnInfo>& run_columns();
/// Columns of the table `environments`: the others.
const std::vector<ColumnInfo>& environment_columns();

std::vector<Cell> run_cells(const Record&);
std::vector<Cell> environment_cells(const Environment&);

/// What runs on one device with one driver and program have in common, as JSON.
std::string shared_environment(const Environment&);
Result<Environment> environment_of(std::string_view content);
/// The record as JSON, less its samples and what it shares of the environment.
std::string content_of(const Record&);
/// The record of that, without samples. The error says which field cannot be read.
Result<Record> record_of(const Environment& shared, std::string_view content);

/// Equal for records that are equal in every field, whatever fields later versions add: 32 hex digits.
std::string digest_of(const Record&);
/// 32 hex digits.
std::string long_hash(const std::string& text);

Result<std::vector<double>> samples_of(std::string_view bytes);

}  // namespace attnscope
