// History: all runs, in one file; selections of them, and tables for a person.
#pragma once

#include "engine/input/file.hpp"
#include "engine/record/flat.hpp"

namespace attnscope {

struct HistoryCondition {
  enum class Test { equal, not_equal, less, at_most, more, at_least, contains };
  std::string field;  ///< a column, or a parameter such as BLOCK_M
  bool parameter = false;
  Test test = Test::equal;
  Cell value;  ///< empty: the field is not there
  bool operator==(const HistoryCondition&) const = default;
};
struct HistoryFilter {
  std::vector<HistoryCondition> conditions = {};  ///< all of them
  std::string since = {}, until = {};             ///< UTC, as records have it, or its beginning; both inclusive
};

/// `variant=coopmat`, `head_dim>=128`, `device~H200` (contains), `median_ns<1e6`, `BLOCK_M=64`, `registers=` (not
/// there). Problems are understood in any order of their options. The error lists the fields there are.
Result<HistoryCondition> parse_condition(std::string_view text);
/// A date or the beginning of one: 2026, 2026-11-21, 2026-11-21T05:46.
Result<std::string> parse_date(std::string_view text);

/// " WHERE ..." over the table `runs`, and what is to be bound there; "" when everything passes.
struct Where {
  std::string text;
  std::vector<Cell> values;
};
Where where_of(const HistoryFilter&);

struct HistoryEntry {
  int64_t id = 0;
  Record record;
};
struct HistoryPage {
  std::vector<HistoryEntry> entries;  ///< the newest first, without samples
  bool more = false;                  ///< there are older ones
};

/// One open file, for one thread at a time. `Waiting`: for another process that has it locked.
class History {
 public:
  /// To write; the file is made where there is none. Errors: as of open_database().
  static Result<History> open(const std::filesystem::path&, const Waiting& = {});
  /// To read; where there is no file everything is empty.
  static Result<History> open_to_read(const std::filesystem::path&, const Waiting& = {});
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;
  ~History();

  /// A message for the user about the opening, or "".
  const std::string& note() const;
  /// How many of them were new: a record that is there already, in every field, is not kept twice. All or none.
  Result<size_t> add(std::span<const Record>);
  /// The newest `limit` of those that pass the filter, after passing over `offset` of them. Reads no more than these.
  Result<HistoryPage> list(const HistoryFilter&, size_t limit, size_t offset = 0);
  /// With samples.
  Result<Record> read(int64_t id);
  /// Every one with its samples, the oldest first, one at a time, until `each` gives false. How many there were.
  Result<size_t> for_each(const HistoryFilter&, const std::function<bool(const Record&)>& each);

 private:
  struct State;
  explicit History(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

/// Whether a run is one to remember: not what never began, was cancelled before it was timed, or is a short live look.
bool worth_keeping(const Record&, bool live = false);

TextTable history_table(std::span<const HistoryEntry>);

/// Every run that passes, one at a time, into FILE.json (without loss) or FILE.csv, atomically. How many there were.
Result<size_t> export_history(History&, const HistoryFilter&, const std::filesystem::path& file);

}  // namespace attnscope
