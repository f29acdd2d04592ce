// Where a result is wrong: the errors of one batch and head over (query, dim), and the elements beyond the tolerance.
#pragma once

#include "engine/attention/reference.hpp"

namespace attnscope {

/// Beside ratios, which are at most half of the latter: nothing was compared; something is no number.
inline constexpr double kUnchecked = -1, kNotANumber = 1e30;

/// One element of O with both values. `got` is 0 where it is no number, and `what` then says what it is.
struct ErrorElement {
  uint32_t batch = 0, head = 0, query = 0, dim = 0;
  double got = 0, expected = 0, allowed = 0;
  std::string what;  ///< "never written", "NaN", "Inf"; "" = a number
  bool operator==(const ErrorElement&) const = default;
};

/// Errors are |got - expected| over elements that are numbers; a ratio is that over what is allowed of the element: the
/// verdict's largest error, by the worse of its rows' and this head's yardsticks, and storage rounding.
struct ErrorMap {
  uint32_t batch = 0, head = 0;
  uint32_t queries = 0, dims = 0;  ///< of the head; dims are those of V
  uint64_t rows_checked = 0;       ///< of `queries`
  uint32_t cell_queries = 1, cell_dims = 1;
  uint32_t rows = 0, columns = 0;  ///< of cells: queries and dims over those, rounded up
  std::vector<double> cells;       ///< [rows, columns], the largest ratio in each; kUnchecked, kNotANumber
  uint64_t failing = 0;            ///< elements beyond what is allowed of them, or no numbers
  uint64_t unwritten = 0, not_finite = 0;
  double max_abs = 0, mean_abs = 0, nmse = 0;
  double allowed_max_abs = 0;  ///< of the worst element
  double allowed_nmse = 0;
  std::optional<ErrorElement> worst;  ///< of the head: one that is no number first, else the largest ratio
  std::vector<ErrorElement> first;    ///< failing ones of the head, in the order of their index
  /// The failing element of the lowest index, of the rows judged and this head's; what is no number, anywhere in O.
  std::optional<ErrorElement> first_of_all;
  std::vector<double> heads;  ///< [batch, heads_q], the largest ratio of each; empty of more than kMostHeads
  static constexpr uint64_t kMostHeads = 4096;
  bool operator==(const ErrorMap&) const = default;
};

/// What one may ask for, so that an answer is at most about a megabyte.
inline constexpr uint32_t kMostErrorCells = 256, kMostErrorElements = 1024;

/// `output`: O, whole; `judged`: the verdict's rows; `slice`: the head's. At most `cells` a side, `elements` listed.
ErrorMap make_error_map(const Problem&, const Reference& judged, const Reference& slice, uint32_t batch, uint32_t head,
                        const Tensor& output, uint32_t cells, uint32_t elements);

/// The head with the largest error of those rows, or with what is no number: (batch, head).
std::pair<uint32_t, uint32_t> worst_head(const Problem&, const Reference& judged, const Tensor& output);

}  // namespace attnscope
