#include "engine/tune/gaussian_process.hpp"

#include <numbers>

#include "engine/measure/statistics.hpp"

namespace attnscope::tune {
namespace {

/// Candidates of a dimension's length scale; the last all but ignores the dimension.
constexpr double kLengths[] = {0.35, 0.8, 2, 6};
/// Variance of the noise, against that of the values.
constexpr double kNoises[] = {1e-4, 1e-2, 1e-1};
constexpr double kTiny = 1e-10;

double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }
double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

}  // namespace

double GaussianProcess::kernel(const Coordinates& a, const Coordinates& b) const {
  double squared = 0;
  for (size_t d = 0; d < a.size(); ++d) {
    const double x = (a[d] - b[d]) / lengths_[d];
    squared += x * x;
  }
  const double r = std::sqrt(5 * squared);
  return (1 + r + r * r / 3) * std::exp(-r);
}

bool GaussianProcess::factorize() {
  const size_t n = places_.size();
  lower_.assign(n, {});
  for (size_t i = 0; i < n; ++i) {
    lower_[i].resize(i + 1);
    for (size_t j = 0; j <= i; ++j) {
      double sum = kernel(places_[i], places_[j]) + (i == j ? noise_ + kTiny : 0);
      for (size_t k = 0; k < j; ++k) sum -= lower_[i][k] * lower_[j][k];
      if (i == j && sum <= 0) return false;
      lower_[i][j] = i == j ? std::sqrt(sum) : sum / lower_[j][j];
    }
  }
  return true;
}

void GaussianProcess::solve() {
  const size_t n = values_.size();
  weights_ = values_;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) weights_[i] -= lower_[i][k] * weights_[k];
    weights_[i] /= lower_[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) weights_[i] -= lower_[k][i] * weights_[k];
    weights_[i] /= lower_[i][i];
  }
}

double GaussianProcess::log_likelihood() const {
  double fit = 0, size = 0;
  for (size_t i = 0; i < values_.size(); ++i) {
    fit += values_[i] * weights_[i];
    size += std::log(lower_[i][i]);
  }
  return -fit / 2 - size;
}

void GaussianProcess::fit(std::vector<Coordinates> places, const std::vector<double>& values, bool scales) {
  places_ = std::move(places);
  const double n = double(values.size());
  mean_ = mean_of(values);
  scale_ = std::max(std::sqrt(variance_of(values) * (n - 1) / n), 1e-12);
  values_.clear();
  for (const double v : values) values_.push_back((v - mean_) / scale_);

  const size_t dimensions = places_.front().size();
  if (lengths_.size() != dimensions) {
    lengths_.assign(dimensions, 0.8);
    scales = true;
  }
  // The scales of the last fit are a good start, so one round over the dimensions is enough.
  const auto score = [&] {
    if (!factorize()) return -1e300;
    solve();
    return log_likelihood();
  };
  double best = score();
  if (!scales && best > -1e300) return;
  const auto improve = [&](double& knob, auto& candidates) {
    double kept = knob;
    for (const double candidate : candidates) {
      if (candidate == kept) continue;
      knob = candidate;
      if (const double now = score(); now > best) {
        best = now;
        kept = candidate;
      }
    }
    knob = kept;
  };
  improve(noise_, kNoises);
  for (double& length : lengths_) improve(length, kLengths);
  (void)score();
}

/// Forward substitution goes on where it stopped: each row needs those before it alone.
void GaussianProcess::learn(const Coordinates& place, CachedPoint& known) const {
  std::vector<double>& half = known.half;
  half.reserve(places_.size());
  for (size_t i = half.size(); i < places_.size(); ++i) {
    double h = kernel(places_[i], place);
    known.mean += h * weights_[i];
    for (size_t k = 0; k < i; ++k) h -= lower_[i][k] * half[k];
    h /= lower_[i][i];
    known.variance -= h * h;
    half.push_back(h);
  }
}

GaussianProcess::Guess GaussianProcess::guess(const Coordinates& place, CachedPoint& known) const {
  learn(place, known);
  return {mean_ + scale_ * known.mean, scale_ * std::sqrt(std::max(known.variance, 0.0))};
}

void GaussianProcess::believe(const Coordinates& place) {
  CachedPoint known;
  learn(place, known);
  std::vector<double> row = std::move(known.half);
  row.push_back(std::sqrt(std::max(known.variance + noise_ + kTiny, kTiny)));
  places_.push_back(place);
  values_.push_back(known.mean);
  lower_.push_back(std::move(row));
  // What it says is what was believed already: the other weights stay, and its own is zero.
  weights_.push_back(0);
}

double GaussianProcess::expected_gain(const Guess& guess, double best) {
  if (guess.deviation <= 0) return std::max(best - guess.mean, 0.0);
  const double z = (best - guess.mean) / guess.deviation;
  return (best - guess.mean) * normal_below(z) + guess.deviation * normal_density(z);
}

}  // namespace attnscope::tune
