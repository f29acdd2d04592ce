// Local search with restarts: around the best of a basin until nothing near it is better, then from somewhere else.
#include <map>
#include <set>

#include "engine/tune/random.hpp"
#include "engine/tune/strategy.hpp"

namespace attnscope::tune {
namespace {

/// How many random points a new basin is chosen from.
constexpr size_t kStarts = 12;
/// Points of a basin, best first, around which is searched when the best has no open neighbour left.
constexpr size_t kSecondBest = 3;

class LocalSearch final : public Strategy {
 public:
  LocalSearch(SearchSpace& space, uint64_t seed) : space_(space), starts_(space, seed) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    if (basin_.empty()) restart(out, count);
    size_t around = 0;
    for (auto it = basin_.begin(); it != basin_.end() && around < kSecondBest && out.size() < count; ++it, ++around)
      take_around(it->second, out, count);
    // Nothing near is open: the basin is done, unless what is on its way moves it.
    if (out.empty()) {
      if (pending_.empty()) basin_.clear();
      restart(out, count);
    }
    return out;
  }

  void tell(const Observation& told) override {
    pending_.erase(told.point);
    // What is told of again is not what it was.
    std::erase_if(basin_, [&](const auto& entry) { return entry.second == told.point; });
    if (told.median_ns > 0) basin_.emplace(told.median_ns, told.point);
  }

 private:
  void take(Point p, std::vector<Point>& out) {
    space_.set_proposed(p);
    pending_.insert(p);
    out.push_back(p);
  }
  void take_around(Point centre, std::vector<Point>& out, size_t count) {
    space_.neighbours(centre, [&](Point p) {
      if (space_.open(p)) take(p, out);
      return out.size() < count;
    });
  }
  void restart(std::vector<Point>& out, size_t count) {
    for (size_t i = 0; i < kStarts && out.size() < count; ++i)
      if (const auto p = starts_.next()) take(*p, out);
  }

  SearchSpace& space_;
  RandomPoints starts_;
  std::multimap<double, Point> basin_;  ///< told since the last restart, by time
  std::set<Point> pending_;
};

}  // namespace

std::unique_ptr<Strategy> make_local(SearchSpace& space, uint64_t seed) {
  return std::make_unique<LocalSearch>(space, seed);
}

}  // namespace attnscope::tune
