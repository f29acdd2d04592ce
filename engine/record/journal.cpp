#include "engine/record/journal.hpp"

#include <cerrno>

#include "engine/platform/files.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/new_file.hpp"

namespace attnscope {
namespace {

constexpr std::string_view kHead = "{\"journal\":";
constexpr int kMostNames = 1000;

}  // namespace

RecordJournal::RecordJournal(std::filesystem::path file) : file_(std::move(file)) { given_up_ = is_special(file_); }

Result<void> RecordJournal::add(const Record& record) {
  if (given_up_) return {};
  const auto give_up = [&](const std::filesystem::path& name, int code) {
    given_up_ = true;
    return file_error("written", name, code);
  };
  std::string text;
  if (!fd_) {
    std::filesystem::path name;
    for (int i = 1; i <= kMostNames; ++i) {
      name = fmt::format("{}.partial{}", file_.string(), i == 1 ? "" : fmt::format(".{}", i));
      fd_ = Fd(create_like(name, file_));
      if (fd_ || errno != EEXIST) break;
    }
    if (!fd_) return give_up(name, errno);
    path_ = name;
    const Results empty;
    text = dump_line(Json{{"journal", 1}, {"schema", empty.schema}, {"program", empty.program}}) + "\n";
  }
  text += dump_line(encode(record)) + "\n";
  if (const int code = write_all(fd_.get(), text); code != 0) {
    const std::filesystem::path name = path_;
    if (records_ == 0) remove();
    return give_up(name, code);
  }
  ++records_;
  return {};
}

void RecordJournal::remove() {
  if (!fd_) return;
  fd_.reset();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  path_.clear();
}

bool is_journal(std::string_view text) { return text.starts_with(kHead); }

Result<Results> results_from_journal(std::string_view text, std::string_view what) {
  Results results;
  size_t line = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // the run was ended while it wrote this one
    const std::string place = fmt::format("line {} of {}", ++line, what);
    const auto json = TRY(parse_json(text.substr(0, end), place));
    text.remove_prefix(end + 1);
    if (line == 1) {
      try {
        Fields(json).need("schema", results.schema).maybe("program", results.program);
      } catch (const std::exception& e) {
        return bad_input(fmt::format("{} is not the head of a journal: {}", place, e.what()));
      }
      if (results.schema < 1 || results.schema > kRecordSchema)
        return bad_input(
            fmt::format("{} has schema {}; this version reads schemas 1 to {}.", what, results.schema, kRecordSchema));
      continue;
    }
    results.records.push_back(TRY(decode<Record>(json, place)));
  }
  return results;
}

}  // namespace attnscope
