#include "engine/record/results.hpp"

#include <fmt/format.h>

#include "engine/record/csv.hpp"
#include "engine/record/fields_compared.hpp"
#include "engine/record/journal.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/markdown.hpp"

namespace attnscope {

namespace {

void to_json(Json& j, const TextTable& x) {
  std::vector<std::string> columns;
  for (const auto& column : x.columns) columns.push_back(column.title);
  Json right = Json::array();
  for (const auto& column : x.columns) right.push_back(column.right);
  j = Json{{"title", x.title}, {"heading", x.heading}, {"columns", columns}, {"right", right},
           {"rows", x.rows},   {"notes", x.notes},     {"keys", x.keys}};
}
void from_json(const Json& j, TextTable& x) {
  std::vector<std::string> columns;
  std::vector<bool> right;
  Fields(j)
      .maybe("title", x.title)
      .maybe("heading", x.heading)
      .need("columns", columns)
      .maybe("right", right)
      .need("rows", x.rows)
      .maybe("notes", x.notes)
      .maybe("keys", x.keys);
  for (size_t c = 0; c < columns.size(); ++c) x.columns.push_back({columns[c], c < right.size() && right[c]});
  for (const auto& row : x.rows)
    if (row.size() != columns.size())
      throw JsonError(fmt::format(".rows: a row has {} cells for {} columns", row.size(), columns.size()));
}

}  // namespace

std::string results_to_json(const Results& results) {
  Json json{{"schema", results.schema}, {"program", results.program}, {"records", write_json(results.records)}};
  if (!results.tables.empty()) {
    json["tables"] = Json::array();
    for (const TextTable& table : results.tables) to_json(json["tables"].emplace_back(), table);
  }
  if (!results.comparisons.empty()) json["comparisons"] = write_json(results.comparisons);
  return dump_pretty(json);
}

Result<Results> results_from_json(std::string_view text, std::string_view what) {
  if (is_journal(text)) return results_from_journal(text, what);
  const auto json = parse_json(text, what);
  if (!json) return json.error();
  try {
    Results results;
    Fields fields(*json);
    fields.need("schema", results.schema);
    if (results.schema < 1 || results.schema > kRecordSchema)
      return bad_input(
          fmt::format("{} has schema {}; this version reads schemas 1 to {}.", what, results.schema, kRecordSchema));
    fields.maybe("program", results.program).need("records", results.records).maybe("comparisons", results.comparisons);
    if (const auto tables = json->find("tables"); tables != json->end())
      for (const Json& table : *tables) from_json(table, results.tables.emplace_back());
    return results;
  } catch (const std::exception& e) {
    return bad_input(fmt::format("{} is not a result file: {}", what, e.what()));
  }
}

Result<Results> read_results(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (!text) return text.error();
  return results_from_json(*text, path.string());
}

Result<ResultFormat> result_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return ResultFormat::json;
  if (extension == ".csv") return ResultFormat::csv;
  if (extension == ".md") return ResultFormat::markdown;
  return bad_input(
      fmt::format("'{}' ends in '{}'; a result file ends in .json, .csv or .md.", path.string(), extension));
}

Result<void> write_results(const std::filesystem::path& path, const Results& results) {
  const auto format = result_format(path);
  if (!format) return format.error();
  switch (*format) {
    case ResultFormat::json: return write_text(path, results_to_json(results));
    case ResultFormat::csv: return write_text(path, to_csv(results.records));
    case ResultFormat::markdown: break;
  }
  std::string text;
  for (const TextTable& table : results.tables) text += render_markdown(table) + "\n";
  return write_text(path, text + to_markdown(results.records));
}

}  // namespace attnscope
