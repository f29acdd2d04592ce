// Why the config that is shown takes its time: its floor, how it fits the device, and advice, as the engine explains
// it.
#pragma once

#include <memory>
#include <optional>

#include "app/gui/state/live.hpp"
#include "engine/variant/surroundings.hpp"

namespace attnscope::gui {

class Why {
 public:
  /// Explains anew when the run, its resources, the plan's neighbours or the ceilings are others, and about twice a
  /// second while samples come in. `live`: with a time that may be shown, or nullptr.
  void step(const Live* live, const Surroundings*, const std::optional<Peaks>&, double now);
  /// The run with its statistics, floor, fit and advice, without samples; nullptr when there is nothing to explain.
  const Record* record() const { return record_ ? &*record_ : nullptr; }
  /// Raised by every change of record().
  uint64_t version() const { return version_; }

 private:
  std::optional<Record> record_;
  std::optional<Surroundings> around_;
  std::optional<Peaks> peaks_;
  std::optional<Resources> resources_;
  uint64_t taken_ = 0, version_ = 0;
  double made_at_ = 0;
};

}  // namespace attnscope::gui
