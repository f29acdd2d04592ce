#include "app/gui/state/weighed.hpp"

#include <algorithm>
#include <chrono>

namespace attnscope::gui {

std::shared_ptr<const Evidence> Weighed::of(const std::shared_ptr<const Record>& record) {
  Kept& kept = kept_[record.get()];
  // Another record may lie where one was that is gone.
  if (kept.record.lock() != record && !kept.making.valid()) {
    kept = {record, nullptr, {}};
    ++made_;
    if (record->samples_ns.size() <= kAtOnce)
      kept.evidence = std::make_shared<const Evidence>(weigh(record->samples_ns));
    else
      // Moved from, so that the record is not kept for as long as nobody takes the answer.
      kept.making = std::async(std::launch::async, [given = record]() mutable {
        const auto own = std::move(given);
        return std::make_shared<const Evidence>(weigh(own->samples_ns));
      });
  }
  if (kept.making.valid() && kept.making.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    kept.evidence = kept.making.get();
  std::shared_ptr<const Evidence> evidence = kept.evidence;
  if (kept_.size() > forget_at_) forget();
  return evidence;
}

void Weighed::forget() {
  // One that is being weighed still is not expired.
  std::erase_if(kept_, [](const auto& k) { return k.second.record.expired(); });
  forget_at_ = std::max<size_t>(256, 2 * kept_.size());
}

}  // namespace attnscope::gui
