// Strategies choose the next configs of a variant to try. No device, no clock: told the same, they ask for the same.
#pragma once

#include "engine/tune/search_space.hpp"

namespace attnscope::tune {

struct Observation {
  Point point = 0;
  double median_ns = 0;  ///< 0: it has no time (wrong, broken)
  bool refused = false;  ///< it cannot run: says nothing of the configs around it
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// At most `count` open points to try next; fewer, or none: there is nothing more in what is known so far.
  virtual std::vector<Point> ask(size_t count) = 0;
  /// In any order, also of points that it never asked for: seeds, what an earlier process left.
  virtual void tell(const Observation&) = 0;
};

enum class StrategyKind { surrogate, random, exhaustive };
std::string_view name_of(StrategyKind);
/// The error lists the names.
Result<StrategyKind> parse_strategy(std::string_view);

/// `space` outlives it, and may get to know more in the meantime.
std::unique_ptr<Strategy> make_strategy(StrategyKind, SearchSpace& space, uint64_t seed);

}  // namespace attnscope::tune
