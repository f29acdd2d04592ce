// Two configs held against each other, taken in turn: what `bench --ab` measures, and the window before and after a
// change of a shader.
#pragma once

#include <atomic>

#include "engine/measure/paired.hpp"
#include "engine/record/comparisons.hpp"
#include "engine/session/session.hpp"

namespace attnscope::search {

/// The second one's variant beside the first, where both have the same name ("tiled@B").
inline constexpr std::string_view kOfB = "@B";

/// Each side is measured for as many turns as it takes to tell half a percent: some 200.
Protocol pair_protocol();
/// Race of two as it is to be taken: the modes are the caller's to set, and the two entries.
RaceRequest pair_request(const Problem&);

struct PairOutcome {
  RaceResult race;    ///< of two
  RowComparison row;  ///< the second against the first
};
/// An Error for what could not be tried at all; what is refused or wrong is an outcome of its record, and the word then
/// says that nothing can be compared.
Result<PairOutcome> race_pair(Session&, const RaceRequest&, double tolerance, const EventSink&,
                              const std::atomic<bool>& cancel);

/// A variant's source under another name, as the second side of a pair.
VariantSource renamed(VariantSource, const std::string& name);

}  // namespace attnscope::search
