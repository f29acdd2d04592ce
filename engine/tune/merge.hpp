// Joining what several processes or machines left: result files, and journals of trials.
#pragma once

#include <span>
#include <vector>

#include "engine/record/results.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope::tune {

/// How many were joined, and how many of these were there already.
struct Joined {
  uint64_t taken = 0, duplicates = 0;
};
/// Adds to `all` what it does not have. The same run (device, driver, problem, variant and source, config, modes, seed)
/// is there once: the one that tells more, which is a measured one, else the later.
Joined join(Results& all, const Results& more);
Joined join(std::vector<JournalSection>& all, std::span<const JournalSection> more);

}  // namespace attnscope::tune
