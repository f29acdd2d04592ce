#include "engine/history/database.hpp"

#include <cerrno>
#include <fstream>

#include <sqlite3.h>

namespace attnscope {

namespace fs = std::filesystem;

namespace {

/// Why a file is not a history of attnscope, beside SQLite's own errors.
class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class UnusableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

int pragma(SQLite::Database& db, const char* name) { return db.execAndGet(fmt::format("PRAGMA {}", name)).getInt(); }

void make_tables(SQLite::Database& db) {
  db.exec("CREATE TABLE environments(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, content TEXT NOT NULL" +
          names(environment_columns()) + ")");
  db.exec(
      "CREATE TABLE runs(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, environment INTEGER NOT NULL "
      "REFERENCES environments(id)" +
      names(run_columns()) + ")");
  // Apart, so that listing a million runs does not read their samples.
  db.exec(
      "CREATE TABLE details(run INTEGER PRIMARY KEY REFERENCES runs(id), samples_ns BLOB NOT NULL, content TEXT "
      "NOT NULL)");
  db.exec("CREATE INDEX runs_by_time ON runs(time_utc, id)");
  db.exec("CREATE INDEX runs_by_problem ON runs(problem, variant, time_utc, id)");
  db.exec("CREATE INDEX runs_by_variant ON runs(variant, time_utc, id)");
  db.exec(fmt::format("PRAGMA application_id = {}", kHistoryApplication));
  db.exec(fmt::format("PRAGMA user_version = {}", kHistorySchema));
}

std::set<std::string> columns_of(SQLite::Database& db, const char* table) {
  std::set<std::string> there;
  SQLite::Statement info(db, fmt::format("PRAGMA table_info({})", table));
  while (info.executeStep()) there.insert(info.getColumn(1).getString());
  return there;
}

/// Which table of make_tables() is not there, or not with the columns that no version adds; "" = none.
std::string missing_table(SQLite::Database& db) {
  static constexpr std::pair<const char*, std::array<const char*, 3>> kOwn[] = {
      {"environments", {"id", "digest", "content"}},
      {"runs", {"id", "digest", "environment"}},
      {"details", {"run", "samples_ns", "content"}}};
  for (const auto& [table, columns] : kOwn) {
    const std::set<std::string> there = columns_of(db, table);
    if (!std::ranges::all_of(columns, [&](const char* name) { return there.contains(name); })) return table;
  }
  return "";
}

/// Whether columns are missing, which are added if `add`.
bool lacks_columns(SQLite::Database& db, const char* table, const std::vector<ColumnInfo>& wanted, bool add = false) {
  const std::set<std::string> there = columns_of(db, table);
  bool lacks = false;
  for (const ColumnInfo& c : wanted)
    if (!there.contains(c.name)) {
      lacks = true;
      if (add) db.exec(fmt::format("ALTER TABLE {} ADD COLUMN {}", table, in_quotes(c.name)));
    }
  return lacks;
}

/// New columns of an environment, from what was kept of it whole.
void refill_environments(SQLite::Database& db) {
  const std::string set =
      joined(environment_columns(), ", ", [](const ColumnInfo& c) { return in_quotes(c.name) + " = ?"; });
  SQLite::Statement all(db, "SELECT id, content FROM environments");
  while (all.executeStep()) {
    const auto environment = environment_of(all.getColumn(1).getString());
    if (!environment) continue;
    SQLite::Statement update(db, "UPDATE environments SET " + set + " WHERE id = ?");
    int place = 0;
    for (const Cell& cell : environment_cells(*environment)) bind_cell(update, ++place, cell);
    update.bind(++place, all.getColumn(0).getInt64());
    update.exec();
  }
}

/// Throws SQLite::Exception, DamagedFile or UnusableFile.
void bring_up_to_date(SQLite::Database& db) {
  const int version = pragma(db, "user_version"), application = pragma(db, "application_id");
  if (application == kHistoryApplication && version > kHistorySchema)
    throw UnusableFile(
        fmt::format("a newer attnscope wrote it (schema {}; this one reads up to {})", version, kHistorySchema));
  if (application == kHistoryApplication && version == kHistorySchema && !lacks_columns(db, "runs", run_columns()) &&
      !lacks_columns(db, "environments", environment_columns()) && missing_table(db).empty())
    return;
  // Two processes may both find it so: whoever comes second looks again.
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0) {
    make_tables(db);
  } else if (pragma(db, "application_id") != kHistoryApplication) {
    throw UnusableFile("it is another program's database; name another file, or move it away");
  } else if (pragma(db, "user_version") < kHistorySchema) {
    throw DamagedFile("an earlier attnscope wrote it, whose `history export` reads it");
  } else if (const std::string table = missing_table(db); !table.empty()) {
    throw DamagedFile(fmt::format("its table '{}' is missing or lacks a column", table));
  } else {
    lacks_columns(db, "runs", run_columns(), true);
    if (lacks_columns(db, "environments", environment_columns(), true)) refill_environments(db);
  }
  transaction.commit();
}

int on_busy(void* wait, int times) {
  if (times == 0) static_cast<Wait*>(wait)->begin();
  return static_cast<Wait*>(wait)->again(kHistoryBusy) ? 1 : 0;
}

/// As SQLite takes the name of a file that nobody changes, so that it makes nothing beside it.
std::string as_unchanging(const fs::path& path) {
  std::error_code error;
  const std::string name = fs::absolute(path, error).generic_string();
  std::string uri = name.starts_with('/') ? "file:" : "file:/";
  for (const char c : name) uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return uri + "?immutable=1";
}

OpenDatabase open_ready(const fs::path& path, int flags, const Waiting& waiting) {
  auto wait = std::make_unique<Wait>(path, waiting);
  const bool unchanging = (flags & SQLite::OPEN_URI) != 0;
  auto db = std::make_unique<SQLite::Database>(unchanging ? as_unchanging(path) : path.string(), flags);
  ::sqlite3_busy_handler(db->getHandle(), on_busy, wait.get());
  bring_up_to_date(*db);
  // Readers and writers do not wait for one another then. Another process just opening the file may be in the way.
  try {
    db->exec("PRAGMA journal_mode = WAL");
  } catch (const SQLite::Exception& e) {
    if (is_damage(e)) throw;
  }
  db->exec("PRAGMA synchronous = NORMAL");
  return {std::move(wait), std::move(db)};
}

/// Whether it is neither empty nor a database: nothing that this program wrote.
bool is_no_database(const fs::path& path) {
  constexpr std::string_view kHead = "SQLite format 3";
  std::string head(kHead.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  return in.read(head.data(), std::streamsize(head.size())) ? head != kHead : in.gcount() > 0;
}

Error left_alone(const fs::path& path, const std::string& why) {
  return bad_input("The history '{}' is left alone: {}.", path.string(), why);
}

const int kWrite = SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;

/// `why`: unless the place is to blame.
Error unusable(const fs::path& path, const std::string& why) {
  const std::string place = why_not_written(path);
  return bad_input("The history '{}' cannot be used: {}.{}", path.string(), place.empty() ? why : place,
                   place.empty() ? "" : " ATTNSCOPE_HISTORY can name another file, or be off.");
}

bool is_of_place(const SQLite::Exception& e) {
  return e.getErrorCode() == SQLITE_CANTOPEN || e.getErrorCode() == SQLITE_READONLY;
}

}  // namespace

Result<OpenDatabase> begin_anew(const fs::path& path, std::string why, const Waiting& waiting) {
  // One process at a time decides that a file is to be set aside.
  const FileLock lock(path.string() + ".lock", waiting, kHistoryBusy);
  if (lock.error() == EWOULDBLOCK)
    return bad_input("The history '{}' cannot be used: another process has it locked.", path.string());
  try {
    OpenDatabase open = open_ready(path, kWrite, waiting);
    // Else somebody has set it aside meanwhile.
    if (why.empty() || open.database->execAndGet("PRAGMA quick_check(1)").getString() == "ok") return open;
  } catch (const UnusableFile& e) {
    return left_alone(path, e.what());
  } catch (const DamagedFile& e) {
    why = e.what();
  } catch (const SQLite::Exception& e) {
    if (!is_damage(e)) return history_error(path, e);
    why = e.what();
  }
  const std::string aside = set_aside(path);
  if (aside.empty())
    return bad_input("The history '{}' cannot be used ({}), nor can it be moved away.", path.string(), why);
  std::error_code none;
  for (const char* part : {"-wal", "-shm"}) fs::rename(path.string() + part, aside + part, none);
  try {
    OpenDatabase open = open_ready(path, kWrite, waiting);
    open.note = fmt::format("The history '{}' could not be read ({}); it was moved to '{}', and a new one begun.",
                            path.string(), why, aside);
    return open;
  } catch (const SQLite::Exception& e) {
    return history_error(path, e);
  }
}

bool is_damage(const SQLite::Exception& e) {
  return e.getErrorCode() == SQLITE_CORRUPT || e.getErrorCode() == SQLITE_NOTADB;
}

Error history_error(const fs::path& path, const SQLite::Exception& e) {
  if (is_of_place(e)) return unusable(path, e.what());
  return bad_input("The history '{}' cannot be used: {}.{}", path.string(), e.what(),
                   is_damage(e) ? " Move it away, or name another file in ATTNSCOPE_HISTORY." : "");
}

Result<OpenDatabase> open_database(const fs::path& path, const Waiting& waiting) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) return unusable(path, fmt::format("its folder cannot be made ({})", error.message()));
  TRY(check_own_file(path));
  try {
    return open_ready(path, kWrite, waiting);
  } catch (const UnusableFile& e) {
    return left_alone(path, e.what());
  } catch (const DamagedFile&) {
    return begin_anew(path, "", waiting);
  } catch (const SQLite::Exception& e) {
    if (is_no_database(path)) return left_alone(path, "it is not a database; name another file, or move it away");
    return is_damage(e) ? begin_anew(path, "", waiting) : Result<OpenDatabase>(history_error(path, e));
  }
}

Result<OpenDatabase> open_to_read(const fs::path& path, const Waiting& waiting) {
  std::error_code error;
  if (!fs::exists(path, error)) return OpenDatabase{};
  TRY(check_own_file(path));
  try {
    try {
      return open_ready(path, SQLite::OPEN_READWRITE, waiting);
    } catch (const SQLite::Exception& e) {
      if (!is_of_place(e) || why_not_written(path).empty()) throw;
      // SQLite cannot make the file of its shared memory; were the history open elsewhere, that file would be there.
      return open_ready(path, SQLite::OPEN_READONLY | SQLite::OPEN_URI, waiting);
    }
  } catch (const SQLite::Exception& e) {
    return history_error(path, e);
  } catch (const std::exception& e) {
    return bad_input("The history '{}' cannot be read: {}.", path.string(), e.what());
  }
}

}  // namespace attnscope
