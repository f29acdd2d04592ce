// Presets: named lists of problems in assets/presets/*.toml, some with the table of a published system.
#pragma once

#include "engine/record/system_table.hpp"

namespace attnscope {

struct Preset {
  std::string name;  ///< the file's, without .toml
  std::string title, purpose;
  std::vector<Problem> problems;
  Whose whose;
  std::vector<std::string> variants;  ///< to run; empty = the command's own choice
  std::vector<std::string> configs;   ///< config texts; empty = the default
  std::optional<SystemTable> table;   ///< what bench runs and shows when no variant or config is named
  /// For bench on software without a named variant or config: rows not begun by then are left out. 0 = as usual.
  double software_budget_s = 0;
  std::string left_out;  ///< a sentence on cases of test-backend-ops that no problem says; "" = none
  bool operator==(const Preset&) const = default;
};

/// A preset's text, or what test-backend-ops printed, each problem once. The error names the line or the problem.
Result<Preset> parse_preset(std::string_view text);
/// Names of the presets in `dir`, sorted; the error says that the folder cannot be read.
Result<std::vector<std::string>> list_presets(const std::filesystem::path& dir);
/// `name` of a file in `dir`, or a path (with a slash or an extension). The error lists those there are.
Result<Preset> load_preset(const std::filesystem::path& dir, const std::string& name);

// What ggml's test-backend-ops prints of attention cases (`test` or `perf -o FLASH_ATTN_EXT`), as problems and times.

/// FLASH_ATTN_EXT(hsk=128,hsv=128,nh=4,nr23=[4,1],kv=512,nb=35,mask=1,…,type_K=f16,…,permute=[0,2,1,3]): 8 us/run
/// nh K/V heads, nh * nr23[0] query heads, batch nr23[1], nb queries, kv keys. There Q and the output are f32; here all
/// tensors have the type of K, and f16 beside q8_0. The mask is random numbers, one for all batches or one for each.
struct BackendOpsCase {
  Problem problem;
  std::string permute;  ///< "0213": the order in which the dimensions lie in memory; "" = "0123", as here
  double ns = 0;        ///< of one run; 0 where the text has no time
};

struct BackendOps {
  std::vector<BackendOpsCase> cases;       ///< in the order of the text
  std::map<std::string, size_t> left_out;  ///< what no problem says, such as "type_K=q4_0", with the number of cases
};

bool is_backend_ops(std::string_view text);
/// At most 100,000 cases; those that no problem says, or whose line is cut off, are in `left_out`.
BackendOps parse_backend_ops(std::string_view text);

}  // namespace attnscope
