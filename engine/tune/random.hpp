// Random numbers of a search: the same from the same seed on every machine and with every standard library.
#pragma once

#include "engine/tune/search_space.hpp"

namespace attnscope::tune {

/// splitmix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// In [0, count); count is at least 1.
  uint64_t below(uint64_t count) { return next() % count; }
  /// In [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t state_;
};

/// A stable hash of a number, spread over all bits: for orders that look random and are not.
inline uint64_t scramble(uint64_t value, uint64_t seed = 0) {
  return Random(value ^ (seed * 0xd1342543de82ef95ull)).next();
}

/// FNV-1a, then spread: the same for the same text everywhere.
inline uint64_t hash_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return scramble(h);
}

/// Legal points at random or in their order, without looking at one twice, also of a list that grows.
class LegalPoints {
 public:
  LegalPoints(const SearchSpace& space, uint64_t seed, bool in_order)
      : space_(space), random_(seed), in_order_(in_order) {}
  /// An open legal point that next() has not given yet; nullopt when none is left.
  std::optional<Point> next() {
    const auto& legal = space_.legal();
    while (order_.size() < legal.size()) order_.push_back(legal[order_.size()]);
    while (taken_ < order_.size()) {
      const size_t at = taken_ + (in_order_ ? 0 : random_.below(order_.size() - taken_));
      std::swap(order_[taken_], order_[at]);
      if (const Point p = order_[taken_++]; space_.open(p)) return p;
    }
    return std::nullopt;
  }

 private:
  const SearchSpace& space_;
  Random random_;
  const bool in_order_;
  std::vector<Point> order_;  ///< those before taken_ were given
  size_t taken_ = 0;
};

}  // namespace attnscope::tune
