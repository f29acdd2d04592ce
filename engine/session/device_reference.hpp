// Attention computed on the device by a plain kernel of the engine's own, so that every element of a large result can
// be compared, where the CPU reference has time for some rows. It is itself judged by those rows before it judges.
#pragma once

#include "engine/attention/verdict.hpp"
#include "engine/session/guarded_buffer.hpp"
#include "engine/session/workload.hpp"

namespace attnscope {

/// How a result differs from the reference, over all of its elements.
struct Difference {
  uint64_t not_finite = 0;  ///< NaN, Inf, or never written (the poison is a NaN)
  uint64_t first_not_finite = 0;
  double max_abs = 0;   ///< over the finite elements, beyond storage_rounding() of what is expected
  double row_nmse = 0;  ///< of the worst row, likewise
  uint64_t worst = 0;   ///< its element of O
  double got = 0, expected = 0;
};

/// Seconds that computing it takes on a device like this, roughly; infinity where it is impossible (more elements
/// than 32 bits can index).
double device_reference_cost_s(const DeviceInfo&, const Problem&);
/// O in f32, laid out as the problem's: scores, softmax and sums in f32, keys in blocks of 128 with a running
/// maximum.
Result<vulkan::Buffer> compute_on_device(const Workload&, const vulkan::Wait&);
/// The largest difference of `computed` from a CPU reference on its rows.
Result<double> error_of(const vulkan::Buffer& computed, const Problem&, const Reference&, const vulkan::Wait&);
/// Of O as a kernel left it. The two values of the worst element are fetched where its error is over `allowed`.
Result<Difference> compare_elements(const Workload&, const vulkan::Buffer& expected, double allowed,
                                    const vulkan::Wait&);

/// Every element of a right result.
struct Yardstick {
  std::optional<vulkan::Buffer> elements{};  ///< absent where computing them takes too long
  double allowed = 0;                        ///< of an element's error against these
  double allowed_nmse = 0;                   ///< of a row; infinite: rows are not judged alone
};
inline double at_most_a_row(double nmse) { return std::isinf(nmse) ? nmse : std::min(nmse, kMostRowNmse); }
/// `elements` stays absent where computing them takes more than `most_s`, and where they are no better, on the CPU's
/// rows, than what they would judge. Computed at the first call for these inputs, which
/// have to be in place.
Result<Yardstick> make_yardstick(Workload&, InputSet, const std::shared_ptr<const Reference>& rows, double most_s,
                                 const vulkan::Wait&);
/// Which element of O is wrong, as a sentence; "" when each is near enough. Only with `elements`.
Result<std::string> wrong_element(const Workload&, const Yardstick&, const vulkan::Wait&);

}  // namespace attnscope
