// bench --ab: two configs, or one before and after an edit, measured A B A B in one process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/options.hpp"

namespace attnscope::cli {

struct AbOptions {
  std::vector<std::string> sides;    ///< of --ab: two of CONFIG, VARIANT or VARIANT:CONFIG
  std::vector<std::string> shaders;  ///< of --ab-shaders: two folders of variants
  std::optional<double> tolerance;   ///< absent: kInterleavedTolerance
  bool wanted() const { return !sides.empty() || !shaders.empty(); }
};

/// A comparison for each problem and pair. The exit code.
int bench_ab(const AbOptions&, const CommonOptions&, WorkOptions&, const ProtocolChange&);

}  // namespace attnscope::cli
