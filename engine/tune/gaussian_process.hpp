// A small Gaussian process, fitted to a few hundred measured points. Plain numbers.
#pragma once

#include "engine/standard.hpp"

namespace attnscope::tune {

/// Matérn 5/2 with a length scale a dimension, over the unit cube; of a small set of scales those that explain best.
class GaussianProcess {
 public:
  using Coordinates = std::vector<double>;
  /// At least two points, all of one length. Without `scales` those of the last fit stay, at a thirtieth of the time.
  void fit(std::vector<Coordinates> places, const std::vector<double>& values, bool scales = true);
  /// As if it had been measured at what is expected of it, so that a batch is not one point many times.
  void believe(const Coordinates&);

  struct Guess {
    double mean = 0, deviation = 0;
  };
  /// What is known of one place, until the next fit(): after a believe() the next guess costs little.
  struct CachedPoint {
    std::vector<double> half;  ///< L^-1 k
    double mean = 0, variance = 1;
  };
  Guess guess(const Coordinates&, CachedPoint&) const;
  /// How far below `best` the value at a place is expected to be, counting nothing where it is above.
  static double expected_gain(const Guess&, double best);

 private:
  double kernel(const Coordinates&, const Coordinates&) const;
  bool factorize();
  double log_likelihood() const;
  void solve();
  void learn(const Coordinates&, CachedPoint&) const;

  std::vector<Coordinates> places_;
  std::vector<double> values_;  ///< standardized
  double mean_ = 0, scale_ = 1;
  std::vector<double> lengths_;
  double noise_ = 1e-3;
  std::vector<std::vector<double>> lower_;  ///< Cholesky factor, row by row
  std::vector<double> weights_;             ///< K^-1 y
};

}  // namespace attnscope::tune
