// The difference of two texts, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

struct DiffLine {
  enum class Side { both, first, second };
  Side side = Side::both;
  std::string_view text;  ///< within the texts that were compared
  bool operator==(const DiffLine&) const = default;
};

/// The fewest lines that only one of them has (Myers, "An O(ND) Difference Algorithm", 1986), or all of a middle part
/// that differs in more than `most` lines.
std::vector<DiffLine> diff_lines(std::string_view first, std::string_view second, size_t most = 4000);

/// For assemblies and IR: lines that differ only in registers, labels and comments are equal; the second's are shown.
std::vector<DiffLine> diff_code(std::string_view first, std::string_view second);

/// diff_code() as a unified diff without file names: three lines around each change, "" where there is none.
std::string unified_diff(std::string_view first, std::string_view second);

}  // namespace attnscope
