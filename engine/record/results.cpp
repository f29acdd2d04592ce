#include "engine/record/results.hpp"

#include <cerrno>
#include <cstdio>

#include "engine/input/file.hpp"
#include "engine/record/flat.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/preset.hpp"
#include "engine/record/report.hpp"
#include "engine/record/run.hpp"

namespace attnscope {
namespace {

Json json_of(const TextTable& x) {
  const auto columns = mapped(x.columns, &TextTable::Column::title);
  return {{"title", x.title}, {"heading", x.heading}, {"columns", columns}, {"rows", x.rows}, {"notes", x.notes}};
}

/// A record for each case with a time: a median without samples of its own.
Result<Results> results_of(const BackendOps& ops, std::string_view what) {
  Results results{.program = "test-backend-ops", .records = {}};
  for (const BackendOpsCase& one : ops.cases) {
    if (one.ns == 0) continue;
    Record& r = results.records.emplace_back();
    r.problem = one.problem;
    r.variant = "test-backend-ops";
    if (!one.permute.empty()) r.config_name = "permute=" + one.permute;
    r.message = "The time that test-backend-ops printed; verified there, with its own inputs.";
    r.samples_ns = {one.ns};
    r.statistics = summarize(r.samples_ns);
    r.flops = problem_flops(one.problem);
    r.bytes = problem_bytes(one.problem);
    rate(r);
  }
  if (results.records.empty())
    return bad_input(
        "{} has cases of test-backend-ops, but none with a time that can be read: times come from "
        "`test-backend-ops perf -o FLASH_ATTN_EXT`.",
        what);
  return results;
}

/// A pipe with a name would be waited for until somebody reads it, at the end of all the work.
Error not_writable(const std::filesystem::path& path) {
  return bad_input(
      "'{}' cannot be written: it is {}, not a file. For a pipe: `>(command)`, or a file and a command after it.",
      path.string(), not_a_file(path));
}

/// A device or pipe is never replaced by a file; write_text() writes to it where is_stream(), else refuses.
bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

std::string results_to_json(const Results& results) {
  Json head{{"schema", results.schema}, {"program", results.program}};
  std::string text;
  dump_into(text, head, 0);
  text.resize(text.size() - 2);  // its brace, on a line of its own
  // One by one: as JSON values all of a large search would take many times the memory of its records.
  text += ",\n  \"records\": [";
  for (size_t i = 0; i < results.records.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    dump_into(text, encode(results.records[i]), 4);
  }
  text += results.records.empty() ? "]" : "\n  ]";
  const auto part = [&](const char* name, const Json& json) {
    text += fmt::format(",\n  \"{}\": ", name);
    dump_into(text, json, 2);
  };
  if (!results.tables.empty()) part("tables", mapped(results.tables, json_of));
  if (!results.comparisons.empty()) part("comparisons", encode(results.comparisons));
  return text + "\n}\n";
}

Result<Results> results_from_json(std::string_view text, std::string_view what) {
  if (is_backend_ops(text) && !text.starts_with('{')) return results_of(parse_backend_ops(text), what);
  Results results;
  std::vector<Record> records;
  size_t taken = 0;
  std::string wrong;  // with the first bad record; a newer schema comes first
  const auto json = TRY(parse_json_items(text, what, "records", [&](Json&& item) {
    if (!wrong.empty()) return;
    try {
      read_json(item, records.emplace_back());
      ++taken;
    } catch (const std::exception& e) {
      wrong = join_place(fmt::format(".records[{}]", taken), e.what());
    }
  }));
  try {
    Fields fields(json);
    fields.need("schema", results.schema);
    if (results.schema < 1 || results.schema > kRecordSchema)
      return bad_input("{} has schema {}; this version reads schemas 1 to {}.", what, results.schema, kRecordSchema);
    if (!wrong.empty()) throw JsonError(wrong);
    // The rest is not an object.
    fields.maybe("program", results.program).need("records", results.records).maybe("comparisons", results.comparisons);
    results.records = std::move(records);
    return results;
  } catch (const std::exception& e) {
    return bad_input("{} is not a result file: {}", what, e.what());
  }
}

Result<Results> read_results(const std::filesystem::path& path) {
  if (path.extension() == ".csv")
    return bad_input("'{}' is CSV, which has no samples: results are read from JSON (.json).", path.string());
  const auto text = TRY(read_file(path, is_special(path) ? kMaxResultBytes : kMaxRecordsBytes, FileKind::any_input));
  return results_from_json(text, path.string());
}

Result<ResultFormat> result_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return ResultFormat::json;
  if (extension == ".csv") return ResultFormat::csv;
  if (extension == ".md") return ResultFormat::markdown;
  if (extension.empty() && is_stream(path)) return ResultFormat::json;
  return bad_input("'{}' ends in '{}'; a result file ends in .json, .csv or .md.", path.string(), extension);
}

Result<void> write_results(const std::filesystem::path& path, const Results& results) {
  const auto format = TRY(result_format(path));
  if (format == ResultFormat::json) return write_text(path, results_to_json(results));
  if (format == ResultFormat::csv) return write_text(path, to_csv(results.records));
  std::string text;
  for (const TextTable& table : results.tables) text += render_markdown(table) + "\n";
  return write_text(path, text + to_markdown(results.records));
}

std::string csv_header() {
  std::vector<std::string> cells;
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { cells.emplace_back(hint.column); });
  for_each_problem_column(Problem{}, [&](std::string_view name, const auto&) { cells.emplace_back(name); });
  return joined(cells, ",");
}

std::string to_csv(std::span<const Record> records) { return csv_header() + "\n" + csv_lines(records); }

std::string csv_lines(std::span<const Record> records) {
  std::string text;
  for (const Record& record : records) {
    std::vector<std::string> cells;
    for_each_column(&record, [&](const auto* value, const Hint& hint) {
      cells.push_back(value ? csv_cell(*value, hint.zero) : "");
    });
    for_each_problem_column(record.problem,
                            [&](std::string_view, const auto& part) { cells.push_back(csv_cell(part)); });
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code none;
  // What links such as /dev/stdout to a pipe name is no path.
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, none) && !is_special(path); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, none);
  return path;
}

Error file_error(const char* action, const std::filesystem::path& path, int code) {
  return bad_input("'{}' cannot be {}: {}.", path.string(), action, std::generic_category().message(code));
}

Result<std::string> read_text(const std::filesystem::path& path) {
  return read_file(path, kMaxResultBytes, FileKind::any_input);
}

/// What is written where this name is given.
static Result<std::filesystem::path> place_to_write(const std::filesystem::path& name) {
  std::filesystem::path path = behind_links(name);
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return file_error("written", path, EISDIR);
  if (is_special(path)) return is_stream(path) ? Result<std::filesystem::path>(path) : not_writable(path);
  if (std::filesystem::is_symlink(path, none)) return file_error("written", name, ELOOP);  // it leads to itself
  return path;
}

Result<void> write_text(const std::filesystem::path& name, std::string_view text) {
  const std::filesystem::path path = TRY(place_to_write(name));
  if (is_special(path)) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.string().c_str(), "wb"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
      return file_error("written", path, errno);
    return {};
  }
  const int code = replace_file(path, text, true);
  return code == 0 ? Result<void>() : file_error("written", path, code);
}

Result<void> check_writable(const std::filesystem::path& name) {
  const std::filesystem::path path = TRY(place_to_write(name));
  const int code = !is_special(path) ? replace_file(path, "", false) : may_write(path) ? 0 : EACCES;
  return code == 0 ? Result<void>() : file_error("written", path, code);
}

}  // namespace attnscope
