#include "app/cli/legal_configs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/print.hpp"
#include "engine/grouped.hpp"

namespace attnscope::cli {
namespace {

std::string number(uint64_t value) { return grouped(static_cast<double>(value)); }

}  // namespace

Result<std::vector<Config>> LegalConfigs::next() {
  if (done_) return std::vector<Config>{};
  SpaceRequest request;
  request.first = next_;
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
  return std::move(batch->legal);
}

std::string LegalConfigs::progress() const {
  return fmt::format("planned {:.0f} %",
                     size_ == 0 ? 0 : 100 * static_cast<double>(next_) / static_cast<double>(size_));
}

void LegalConfigs::report() const {
  if (legal_ == 0 && pruned_.size() <= 1) return;  // the row that says why there is none says it all
  std::vector<PrunedReason> reasons = pruned_;
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  for (const PrunedReason& r : reasons)
    print_err("note: {} on {}: {} of {} configs left out: {}; such as {}: {}\n", job_.variant->name,
              to_text(job_.problem), number(r.count), number(size_), r.reason, to_text(r.config),
              r.example.substr(0, r.example.find('\n')));
}

std::string LegalConfigs::why_none() const {
  const auto most =
      std::max_element(pruned_.begin(), pruned_.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  return fmt::format("none of its {} configs is legal here{}{}", number(size_), most == pruned_.end() ? "" : ": ",
                     most == pruned_.end() ? "" : most->example);
}

}  // namespace attnscope::cli
