// The database file of a history: created, updated, set aside if it is damaged. All SQL is in this module.
#pragma once

#include <filesystem>

#include <SQLiteCpp/SQLiteCpp.h>

#include "engine/input/file_lock.hpp"
#include "engine/record/flat.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// Of the layout, kept as the file's user_version. Further fields of a record are further columns, which any version
/// adds when it opens the file, and are not a new schema.
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

/// Opens the file, making it and its folder if need be. One that is damaged or another program's is renamed, with a
/// note. The error says why nothing can be kept there: a folder that cannot be written to, a newer schema.
Result<OpenDatabase> open_database(const std::filesystem::path&, const Waiting&);
/// The same for reading alone: nothing is made or renamed, and a file of an older version only gets its new columns.
/// Its folder need not be writable. No file at all is a null database.
Result<OpenDatabase> open_to_read(const std::filesystem::path&, const Waiting&);

/// The file turned out to be damaged while it was in use, and is closed: it is renamed as by open_database, unless
/// somebody else has done so. `why` "": as opening it shows.
Result<OpenDatabase> begin_anew(const std::filesystem::path&, std::string why, const Waiting&);

/// Whether the error says that the file is damaged or no database, rather than that it cannot be reached.
bool is_damage(const SQLite::Exception&);
/// Where the file or its folder cannot be written to, it says which one.
Error history_error(const std::filesystem::path&, const SQLite::Exception&);

/// A column's name within a statement; names come from the tables of fields.
inline std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

inline void bind_cell(SQLite::Statement& statement, int place, const Cell& cell) {
  std::visit(
      [&](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
          statement.bind(place);
        else
          statement.bind(place, x);
      },
      cell);
}

}  // namespace attnscope
