// A list of runs as a person wants to see it: filtered by words, sorted by a column. Made anew when the runs, the words
// or the column change, so that a frame costs the rows in view, however many there are.
#pragma once

#include "app/gui/model/session_log.hpp"
#include "app/gui/worker/memo.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

/// A number of a record: a column of the window's tables, and of runs in a file.
struct RunNumber {
  const char *title, *explanation, *widest;  ///< a text as wide as any
  double (*value)(const Record&);            ///< INFINITY: it has none
  std::string (*text)(double);               ///< of a value
};
/// By its title: "median", "FLOP/s"; one that there is.
const RunNumber& number_of(std::string_view title);

struct RunRow {
  uint64_t number = 0;  ///< in the session's log
  std::shared_ptr<const Record> record;
  std::string key;   ///< of its remark
  std::string name;  ///< a person's own, or what sets it apart from the others
  Remark remark;
  bool best = false, earlier = false;  ///< as of SessionLog::Entry
};

/// In one or two words: "correct", "wrong", "refused", "lost", "not verified".
const char* verdict_of(const Record&);

class RunList {
 public:
  std::string filter;      ///< words, all of which a row has somewhere; "!word" = has not
  std::string sort = "#";  ///< title of a column of run_table()
  bool descending = true;
  /// A click on a heading: by this column, or the other way round.
  void sort_by(const std::string& title) {
    // Times are looked for from the least, runs from the newest.
    descending = title == sort ? !descending : title == "#" || title == "when";
    sort = title;
  }

  /// Takes the rows in if their version is another than last time; else looks whether what a person chose changed.
  void step(uint64_t version, const std::function<std::vector<RunRow>()>& rows) {
    rows_(version, rows);
    shown_({version, filter, sort, descending}, [&] { return arranged(); });
  }
  const std::vector<RunRow>& rows() const { return rows_.value(); }
  /// Indices into rows(), as they are to be shown.
  const std::vector<uint32_t>& shown() const { return shown_.value(); }

 private:
  std::vector<uint32_t> arranged();
  Memo<uint64_t, std::vector<RunRow>> rows_;        ///< by version
  Memo<uint64_t, std::vector<std::string>> words_;  ///< of each row, for the filter; made when it is first needed
  Memo<std::tuple<uint64_t, std::string, std::string, bool>, std::vector<uint32_t>> shown_;
};

TextTable run_table(const RunList&, const std::string& title);
TextTable run_table(const std::vector<RunRow>&, const std::string& title = "");

/// Where this window found its variants and its devices, as its own command line said.
struct Places {
  std::vector<std::filesystem::path> shaders, sources;  ///< beyond those that ship
  std::vector<std::string> workers;                     ///< each a command; "" = this machine
  std::filesystem::path shipped = {};                   ///< the folder of those that ship
};

/// `attnscope bench ...` (or verify), quoted for a shell: its record is of the same run. "" of another program's.
std::string command_line_of(const Record&, const Places&, size_t worker = 0);

}  // namespace attnscope::gui
