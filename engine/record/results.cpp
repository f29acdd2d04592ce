#include "engine/record/results.hpp"

#include <fmt/format.h>

#include "engine/record/csv.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/markdown.hpp"

namespace attnscope {

std::string results_to_json(const Results& results) {
  return dump_pretty(
      Json{{"schema", results.schema}, {"program", results.program}, {"records", write_json(results.records)}});
}

Result<Results> results_from_json(std::string_view text, std::string_view what) {
  const auto json = parse_json(text, what);
  if (!json) return json.error();
  try {
    Results results;
    Fields fields(*json);
    fields.need("schema", results.schema);
    if (results.schema < 1 || results.schema > kRecordSchema)
      return bad_input(
          fmt::format("{} has schema {}; this version reads schemas 1 to {}.", what, results.schema, kRecordSchema));
    fields.maybe("program", results.program).need("records", results.records);
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
  return write_text(path, to_markdown(results.records));
}

}  // namespace attnscope
