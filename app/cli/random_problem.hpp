// Random problems and configs for the property sweep of `verify --samples`.
#pragma once

#include <cstdint>

#include "engine/session/session.hpp"

namespace attnscope::cli {

/// splitmix64: the same sweep from the same seed on every machine and with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// In [low, high].
  uint32_t between(uint32_t low, uint32_t high);
  bool chance(uint32_t percent) { return between(1, 100) <= percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[next() % from.size()];
  }

 private:
  uint64_t state_;
};

/// Small shapes of every sort that kernels get wrong: odd head dims and lengths, one row, more queries than keys under
/// a causal mask, group ratios 1, 3 and 7, long key ranges, packed and paged ones, large and one-hot inputs.
Problem random_problem(Random&, const VariantInfo&);
/// Each parameter at one of its candidates, legal together or not.
Config random_config(Random&, const VariantInfo&);

}  // namespace attnscope::cli
