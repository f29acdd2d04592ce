#include "engine/record/results.hpp"

#include "engine/input/file.hpp"
#include "engine/record/backend_ops.hpp"
#include "engine/record/flat.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/report.hpp"
#include "engine/record/run.hpp"

namespace attnscope {

namespace {

Json json_of(const TextTable& x) {
  std::vector<std::string> columns;
  for (const auto& column : x.columns) columns.push_back(column.title);
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
        fmt::format("{} has cases of test-backend-ops, but none with a time that can be read: times come "
                    "from `test-backend-ops perf -o FLASH_ATTN_EXT`.",
                    what));
  return results;
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
  if (!results.tables.empty()) {
    Json tables = Json::array();
    for (const TextTable& table : results.tables) tables.push_back(json_of(table));
    part("tables", tables);
  }
  if (!results.comparisons.empty()) part("comparisons", write_json(results.comparisons));
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
      return bad_input(
          fmt::format("{} has schema {}; this version reads schemas 1 to {}.", what, results.schema, kRecordSchema));
    if (!wrong.empty()) throw JsonError(wrong);
    // The rest is not an object.
    fields.maybe("program", results.program).need("records", results.records).maybe("comparisons", results.comparisons);
    results.records = std::move(records);
    return results;
  } catch (const std::exception& e) {
    return bad_input(fmt::format("{} is not a result file: {}", what, e.what()));
  }
}

Result<Results> read_results(const std::filesystem::path& path) {
  if (path.extension() == ".csv")
    return bad_input(
        fmt::format("'{}' is CSV, which has no samples: results are read from JSON (.json).", path.string()));
  const auto text = TRY(read_file(path, is_special(path) ? kMaxResultBytes : kMaxRecordsBytes, FileKind::any_input));
  return results_from_json(text, path.string());
}

Result<ResultFormat> result_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return ResultFormat::json;
  if (extension == ".csv") return ResultFormat::csv;
  if (extension == ".md") return ResultFormat::markdown;
  if (extension.empty() && is_stream(path)) return ResultFormat::json;
  return bad_input(
      fmt::format("'{}' ends in '{}'; a result file ends in .json, .csv or .md.", path.string(), extension));
}

Result<void> write_results(const std::filesystem::path& path, const Results& results) {
  const auto format = TRY(result_format(path));
  switch (format) {
    case ResultFormat::json: return write_text(path, results_to_json(results));
    case ResultFormat::csv: return write_text(path, to_csv(results.records));
    case ResultFormat::markdown: break;
  }
  std::string text;
  for (const TextTable& table : results.tables) text += render_markdown(table) + "\n";
  return write_text(path, text + to_markdown(results.records));
}

std::string csv_header() {
  std::vector<std::string> cells;
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { cells.emplace_back(hint.column); });
  for_each_problem_column(Problem{}, [&](std::string_view name, const auto&) { cells.emplace_back(name); });
  return fmt::format("{}", fmt::join(cells, ","));
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

}  // namespace attnscope
