// bench --ab: two configs, or one before and after an edit, measured A B A B in one process.
#pragma once

#include "app/cli/options.hpp"

namespace attnscope::cli {

struct AbOptions {
  std::vector<std::string> sides;    ///< of --ab: two of CONFIG, VARIANT or VARIANT:CONFIG
  std::vector<std::string> shaders;  ///< of --ab-shaders: two folders of variants
  std::vector<std::string> sources;  ///< of --ab-sources: two folders of what variants take from elsewhere
  std::optional<double> tolerance;   ///< absent: kInterleavedTolerance
  std::string gpus;                  ///< of the catalogue, for which both sides are only compiled
  const std::vector<std::string>& folders() const { return sources.empty() ? shaders : sources; }
  const char* option() const { return sources.empty() ? "--ab-shaders" : "--ab-sources"; }
  bool wanted() const { return !sides.empty() || !folders().empty(); }
};

/// A comparison for each problem and pair. The exit code.
int bench_ab(const AbOptions&, const CommonOptions&, WorkOptions&, const ProtocolChange&);

}  // namespace attnscope::cli
