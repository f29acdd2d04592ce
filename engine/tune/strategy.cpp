// The strategies by name, and three of them: random, exhaustive and local.
#include "engine/tune/strategy.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/tune/random.hpp"
#include "engine/words.hpp"

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
    // A second report replaces the first.
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

/// In the order in which the space was walked.
class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(SearchSpace& space) : space_(space) {}
  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    for (; next_ < space_.legal().size() && out.size() < count; ++next_)
      if (const Point p = space_.legal()[next_]; space_.open(p)) {
        space_.set_proposed(p);
        out.push_back(p);
      }
    return out;
  }
  void tell(const Observation&) override {}

 private:
  SearchSpace& space_;
  size_t next_ = 0;
};

class AtRandom final : public Strategy {
 public:
  AtRandom(SearchSpace& space, uint64_t seed) : space_(space), points_(space, seed) {}
  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    while (out.size() < count) {
      const auto p = points_.next();
      if (!p) break;
      space_.set_proposed(*p);
      out.push_back(*p);
    }
    return out;
  }
  void tell(const Observation&) override {}

 private:
  SearchSpace& space_;
  RandomPoints points_;
};

}  // namespace

std::string_view name_of(StrategyKind kind) { return word_of(kind, {"surrogate", "local", "random", "exhaustive"}); }

Result<StrategyKind> parse_strategy(std::string_view text) {
  std::string known;
  for (const auto kind :
       {StrategyKind::surrogate, StrategyKind::local, StrategyKind::random, StrategyKind::exhaustive}) {
    if (name_of(kind) == text) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(kind));
  }
  return bad_input(fmt::format("there is no strategy '{}'; there are: {}", text, known));
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, SearchSpace& space, uint64_t seed) {
  switch (kind) {
    case StrategyKind::exhaustive: return std::make_unique<Exhaustive>(space);
    case StrategyKind::random: return std::make_unique<AtRandom>(space, seed);
    case StrategyKind::local: return std::make_unique<LocalSearch>(space, seed);
    case StrategyKind::surrogate: break;
  }
  return make_surrogate(space, seed);
}

}  // namespace attnscope::tune
