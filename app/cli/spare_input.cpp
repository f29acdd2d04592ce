#include "app/cli/spare_input.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace attnscope::cli {

Result<void> spare_input(const std::string& output, const std::string& input) {
  std::error_code none;
  // False where either is not there.
  if (output.empty() || !std::filesystem::equivalent(output, input, none)) return {};
  return bad_input(fmt::format(
      "--output {}: it is the file that is read ({}), whose records would be lost: give another name.", output, input));
}

}  // namespace attnscope::cli
