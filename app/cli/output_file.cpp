#include "app/cli/output_file.hpp"

#include <fmt/format.h>

#include "app/cli/options.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {

OutputFile::OutputFile(const std::string& command, const std::string& path) : command_(command), path_(path) {
  if (path.empty()) return;
  journal_.emplace(path);
  keep_working_unread();
}

void OutputFile::keep(const Record& record) {
  if (!journal_) return;
  if (Result<void> kept = journal_->add(record); !kept)
    print_err("attnscope {}: records are not kept as they come: {}\n", command_, kept.error().message);
}

Result<void> OutputFile::write(const Results& results) {
  return journal_ ? finish(write_results(path_, results)) : Result<void>();
}

Result<void> OutputFile::write(std::string_view text) {
  return journal_ ? finish(write_text(path_, text)) : Result<void>();
}

Result<void> OutputFile::finish(const Result<void>& written) {
  if (!written) {
    Error error = about("--output", path_, written.error());
    if (!journal_->path().empty())
      error.message +=
          fmt::format(" {} are in {}.", journal_->whole() ? "The records" : "The records of the first runs",
                      journal_->path().string());
    return error;
  }
  journal_->remove();
  return {};
}

}  // namespace attnscope::cli
