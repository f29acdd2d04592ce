// A list of runs as a person wants to see it: filtered by words, sorted by a column. Made anew when the runs, the words
// or the column change, so that a frame costs the rows in view, however many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/state/remarks.hpp"
#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

enum class RunColumn { number, name, problem, verdict, max_abs, median, mean, min, max, device, when, note };
const char* to_text(RunColumn);

struct RunRow {
  uint64_t number = 0;  ///< in the session's log, or the history's own
  std::shared_ptr<const Record> record;
  std::string key;   ///< identity_of()
  std::string name;  ///< a person's own, or what sets it apart from the others
  Remark remark;
  bool best = false;
};

/// In one or two words: "correct", "wrong", "refused", "lost", "not verified".
const char* verdict_of(const Record&);

class RunList {
 public:
  std::string filter;  ///< words, all of which a row has somewhere; "!word" = has not
  RunColumn sort = RunColumn::number;
  bool descending = true;
  /// A click on a heading: by this column, or the other way round.
  void sort_by(RunColumn);

  /// Takes the rows in if their version is another than last time; else looks whether what a person chose changed.
  void step(uint64_t version, const std::function<std::vector<RunRow>()>& rows);
  uint64_t version() const { return version_; }
  const std::vector<RunRow>& rows() const { return rows_; }
  /// Indices into rows(), as they are to be shown.
  const std::vector<uint32_t>& shown() const { return shown_; }

 private:
  void arrange();
  std::vector<RunRow> rows_;
  std::vector<std::string> words_;  ///< of each row, for the filter; made when it is first needed
  std::vector<uint32_t> shown_;
  uint64_t version_ = ~0ull;
  std::string filtered_;
  RunColumn sorted_ = RunColumn::number;
  bool downwards_ = true;
};

/// The rows shown as a table of text, with their notes.
TextTable run_table(const RunList&, const std::string& title);
/// One of them.
TextTable run_table(const RunRow&);

}  // namespace attnscope::gui
