#include "engine/session/full_check.hpp"

#include <fmt/format.h>

#include "engine/attention/verdict.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

Result<void> FullCheck::need_reference() {
  if (reference_) return {};
  auto made = DeviceReference::create(device_);
  if (!made) return made.error();
  reference_ = std::move(*made);
  return {};
}

Result<FullCheck::Yardstick> FullCheck::yardstick(Workload& work, std::shared_ptr<const Reference> rows, double most_s,
                                                  const vulkan::Wait& wait) {
  Yardstick y;
  y.precision = rows->precision;
  y.rows = std::move(rows);
  if (DeviceReference::cost_s(device_.info(), work.problem) > most_s) return y;
  if (!work.computed) {
    if (auto ok = need_reference(); !ok) return ok.error();
    auto computed = reference_->compute(work, wait);
    if (!computed) return computed.error();
    auto error = DeviceReference::error_of(*computed, work.problem, *y.rows, wait);
    if (!error) return error.error();
    work.computed = std::move(*computed);
    work.computed_error = *error;
  }
  // The CPU's run at this precision is the yardstick of the rows that it has; the others may be a little worse than the
  // worst of those.
  const double allowed = allowed_max_abs(work.problem, *y.rows);
  if (!(work.computed_error <= allowed)) return y;
  y.allowed = 2 * allowed + work.computed_error;
  y.elements = *work.computed;
  return y;
}

Result<std::string> FullCheck::wrong(const Workload& work, const Yardstick& y, const vulkan::Wait& wait) {
  const Problem& p = work.problem;
  if (auto ok = need_reference(); !ok) return ok.error();
  auto d = reference_->compare(*y.elements, work.buffer(binding_o), p, y.allowed, wait);
  if (!d) return d.error();
  if (d->not_finite)
    return fmt::format("{} of {} output elements were never written, or are NaN or Inf; the first is at {}.",
                       d->not_finite, p.o_elements(), element_place(p, d->first_not_finite));
  if (d->max_abs > y.allowed)
    return fmt::format(
        "Max abs error {:.3g} of all elements is over the allowed {:.3g}; worst at {}: got {:.6g}, "
        "expected {:.6g}.",
        d->max_abs, y.allowed, element_place(p, d->worst), d->got, d->expected);
  return std::string();
}

}  // namespace attnscope
