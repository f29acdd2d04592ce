// What a tuner needs of whoever measures: a session does it, or a replay of recorded numbers.
#pragma once

#include <atomic>
#include <functional>

#include "engine/result.hpp"
#include "engine/session/trials.hpp"
#include "engine/variant/space.hpp"

namespace attnscope::tune {

/// One device. Each function as the Session's of the same name; trials() calls `done` on the calling thread.
class Measurer {
 public:
  virtual ~Measurer() = default;
  virtual Result<SpaceBatch> plan_space(const Problem&, const std::string& variant, const SpaceRequest&,
                                        const std::atomic<bool>& cancel) = 0;
  virtual Result<TrialsReport> trials(const TrialsRequest&, const std::function<void(const Trial&)>& done,
                                      const std::atomic<bool>& cancel) = 0;
  virtual Result<RaceResult> race(const RaceRequest&, const std::atomic<bool>& cancel) = 0;
};

}  // namespace attnscope::tune
