#include "app/cli/legal_configs.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/print.hpp"
#include "engine/clock.hpp"
#include "engine/grouped.hpp"

namespace attnscope::cli {
Result<std::vector<Config>> LegalConfigs::next() {
  if (done_) return std::vector<Config>{};
  SpaceRequest request;
  request.first = next_;
  request.max_legal = std::min(request.max_legal, kMostConfigs - legal_);
  const auto start = Clock::now();
  Result<SpaceBatch> batch = session_.plan_space(job_.problem, job_.variant->name, request, interrupted());
  if (!batch) return batch.error();
  size_ = batch->size;
  // A session that decides on nothing would be asked for ever.
  if (!batch->done && batch->next <= next_ && !interrupted())
    return internal_error(fmt::format("planning {} does not get past config {}", job_.variant->name, next_));
  next_ = batch->next;
  done_ = batch->done;
  legal_ += batch->legal.size();
  add_reasons(pruned_, batch->pruned);
  look_at_limits(seconds_since(start));
  return std::move(batch->legal);
}

void LegalConfigs::look_at_limits(double spent_s) {
  planned_s_ += spent_s;
  if (done_) return;
  const double most_s = legal_ == 0 ? kPlanningForNothing : kPlanning;
  if (legal_ >= kMostConfigs)
    cut_ = fmt::format("{} legal ones are as many as are run", grouped(kMostConfigs));
  else if (planned_s_ > most_s)
    cut_ = fmt::format("planning them took more than {:g} s", most_s);
  done_ = !cut_.empty();
}

std::string LegalConfigs::progress() const {
  return fmt::format("planned {:.0f} %",
                     size_ == 0 ? 0 : 100 * static_cast<double>(next_) / static_cast<double>(size_));
}

void LegalConfigs::report() const {
  if (!cut_.empty())
    print_err(
        "note: {} on {}: only the first {} of {} configs were looked at: {}. Name values with --config to see "
        "others\n",
        job_.variant->name, to_text(job_.problem), grouped(next_), grouped(size_), cut_);
  if (legal_ == 0 && pruned_.size() <= 1) return;  // the row that says why there is none says it all
  std::vector<PrunedReason> reasons = pruned_;
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  for (const PrunedReason& r : reasons)
    print_err("note: {} on {}: {} of {} configs left out: {}; such as {}: {}\n", job_.variant->name,
              to_text(job_.problem), grouped(r.count), grouped(size_), r.reason, to_text(r.config),
              r.example.substr(0, r.example.find('\n')));
}

std::string LegalConfigs::why_none() const {
  const auto most =
      std::max_element(pruned_.begin(), pruned_.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  const std::string which = cut_.empty()
                                ? fmt::format("none of its {} configs", grouped(size_))
                                : fmt::format("none of the first {} of its {} configs", grouped(next_), grouped(size_));
  return fmt::format("{} is legal here{}{}", which, most == pruned_.end() ? "" : ": ",
                     most == pruned_.end() ? "" : most->example);
}

}  // namespace attnscope::cli
