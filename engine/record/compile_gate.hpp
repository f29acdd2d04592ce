// Gates on what was compiled, for CI: spills, registers, and what got worse than a baseline.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/record.hpp"
#include "engine/result.hpp"

namespace attnscope {

struct CompileGate {
  bool spill = false;                      ///< no config may spill
  std::optional<uint64_t> registers = {};  ///< no config may take more
  /// Configs of the same device name, problem and variant: none may take more registers, spill more, or fail to compile
  /// where it did.
  std::vector<Record> baseline = {};
};

/// A sentence for each config that does not pass. bad_input where there is a baseline and it has none of the configs.
Result<std::vector<std::string>> failed_gates(std::span<const Record>, const CompileGate&);

}  // namespace attnscope
