// Result files: records under a schema version.
#pragma once

#include "engine/record/comparisons.hpp"

namespace attnscope {

struct Results {
  int schema = kRecordSchema;
  std::string program = "attnscope " ATTNSCOPE_VERSION;
  std::vector<Record> records;
  std::vector<TextTable> tables = {};           ///< made of the records for a person; a file's are not read
  std::vector<RowComparison> comparisons = {};  ///< of records that were measured in turn
  bool operator==(const Results&) const = default;
};

/// {"schema", "program", "records": [...]}, and "tables" and "comparisons" where there are any, indented.
std::string results_to_json(const Results&);
/// `what` names the text in errors, such as the file. A newer schema is refused, with both numbers.
Result<Results> results_from_json(std::string_view text, std::string_view what);
/// A file up to kMaxRecordsBytes, anything else that a person names up to kMaxResultBytes (engine/input/file.hpp).
Result<Results> read_results(const std::filesystem::path&);

enum class ResultFormat { json, csv, markdown };
/// By the extension: .json, .csv or .md; the error lists these.
Result<ResultFormat> result_format(const std::filesystem::path&);
/// Writes in the format of the extension, atomically.
Result<void> write_results(const std::filesystem::path&, const Results&);

/// Reads a file that a person names, up to kMaxResultBytes (engine/input/file.hpp).
Result<std::string> read_text(const std::filesystem::path&);
/// Through a temporary file beside it and a rename. The error names the path and the system's reason.
Result<void> write_text(const std::filesystem::path&, std::string_view text);
/// Whether write_text could work, asked before hours of measuring: the same error, nothing left behind.
Result<void> check_writable(const std::filesystem::path&);

/// The target of a link, existing or not: the file is replaced there, and the link stays.
std::filesystem::path behind_links(std::filesystem::path);
/// "'FILE' cannot be read: No such file or directory."; `code` is an errno.
Error file_error(const char* action, const std::filesystem::path&, int code);

// CSV with every number; RFC 4180 quoting. A cell is empty when its value is absent, never NaN.

/// The header line without its line end: the names of the columns, in the order of the tables of fields.
std::string csv_header();
/// Header and one line a record: every field (fields_record.hpp) that has a column, without samples.
std::string to_csv(std::span<const Record>);
/// The lines of such a file without its header, to be appended.
std::string csv_lines(std::span<const Record>);

}  // namespace attnscope
