// The file of --output: every record is on disk as soon as it is finished, and the file is written whole at the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/record/journal.hpp"
#include "engine/record/results.hpp"
#include "engine/result.hpp"

namespace attnscope::cli {

class OutputFile {
 public:
  /// `path` "" = no such file is wanted. With one the work goes on when nobody reads stdout any more.
  OutputFile(const std::string& command, const std::string& path);
  /// Into the journal beside the file (engine/record/journal.hpp); that it cannot be kept there is said once on stderr.
  void keep(const Record&);
  /// Writes the file, and the journal goes. The error names the option, and where the records are.
  Result<void> write(const Results&);
  /// The same with a text of another format in it.
  Result<void> write(std::string_view text);

 private:
  Result<void> finish(const Result<void>& written);
  std::string command_, path_;
  std::optional<RecordJournal> journal_;
};

}  // namespace attnscope::cli
