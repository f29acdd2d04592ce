// The fastest tuned config of a problem over all variants.
#pragma once

#include "engine/session/trials.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope::tune {

/// What may serve, best first: the user's entries before those that ship; of each, those of the problem itself, then of
/// its class, then the nearest problem's; and among these the fastest, which is the least time for the work.
std::vector<TunedMatch> find_fastest(const TunedTables&, const TunedQuery&);

/// Of the user's entries for this very device, problem and mode, when none matches: why the newest is not used, as a
/// clause; "" when there is none.
std::string why_unused(const TunedTables&, const TunedQuery&);

// An untuned choice is what runs if nothing is tuned.

/// How much faster than the untuned choice a config has to be at its own problem, as the logarithm to base 2 of the
/// ratio of times, to be taken for another: the first, and the second for every unit of distance between the two. Of 28
/// problems near tuned ones on an H200 (docs/tuning.md) the tuned config of a neighbour took up to 56 % longer than the
/// untuned choice, which in turn never took more than 3.4 % longer.
inline constexpr double kLeastGain = 0.03, kGainADistance = 0.2;

/// "" when the gain is enough to be carried over that far, else why not. A match for the very problem always carries.
std::string too_little_to_carry(const TunedMatch&);
/// "" when the gain is over what runs untuned at the match's problem, else why it says nothing. Tables that ship are
/// made by searches of all variants: older ones that do not say over what are taken at their word.
std::string not_over_untuned(const TunedMatch&, const RaceEntry& there);
/// For the very problem: "" when the match is of the variant that runs untuned, or is known to be no slower than what
/// does, by its race or by the time of another match for it; else why it is not to stand in for that.
std::string no_better_than_untuned(const TunedMatch&, std::span<const TunedMatch> all, const RaceEntry& here);
/// "" when the manifests choose alike at both problems, else why nothing carries over: what beats one choice need not
/// beat another, and that they differ says that the problems do.
std::string differs_untuned(const RaceEntry& there, const RaceEntry& here);

}  // namespace attnscope::tune
