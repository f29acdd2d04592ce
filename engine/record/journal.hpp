// Appends each finished record to a file, so that a crash loses none.
#pragma once

#include <filesystem>

#include "engine/platform/descriptor.hpp"
#include "engine/record/results.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// Beside the result file that is written at the end, FILE.partial takes each record when it is finished: JSON, a line
/// each, appended, so that the cost is that of the record alone, however many there are. read_results() reads it too.
/// A journal of an earlier run is never touched: the next name is FILE.partial.2, and so on.
class RecordJournal {
 public:
  /// `file`: the result file; a device or pipe gets no journal. Nothing is made before the first record, and what was
  /// written stays.
  explicit RecordJournal(std::filesystem::path file);
  /// The error, given once, names the journal and the system's reason; nothing is added after it.
  Result<void> add(const Record&);
  /// The result file is written: the journal goes.
  void remove();
  /// Whether it has every record that was added.
  bool whole() const { return !given_up_; }
  /// "" as long as there is none.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path file_, path_;
  Fd fd_;
  uint64_t records_ = 0;  ///< in it
  bool given_up_ = false;
};

/// Whether the text is a journal, by its first line.
bool is_journal(std::string_view text);
/// A last line that was cut off is left out.
Result<Results> results_from_journal(std::string_view text, std::string_view what);

}  // namespace attnscope
