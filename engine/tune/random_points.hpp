// Open points at random: of the legal ones that are known.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/tune/random.hpp"
#include "engine/tune/search_space.hpp"

namespace attnscope::tune {

/// Draws without looking at a legal point twice, also of a list that grows.
class RandomPoints {
 public:
  RandomPoints(const SearchSpace& space, uint64_t seed) : space_(space), random_(seed) {}
  /// An open legal point that next() has not given yet; nullopt when none is left.
  std::optional<Point> next() {
    const auto& legal = space_.legal();
    while (order_.size() < legal.size()) order_.push_back(legal[order_.size()]);
    while (taken_ < order_.size()) {
      const size_t at = taken_ + random_.below(order_.size() - taken_);
      std::swap(order_[taken_], order_[at]);
      if (const Point p = order_[taken_++]; space_.open(p)) return p;
    }
    return std::nullopt;
  }
  Random& random() { return random_; }

 private:
  const SearchSpace& space_;
  Random random_;
  std::vector<Point> order_;  ///< those before taken_ were given
  size_t taken_ = 0;
};

}  // namespace attnscope::tune
