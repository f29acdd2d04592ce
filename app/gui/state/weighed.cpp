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
      kept.making = std::async(std::launch::async,
                               [record] { return std::make_shared<const Evidence>(weigh(record->samples_ns)); });
  }
  if (kept.making.valid() && kept.making.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    kept.evidence = kept.making.get();
  std::shared_ptr<const Evidence> evidence = kept.evidence;
  if (kept_.size() > forget_at_) forget();
  return evidence;
}

void Weighed::forget() {
  std::erase_if(kept_, [](const auto& k) { return k.second.record.expired() && !k.second.making.valid(); });
  forget_at_ = std::max<size_t>(256, 2 * kept_.size());
}

}  // namespace attnscope::gui
