#include "engine/session/full_check.hpp"

#include <fmt/format.h>

#include "engine/attention/verdict.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

Result<void> FullCheck::need_reference() {
  if (reference_) return {};
  reference_ = TRY(DeviceReference::create(device_));
  return {};
}

Result<FullCheck::Yardstick> FullCheck::yardstick(Workload& work, bool changed, std::shared_ptr<const Reference> rows,
                                                  double most_s, const vulkan::Wait& wait) {
  Yardstick y{.precision = rows->precision, .rows = std::move(rows)};
  if (DeviceReference::cost_s(device_.info(), work.problem) > most_s) return y;
  auto& known = work.computed[changed];
  if (!known) {
    TRY(need_reference());
    auto computed = TRY(reference_->compute(work, wait));
    auto error = TRY(DeviceReference::error_of(computed, work.problem, *y.rows, wait));
    known = Workload::Computed{std::move(computed), error};
  }
  // The CPU's run at this precision is the yardstick of the rows that it has; the others may be a little worse than the
  // worst of those.
  const double allowed = allowed_max_abs(work.problem, *y.rows);
  if (!(known->error <= allowed)) return y;
  y.allowed = 2 * allowed + known->error;
  y.elements = known->o;
  return y;
}

Result<std::string> FullCheck::wrong(const Workload& work, const Yardstick& y, const vulkan::Wait& wait) {
  const Problem& p = work.problem;
  TRY(need_reference());
  auto d = TRY(reference_->compare(*y.elements, work.buffer(binding_o), p, y.allowed, wait));
  if (d.not_finite)
    return fmt::format("{} of {} output elements were never written, or are NaN or Inf; the first is at {}.",
                       d.not_finite, p.o_elements(), element_place(p, d.first_not_finite));
  if (d.max_abs > y.allowed)
    return fmt::format(
        "Max abs error {:.3g} of all elements is over the allowed {:.3g}; worst at {}: got {:.6g}, "
        "expected {:.6g}.",
        d.max_abs, y.allowed, element_place(p, d.worst), d.got, d.expected);
  return std::string();
}

}  // namespace attnscope
