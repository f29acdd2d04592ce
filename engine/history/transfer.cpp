#include "engine/history/transfer.hpp"

#include <cerrno>
#include <cstdio>

#include "engine/input/file.hpp"
#include "engine/record/csv.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope {
namespace {

Error not_written(const std::filesystem::path& path) {
  return bad_input(fmt::format("'{}' cannot be written: {}.", path.string(), std::generic_category().message(errno)));
}

Result<bool> is_csv(const std::filesystem::path& file) {
  const auto format = result_format(file);
  if (format && *format != ResultFormat::markdown) return *format == ResultFormat::csv;
  return bad_input(fmt::format("'{}': a history is exported to .json or .csv.", file.string()));
}

}  // namespace

Result<size_t> export_history(History& history, const HistoryFilter& filter, const std::filesystem::path& file) {
  const auto csv = TRY(is_csv(file));
  TRY(check_own_file(file));  // it is replaced by a rename
  TRY(check_writable(file));
  const std::string scratch = fmt::format("{}.{}.tmp", file.string(), ::getpid());
  struct Scratch {
    const std::string& name;
    ~Scratch() {
      std::error_code ignored;
      std::filesystem::remove(name, ignored);  // nothing when it was renamed
    }
  } const remove{scratch};
  const int fd = open_file(scratch, O_WRONLY | O_CREAT | O_TRUNC);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(fd >= 0 ? ::fdopen(fd, "wb") : nullptr, &std::fclose);
  if (!out) return not_written(file);
  const auto write = [&](const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), out.get()) == text.size();
  };
  bool good = write(csv ? csv_header() + "\n"
                        : fmt::format("{{\n  \"schema\": {},\n  \"program\": {},\n  \"records\": [", kRecordSchema,
                                      dump_line(Json(Results().program))));
  const char* separator = "\n";
  const auto count = TRY(history.for_each(filter, [&](const Record& record) {
    good = write(csv ? csv_lines(std::span(&record, 1)) : separator + dump_line(encode(record)));
    separator = ",\n";
    return good;
  }));
  good = good && (csv || write("\n  ]\n}\n"));
  // A full disk may show itself only when the file is closed.
  if (!good || std::fclose(out.release()) != 0) return not_written(file);
  std::error_code error;
  std::filesystem::rename(scratch, file, error);
  if (error) return bad_input(fmt::format("'{}' cannot be written: {}.", file.string(), error.message()));
  return count;
}

}  // namespace attnscope
