// Verdict: how far a result is from the reference, and whether that is good enough.
#pragma once

#include "engine/attention/reference.hpp"

namespace attnscope {

/// The element furthest from the reference, by its place in O.
struct WorstElement {
  uint32_t batch = 0, head = 0, query = 0, dim = 0;
  double got = 0, expected = 0;
  bool operator==(const WorstElement&) const = default;
};

/// The first element of O that is NaN or Inf, and the key that it comes from.
struct NotFinite {
  uint32_t batch = 0, head = 0, query = 0, dim = 0;
  std::optional<uint32_t> key;  ///< the result is finite with the keys before it alone; absent: not known, or no key
  bool operator==(const NotFinite&) const = default;
};

struct Verdict {
  bool pass = false;
  std::string reason = {};                    ///< the first rule broken, with both numbers; empty on a pass
  uint64_t rows_checked = 0, rows_total = 0;  ///< compared with the CPU's double precision, and in all
  /// Every element was also compared with the device's reference, which those rows judged before.
  bool all_on_device = false;
  uint64_t nan_count = 0;        ///< NaN or Inf among all outputs that were written
  uint64_t unwritten_count = 0;  ///< elements still holding the poison
  bool guard_intact = true;      ///< padding around the output and scratch memory untouched
  double max_abs = 0, mean_abs = 0;
  double nmse = 0;  ///< sum (got - ref)^2 / sum ref^2
  /// 2 x the error of the CPU run + 1e-5, and for f16 and bf16 half the distance of neighbours at the worst element.
  double allowed_max_abs = 0;
  double allowed_nmse = 0;                   ///< AllowedErrors
  double row_nmse = 0;                       ///< of the row, or the few narrow ones, where it is largest
  std::optional<double> allowed_row_nmse{};  ///< absent: not judged
  using Worst = WorstElement;
  std::optional<Worst> worst = {};
  std::optional<NotFinite> not_finite = {};
  bool operator==(const Verdict&) const = default;
};

/// Passes when every output element was written and is finite (all elements are looked at), the guard is intact, and on
/// the reference's rows NMSE, that of each row, and max abs error are within what is allowed. Errors are taken over
/// finite elements, so every number here is finite. `output`: O as the GPU left it, [batch, heads_q, seq_q, v_dim] (or
/// packed) in the problem's dtype, poisoned before. `overrun`: beyond the end of what memory was written, "the output";
/// "" = of nothing. `slack` times as much error is allowed: where few rows make a poor yardstick of a coarse question.
Verdict judge(const Problem&, const Reference&, const Tensor& output, const std::string& overrun, double slack = 1);

/// A verdict allows no more whatever the slack: a row of zeros has an NMSE of 1, one key lost in a hundred 0.01.
inline constexpr double kMostNmse = 0.005, kMostRowNmse = 0.2;
/// Fewer elements may all be near 0 by chance: then their NMSE says little. Of narrower rows some are judged together.
inline constexpr uint32_t kRowDims = 32;
/// What the CPU run at the variant's precision gives on these rows: twice its error, five times its NMSE, both at least
/// Reference::rounding; NMSE also `slack` squared times the run's (of least_nmse() 4 at most).
struct AllowedErrors {
  bool finite = true;   ///< false: that run is not finite, and nothing is allowed
  double max_abs = 0;   ///< plus 1e-5; Verdict::allowed_max_abs without the rounding of what is stored
  double nmse = 0;      ///< least_nmse() at least, more of a few rows
  double row_nmse = 0;  ///< of any one row, or the next few of less than kRowDims elements: 4 x least_nmse() at least,
                        ///< 12 x where few keys may count
};
AllowedErrors allowed_errors(const Problem&, const Reference&, double slack = 1);
/// Of f16 and bf16 what the rounding of stored values comes to in the mean, of f32 1e-10: kernels' exponentials differ.
double least_nmse(DType);
/// "batch 0, head 1, query 2, dim 3" of element i of O.
std::string element_place(const Problem&, uint64_t i);

/// Half the distance between neighbours of the storage type around `x`; 0 for f32, whose rounding the yardstick has.
double storage_rounding(DType, double x);
/// Element i still holds what marks that nothing has written it.
bool holds_poison(const Tensor&, uint64_t i);

/// Of extremes() of this seed, without rows whose scores are beyond what the precision holds apart, and those that it
/// cannot hold. Where two keys make a row, and scores or packed K are rounded to 16 bits far from 0, one run's error
/// says nothing of another's; nor where bf16's rounding of packed K moves the scores by 0.15, since how a value between
/// two is rounded is the kernel's choice. Where one key leads by more than all that, its V is the result all the same.
Reference sound_rows(const Problem&, uint64_t seed, const Reference&);

/// What overflows where sums are made in one order may do so in other rows where they are made in another: rows that
/// are not finite, which become 0, are left out, but for those that fit. What was never written stays.
Reference without_overflow(const Problem&, const Reference& all, Tensor& output);

}  // namespace attnscope
