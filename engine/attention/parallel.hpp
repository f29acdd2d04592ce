// A plain parallel loop over an index range.
#pragma once

#include <thread>

#include "engine/standard.hpp"

namespace attnscope {

inline unsigned worker_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

/// Calls body(begin, end), which must not throw, for pieces of at most `grain` of [0, count), from several threads.
template <class Body>
void parallel_for(uint64_t count, uint64_t grain, const Body& body, unsigned threads = worker_threads()) {
  grain = std::max<uint64_t>(grain, 1);
  const uint64_t pieces = (count + grain - 1) / grain;
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    for (uint64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;)
      body(i * grain, std::min(count, (i + 1) * grain));
  };
  std::vector<std::jthread> helpers;
  for (uint64_t t = 1; t < std::min<uint64_t>(threads, pieces); ++t) helpers.emplace_back(work);
  work();
}

}  // namespace attnscope
