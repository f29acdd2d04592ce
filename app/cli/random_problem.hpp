// Random problems: of every kind that kernels get wrong (`verify --samples`), and of kinds that people run (`regret`).
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::cli {

struct Random : tune::Random {
  using tune::Random::Random;
  /// In [low, high].
  uint32_t between(uint32_t low, uint32_t high) { return low + uint32_t(below(high - low + 1)); }
  bool chance(uint32_t percent) { return between(1, 100) <= percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
};

/// Small shapes that kernels get wrong: odd dims and lengths, few keys, odd groups, packed, paged, large inputs.
Problem random_problem(Random&, const VariantInfo&);

/// Prefill, cross-attention and decoding as people run them, of about `most_flops` at most; 0 = 5 ms of a fast device.
Problem draw_problem(Random&, double most_flops = 0);

}  // namespace attnscope::cli
