// What the tuning tables know of a problem over all variants: which is the fastest.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

struct FastestQuery {
  DeviceInfo device;
  Problem problem;
  std::map<std::string, std::string> variants;  ///< those that may serve: hash of the source by name
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
};
/// What may serve, best first: the user's entries before those that ship; of each, those of the problem itself, then of
/// its class, then the nearest problem's; and among these the fastest, which is the least time for the work.
std::vector<TunedMatch> find_fastest(const TunedTables&, const FastestQuery&);

/// Of the user's entries for this very device, problem and mode, when none matches: why the newest is not used, as a
/// clause; "" when there is none.
std::string why_unused(const TunedTables&, const FastestQuery&);

/// How the match that is taken stands among those of other variants that were tuned for the same problem: "12 % faster
/// than coopmat there", or that there is no other. `passed_over`: parallel to `matches`, why one was not taken, as a
/// clause; "" or no element: nobody asked.
std::string beside_others(std::span<const TunedMatch> matches, size_t taken, std::span<const std::string> passed_over);

}  // namespace attnscope::tune
