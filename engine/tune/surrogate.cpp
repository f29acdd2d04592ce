// Search by a model: what each value of each parameter adds to the logarithm of a time, and the points of which that
// expects the least.

#include "engine/tune/random.hpp"
#include "engine/tune/strategy.hpp"

namespace attnscope::tune {
namespace {

/// Points measured before a model says anything.
constexpr size_t kLeast = 10;
/// Points that the model is fitted to: the best ones, and others for the rest of the space. Bounds its cost.
constexpr size_t kMostBest = 150, kMostOthers = 400;
/// Points it is asked about for each batch: at random, and around the best.
constexpr size_t kAskedAtRandom = 400, kAskedNear = 250;
constexpr size_t kCentres = 6;
/// Every how many-th point of a batch is chosen without the model.
constexpr size_t kRandomEvery = 8;
/// A config far slower than the best tells no more than that: its logarithm is cut this far above the best.
constexpr double kCut = 1.6;
/// The time expected of a point is less by this over the root of how much was measured around it: the unknown is tried.
constexpr double kHope = 0.5;

/// Values of the parameters, as SearchSpace::place() has them.
using Place = std::vector<double>;

/// A value as a mean, and what each value of each parameter adds to it; what is left of the points around is near what
/// will be left of a point.
class Effects {
 public:
  void fit(std::vector<Place> places, std::vector<double> values) {
    constexpr int kPasses = 4;
    places_ = std::move(places);
    left_ = std::move(values);
    mean_ = 0;
    for (const double value : left_) mean_ += value / double(left_.size());
    for (double& value : left_) value -= mean_;
    added_.assign(places_.front().size(), {});
    for (int pass = 0; pass < kPasses; ++pass)
      for (size_t d = 0; d < added_.size(); ++d) {
        std::map<double, std::pair<double, double>> sums;  // by value, with the count of points and one more
        for (size_t i = 0; i < left_.size(); ++i) {
          left_[i] += added_[d][places_[i][d]];
          auto& [sum, count] = sums.try_emplace(places_[i][d], 0, 1).first->second;
          sum += left_[i];
          count += 1;
        }
        for (const auto& [value, sum] : sums) added_[d][value] = sum.first / sum.second;
        for (size_t i = 0; i < left_.size(); ++i) left_[i] -= added_[d][places_[i][d]];
      }
  }
  double guess(const Place& place) const {
    constexpr std::array kNear{1.0, 0.25, 0.0625};  // by how many parameters differ
    double out = mean_, left = 0, weight = 0.5;
    for (size_t d = 0; d < place.size(); ++d)
      if (const auto known = added_[d].find(place[d]); known != added_[d].end()) out += known->second;
    for (size_t i = 0; i < places_.size(); ++i) {
      size_t differ = 0;
      for (size_t d = 0; d < place.size() && differ < kNear.size(); ++d) differ += place[d] != places_[i][d];
      if (differ == kNear.size()) continue;
      left += kNear[differ] * left_[i];
      weight += kNear[differ];
    }
    return out + left / weight - kHope / std::sqrt(weight);
  }

 private:
  double mean_ = 0;
  std::vector<std::map<double, double>> added_;  ///< by parameter and value
  std::vector<Place> places_;
  std::vector<double> left_;
};

class Surrogate final : public Strategy {
 public:
  Surrogate(SearchSpace& space, uint64_t seed) : space_(space), points_(space, seed), random_(scramble(seed)) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    std::vector<Point> expected;  // the best last
    if (told_.size() >= kLeast) expected = gather(fit());
    while (out.size() < count) {
      std::optional<Point> p;
      if (out.size() % kRandomEvery == kRandomEvery - 1) p = points_.next();
      if (!p && !expected.empty()) {
        p = expected.back();
        expected.pop_back();
      }
      if (!p) p = points_.next();
      if (!p) break;
      if (!space_.open(*p)) continue;
      space_.set_proposed(*p);
      out.push_back(*p);
    }
    return out;
  }

  void tell(const Observation& told) override {
    if (told.refused) return;
    // A second report replaces the first.
    if (const auto [known, fresh] = told_.try_emplace(told.point, told.median_ns); !fresh) {
      std::erase_if(by_time_, [&](const auto& entry) { return entry.second == told.point; });
      known->second = told.median_ns;
    }
    if (told.median_ns > 0) by_time_.emplace(told.median_ns, told.point);
  }

 private:
  Effects fit() {
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
    const double least = by_time_.empty() ? 0 : std::log(by_time_.begin()->first);
    std::vector<Place> places;
    std::vector<double> values;
    for (const Point p : chosen) {
      places.push_back(space_.place(p));
      const double ns = told_.at(p);
      values.push_back(ns > 0 ? std::min(std::log(ns), least + kCut) : least + kCut);
    }
    Effects model;
    model.fit(std::move(places), std::move(values));
    return model;
  }

  /// Points that may be next, the one with the least expected time last.
  std::vector<Point> gather(const Effects& model) {
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
    std::vector<std::pair<double, Point>> expected;
    for (const Point p : seen) expected.emplace_back(-model.guess(space_.place(p)), p);
    std::ranges::sort(expected);
    std::vector<Point> out;
    for (const auto& [time, p] : expected) out.push_back(p);
    return out;
  }

  SearchSpace& space_;
  RandomPoints points_;
  Random random_;
  std::map<Point, double> told_;  ///< ns; 0 = it has no time
  std::multimap<double, Point> by_time_;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(SearchSpace& space, uint64_t seed) {
  return std::make_unique<Surrogate>(space, seed);
}

}  // namespace attnscope::tune
