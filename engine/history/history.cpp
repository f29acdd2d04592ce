#include "engine/history/history.hpp"

#include <cerrno>

#include "engine/history/database.hpp"
#include "engine/record/columns.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope {

struct History::State {
  std::filesystem::path path;
  Waiting waiting;
  OpenDatabase open;
  std::map<int64_t, Environment> environments;  ///< read so far

  // All but each_row() throw SQLite::Exception.
  SQLite::Database& db() { return *open.database; }
  const Environment& environment(int64_t id);
  int64_t keep(const Environment&);
  size_t add(std::span<const Record>);
  /// Reads a row of a statement that begins with kRun or kWhole.
  Result<Record> record_at(SQLite::Statement& row);
  /// Each row of a statement, until each(row) gives false or an error. No file has no rows.
  template <class Each>
  Result<void> each_row(const std::string& text, const std::vector<Cell>& values, const Each& each);
};

namespace {

std::string places(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += ", ?";
  return out;
}

void bind_all(SQLite::Statement& statement, const std::vector<Cell>& cells, int first = 1) {
  for (const Cell& cell : cells) bind_cell(statement, first++, cell);
}

/// Statements that read a run without and with its samples.
const std::string kRun = "SELECT id, environment, details.content", kWhole = kRun + ", samples_ns";
constexpr int kSamples = 3;
const std::string kFrom = " FROM runs JOIN details ON details.run = runs.id";

int64_t clamped(size_t count) { return int64_t(std::min<size_t>(count, size_t(1) << 62)); }

constexpr size_t kLeastDevice = 10;

/// "2026-11-21 05:46"
std::string minute(const std::string& time_utc) {
  std::string text = time_utc.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string spread(const Statistics& s) {
  const TimeUnit unit = choose_time_unit(std::span(&s.median, 1));
  return four_digits(s.p20 / unit.ns) + "–" + four_digits(s.p80 / unit.ns);
}

Result<bool> is_csv(const std::filesystem::path& file) {
  const auto format = result_format(file);
  if (format && *format != ResultFormat::markdown) return *format == ResultFormat::csv;
  return bad_input("'{}': a history is exported to .json or .csv.", file.string());
}

}  // namespace

const Environment& History::State::environment(int64_t id) {
  const auto [at, first] = environments.try_emplace(id);
  if (!first) return at->second;
  SQLite::Statement row(db(), "SELECT content FROM environments WHERE id = ?");
  row.bind(1, id);
  if (row.executeStep())
    if (auto environment = environment_of(row.getColumn(0).getString())) at->second = *std::move(environment);
  return at->second;
}

int64_t History::State::keep(const Environment& environment) {
  const std::string content = shared_environment(environment);
  const std::string digest = long_hash(content);
  const std::vector<Cell> cells = environment_cells(environment);
  SQLite::Statement insert(db(), "INSERT INTO environments(digest, content" + names(environment_columns()) +
                                     ") VALUES(?, ?" + places(cells.size()) + ") ON CONFLICT(digest) DO NOTHING");
  insert.bind(1, digest);
  insert.bind(2, content);
  bind_all(insert, cells, 3);
  insert.exec();
  SQLite::Statement find(db(), "SELECT id FROM environments WHERE digest = ?");
  find.bind(1, digest);
  find.executeStep();
  return find.getColumn(0).getInt64();
}

size_t History::State::add(std::span<const Record> records) {
  size_t added = 0;
  SQLite::Transaction transaction(db(), SQLite::TransactionBehavior::IMMEDIATE);
  SQLite::Statement insert(db(), "INSERT INTO runs(digest, environment" + names(run_columns()) + ") VALUES(?, ?" +
                                     places(run_columns().size()) + ") ON CONFLICT(digest) DO NOTHING");
  SQLite::Statement detail(db(), "INSERT OR REPLACE INTO details(run, samples_ns, content) VALUES(?, ?, ?)");
  for (const Record& record : records) {
    insert.bind(1, digest_of(record));
    insert.bind(2, keep(record.environment));
    bind_all(insert, run_cells(record), 3);
    const bool is_new = insert.exec() > 0;
    insert.reset();
    if (!is_new) continue;
    ++added;
    const std::vector<double>& samples = record.samples_ns;
    detail.bind(1, int64_t(db().getLastInsertRowid()));
    // No samples are no bytes, and not NULL.
    detail.bind(2, samples.empty() ? static_cast<const void*>("") : samples.data(),
                int(samples.size() * sizeof(double)));
    detail.bind(3, content_of(record));
    detail.exec();
    detail.reset();
  }
  transaction.commit();
  return added;
}

Result<Record> History::State::record_at(SQLite::Statement& row) {
  auto record = record_of(environment(row.getColumn(1).getInt64()), row.getColumn(2).getString());
  if (record && row.getColumnCount() > kSamples) {
    auto samples = samples_of(row.getColumn(kSamples).getString());
    if (samples)
      record->samples_ns = *std::move(samples);
    else
      record = samples.error();
  }
  if (!record)
    return bad_input("The history '{}', run {}: {}", path.string(), row.getColumn(0).getInt64(),
                     record.error().message);
  return record;
}

template <class Each>
Result<void> History::State::each_row(const std::string& text, const std::vector<Cell>& values, const Each& each) {
  if (!open.database) return {};
  try {
    SQLite::Statement rows(db(), text);
    bind_all(rows, values);
    for (bool more = true; more && rows.executeStep();) more = TRY(each(rows));
    return {};
  } catch (const SQLite::Exception& e) {
    return history_error(path, e);
  }
}

History::History(std::unique_ptr<State> state) : state_(std::move(state)) {}
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;
History::~History() = default;

Result<History> History::open(const std::filesystem::path& path, const Waiting& waiting) {
  auto opened = TRY(open_database(path, waiting));
  return History(std::make_unique<State>(State{path, waiting, std::move(opened), {}}));
}

Result<History> History::open_to_read(const std::filesystem::path& path, const Waiting& waiting) {
  auto opened = TRY(attnscope::open_to_read(path, waiting));
  return History(std::make_unique<State>(State{path, waiting, std::move(opened), {}}));
}

const std::string& History::note() const { return state_->open.note; }

Result<size_t> History::add(std::span<const Record> records) {
  for (bool again = false;; again = true) {
    std::string damage;
    try {
      return state_->add(records);
    } catch (const SQLite::Exception& e) {
      if (!is_damage(e) || again) return history_error(state_->path, e);
      damage = e.what();
    }
    state_->open.database.reset();
    state_->open = TRY(begin_anew(state_->path, damage, state_->waiting));
    state_->environments.clear();
  }
}

Result<HistoryPage> History::list(const HistoryFilter& filter, size_t limit, size_t offset) {
  HistoryPage page;
  Where where = where_of(filter);
  where.values.insert(where.values.end(), {clamped(limit) + 1, clamped(offset)});
  TRY(state_->each_row(kRun + kFrom + where.text + " ORDER BY time_utc DESC, id DESC LIMIT ? OFFSET ?", where.values,
                       [&](SQLite::Statement& row) -> Result<bool> {
                         page.more = page.entries.size() == limit;
                         if (page.more) return false;
                         auto record = TRY(state_->record_at(row));
                         page.entries.push_back({row.getColumn(0).getInt64(), std::move(record)});
                         return true;
                       }));
  return page;
}

Result<Record> History::read(int64_t id) {
  Result<Record> found = bad_input("The history has no run {}.", id);
  TRY(state_->each_row(kWhole + kFrom + " WHERE id = ?", {id}, [&](SQLite::Statement& row) -> Result<bool> {
    found = state_->record_at(row);
    return true;
  }));
  return found;
}

Result<size_t> History::for_each(const HistoryFilter& filter, const std::function<bool(const Record&)>& each) {
  size_t count = 0;
  const Where where = where_of(filter);
  TRY(state_->each_row(kWhole + kFrom + where.text + " ORDER BY time_utc, id", where.values,
                       [&](SQLite::Statement& row) -> Result<bool> {
                         const auto record = TRY(state_->record_at(row));
                         ++count;
                         return each(record);
                       }));
  return count;
}

bool worth_keeping(const Record& record, bool live) {
  if (record.outcome == Outcome::refused) return false;
  if (record.outcome == Outcome::cancelled && record.samples_ns.empty()) return false;
  if (!live) return true;
  const double ns = std::accumulate(record.samples_ns.begin(), record.samples_ns.end(), 0.0);
  return record.outcome == Outcome::measured && record.samples_ns.size() >= record.protocol.min_samples &&
         ns * record.dispatches_per_sample >= record.protocol.min_ms * 1e6;
}

Result<size_t> export_history(History& history, const HistoryFilter& filter, const std::filesystem::path& file) {
  const auto csv = TRY(is_csv(file));
  TRY(check_own_file(file));  // it is replaced by a rename
  TRY(check_writable(file));
  Result<size_t> count = size_t{0};
  const int code = replace_file(file, [&](int fd) {
    int failed = write_all(fd, csv ? csv_header() + "\n"
                                   : fmt::format("{{\n  \"schema\": {},\n  \"program\": {},\n  \"records\": [",
                                                 kRecordSchema, dump_line(Json(Results().program))));
    const char* separator = "\n";
    count = history.for_each(filter, [&](const Record& record) {
      failed = write_all(fd, csv ? csv_lines(std::span(&record, 1)) : separator + dump_line(encode(record)));
      separator = ",\n";
      return failed == 0;
    });
    if (!count) return ECANCELED;  // what is there stays
    return failed != 0 || csv ? failed : write_all(fd, "\n  ]\n}\n");
  });
  if (count && code != 0) return file_error("written", file, code);
  return count;
}

TextTable history_table(std::span<const HistoryEntry> entries) {
  TextTable table;
  table.columns = {{"run", true, 9},
                   {"UTC", false, 1},
                   {"problem", false, 0, kLeastProblem},
                   {"variant", false, 0, kLeastVariant},
                   {"config", false, 0, kLeastConfig},
                   {"verdict", false, 2},
                   {"median", true},
                   {"p20–p80", true, 7},
                   {"FLOP/s", true, 5},
                   {"device", false, 3, kLeastDevice},
                   {"driver", false, 8, kLeastDevice},
                   {"modes", false, 6}};
  const std::vector<std::string> labels =
      short_config_labels(mapped(entries, [](const HistoryEntry& e) { return config_name(e.record); }));
  for (size_t i = 0; i < entries.size(); ++i) {
    const Record& r = entries[i].record;
    const auto& s = r.statistics;
    table.rows.push_back({fmt::format("{}", entries[i].id), minute(r.environment.time_utc), to_text(r.problem),
                          r.variant, labels[i], verdict_word(r), s ? time_text(s->median) : "", s ? spread(*s) : "",
                          flops_text(r.tflops * 1e12), r.environment.device.name, r.environment.device.driver,
                          fmt::format("{}, {}", to_text(r.protocol.cache), to_text(r.protocol.launch))});
  }
  return table;
}

}  // namespace attnscope
