// Presets: named lists of problems in assets/presets/*.toml, some with the table of a published system.
#pragma once

#include <filesystem>

#include "engine/attention/problem.hpp"
#include "engine/record/system_table.hpp"
#include "engine/result.hpp"

namespace attnscope {

struct Preset {
  std::string name;  ///< the file's, without .toml
  std::string title, purpose;
  std::vector<Problem> problems;
  std::vector<std::string> whose;     ///< parallel to problems: whose shape it is, for a person; "" = nobody's
  std::vector<std::string> variants;  ///< to run; empty = the command's own choice
  std::vector<std::string> configs;   ///< config texts; empty = the default
  std::optional<SystemTable> table;   ///< what bench runs and shows when no variant or config is named
  /// For bench on a software device, when no variant or config is named: rows not begun by then are left out, and the
  /// others are sampled shortly. 0 = as usual.
  double software_budget_s = 0;
  std::string left_out;  ///< a sentence on cases of test-backend-ops that no problem says; "" = none
  bool operator==(const Preset&) const = default;
};

/// A preset's text, or what test-backend-ops printed (backend_ops.hpp), each problem once. The error names the line, or
/// the problem that does not parse. `name` is left empty.
Result<Preset> parse_preset(std::string_view text);
/// Names of the presets in `dir`, sorted; the error says that the folder cannot be read.
Result<std::vector<std::string>> list_presets(const std::filesystem::path& dir);
/// `name` of a file in `dir`, or the path of another one (with a slash or an extension). An unknown name lists those
/// there are; a bad file names its line, or the problem that does not parse.
Result<Preset> load_preset(const std::filesystem::path& dir, const std::string& name);

}  // namespace attnscope
