// The difference of two assemblies, line by line.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

struct DiffLine {
  enum class Side { both, first, second };
  Side side = Side::both;
  std::string_view text;  ///< within the texts that were compared
};

/// The fewest lines that only one of them has; of two texts of thousands of lines that have little in common, all that
/// lies between their common beginning and end. Lines that differ only in registers, labels and comments are equal, and
/// the second's are shown.
std::vector<DiffLine> diff_code(std::string_view first, std::string_view second);

/// diff_code() as a unified diff without file names: three lines around each change, "" where there is none.
std::string unified_diff(std::string_view first, std::string_view second);

}  // namespace attnscope
