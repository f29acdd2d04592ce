// What records' samples say of their medians, weighed once each: a small one at once, a large one on a thread of its
// own, so that a million samples cost no frame.
#pragma once

#include <future>
#include <map>
#include <memory>

#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"

namespace attnscope::gui {

class Weighed {
 public:
  static constexpr size_t kAtOnce = 20'000;  ///< samples: about 2 ms

  /// nullptr: it is being weighed; ask again with another frame.
  std::shared_ptr<const Evidence> of(const std::shared_ptr<const Record>&);
  /// Weighings begun so far, for whoever wants to know what it costs.
  uint64_t made() const { return made_; }

 private:
  struct Kept {
    std::weak_ptr<const Record> record;
    std::shared_ptr<const Evidence> evidence;
    std::future<std::shared_ptr<const Evidence>> making;
  };
  void forget();
  std::map<const Record*, Kept> kept_;
  size_t forget_at_ = 256;
  uint64_t made_ = 0;
};

}  // namespace attnscope::gui
