// A small Gaussian process: what a few hundred measured points say of others. Plain numbers.
#pragma once

#include <cstddef>
#include <vector>

namespace attnscope::tune {

/// Matérn 5/2 with a length scale of its own for each dimension, over points in the unit cube; values are standardized
/// within. The scales and the noise are those of a small set of candidates that explain the values best.
class GaussianProcess {
 public:
  using Place = std::vector<double>;
  /// At least two points, all of one length.
  void fit(std::vector<Place> places, const std::vector<double>& values);
  /// The points that follow are as if they had been measured at what is expected of them, so that a batch is not one
  /// point many times.
  void believe(const Place&);

  struct Guess {
    double mean = 0, deviation = 0;
  };
  Guess guess(const Place&) const;
  /// How far below `best` the value at a place is expected to be, counting nothing where it is above.
  static double expected_gain(const Guess&, double best);

 private:
  double kernel(const Place&, const Place&) const;
  bool factorize();
  double log_likelihood() const;
  void solve();
  double standardized_mean(const Place&, std::vector<double>& half) const;

  std::vector<Place> places_;
  std::vector<double> values_;  ///< standardized
  double mean_ = 0, scale_ = 1;
  std::vector<double> lengths_;
  double noise_ = 1e-3;
  std::vector<std::vector<double>> lower_;  ///< Cholesky factor, row by row
  std::vector<double> weights_;             ///< K^-1 y
};

}  // namespace attnscope::tune
