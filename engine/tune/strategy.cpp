#include "engine/tune/search_space.hpp"

#include "engine/tune/gaussian_process.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

constexpr size_t kLeast = 10;
/// Points that the model is fitted to: the best ones, and others for the rest of the space. Bounds its cost.
constexpr size_t kMostBest = 70, kMostOthers = 50;
/// Points it is asked about for each batch: at random, and around the best.
constexpr size_t kAskedAtRandom = 400, kAskedNear = 250;
constexpr size_t kCentres = 6;
/// Every how many-th point of a batch is chosen without the model.
constexpr size_t kRandomEvery = 8;
/// A config far slower than the best tells no more than that: its logarithm is cut this far above the best.
constexpr double kCut = 1.6;

/// By a model: a Gaussian process of the times' logarithm, and the points of which it expects most. Without it, random,
/// or in the order in which the space was walked.
class Surrogate final : public Strategy {
 public:
  Surrogate(SearchSpace& space, uint64_t seed, StrategyKind kind)
      : space_(space),
        with_model_(kind == StrategyKind::surrogate),
        points_(space, seed, kind == StrategyKind::exhaustive),
        random_(scramble(seed)) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    std::vector<Candidate> candidates;
    if (with_model_ && told_.size() >= kLeast) {
      fit();
      candidates = gather();
    }
    while (out.size() < count && !candidates.empty()) {
      if (out.size() % kRandomEvery == kRandomEvery - 1 && take(points_.next(), out)) continue;
      auto best = candidates.end();
      double most = -1;
      for (auto it = candidates.begin(); it != candidates.end(); ++it) {
        if (!space_.open(it->point)) continue;
        // A gain only shrinks while points are added: what cannot win any more is not asked again.
        if (it->gain <= most) continue;
        it->gain = GaussianProcess::expected_gain(model_.guess(it->place, it->cached), best_);
        if (it->gain > most) {
          most = it->gain;
          best = it;
        }
      }
      if (best == candidates.end()) break;
      model_.believe(best->place);
      take(best->point, out);
      candidates.erase(best);
    }
    while (out.size() < count && take(points_.next(), out)) {
    }
    return out;
  }

  void tell(const Observation& told) override {
    pending_.erase(told.point);
    if (told.refused) return;
    // A second report replaces the first.
    if (const auto [known, fresh] = told_.try_emplace(told.point, told.median_ns); !fresh) {
      std::erase_if(by_time_, [&](const auto& entry) { return entry.second == told.point; });
      known->second = told.median_ns;
    }
    if (told.median_ns > 0) by_time_.emplace(told.median_ns, told.point);
  }

 private:
  struct Candidate {
    Point point = 0;
    GaussianProcess::Coordinates place;
    GaussianProcess::CachedPoint cached = {};
    double gain = 1e300;
  };

  bool take(std::optional<Point> p, std::vector<Point>& out) {
    if (!p) return false;
    space_.set_proposed(*p);
    pending_.insert(*p);
    out.push_back(*p);
    return true;
  }

  void fit() {
    std::vector<Point> chosen;
    for (const auto& [ns, p] : by_time_) {
      if (chosen.size() == kMostBest) break;
      chosen.push_back(p);
    }
    const std::set<Point> best(chosen.begin(), chosen.end());
    std::vector<Point> others;
    for (const auto& [p, ns] : told_)
      if (!best.contains(p)) others.push_back(p);
    random_.shuffle(others);
    others.resize(std::min(others.size(), kMostOthers));
    chosen.insert(chosen.end(), others.begin(), others.end());
    best_ = by_time_.empty() ? 0 : std::log(by_time_.begin()->first);
    std::vector<GaussianProcess::Coordinates> places;
    std::vector<double> values;
    for (const Point p : chosen) {
      places.push_back(space_.place(p));
      const double ns = told_.at(p);
      values.push_back(ns > 0 ? std::min(std::log(ns), best_ + kCut) : best_ + kCut);
    }
    // The scales of its dimensions change little: they are chosen anew when a quarter more is known.
    const bool scales = told_.size() >= next_scales_;
    if (scales) next_scales_ = told_.size() + std::max<size_t>(told_.size() / 4, 1);
    model_.fit(std::move(places), values, scales);
    for (const Point p : pending_) model_.believe(space_.place(p));
  }

  std::vector<Candidate> gather() {
    std::set<Point> seen;
    const auto add = [&](Point p) {
      if (space_.open(p)) seen.insert(p);
    };
    const auto& legal = space_.legal();
    if (legal.size() <= 2 * kAskedAtRandom)
      for (const Point p : legal) add(p);
    else
      for (size_t i = 0; i < kAskedAtRandom; ++i) add(legal[random_.below(legal.size())]);
    size_t centres = 0;
    for (auto it = by_time_.begin(); it != by_time_.end() && centres < kCentres; ++it, ++centres) {
      size_t near = 0;
      space_.neighbours(it->second, [&](Point p) {
        add(p);
        return ++near < kAskedNear / 2;
      });
    }
    return mapped(seen, [&](Point p) { return Candidate{p, space_.place(p)}; });
  }

  SearchSpace& space_;
  const bool with_model_;
  LegalPoints points_;
  Random random_;
  GaussianProcess model_;
  size_t next_scales_ = 0;  ///< reports after which the model's scales are chosen again
  double best_ = 0;
  std::map<Point, double> told_;  ///< ns; 0 = it has no time
  std::multimap<double, Point> by_time_;
  std::set<Point> pending_;
};

}  // namespace

std::string_view name_of(StrategyKind kind) { return word_of(kind, {"surrogate", "random", "exhaustive"}); }

Result<StrategyKind> parse_strategy(std::string_view text) {
  constexpr std::array kinds{StrategyKind::surrogate, StrategyKind::random, StrategyKind::exhaustive};
  if (const auto* kind = find_by(kinds, text, name_of)) return *kind;
  return bad_input("there is no strategy '{}'; there are: {}", text, joined(kinds, ", ", name_of));
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, SearchSpace& space, uint64_t seed) {
  return std::make_unique<Surrogate>(space, seed, kind);
}

}  // namespace attnscope::tune
