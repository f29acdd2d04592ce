// A Session as the tuner sees it.
#pragma once

#include <algorithm>
#include <map>

#include "engine/session/session.hpp"
#include "engine/tune/tuner.hpp"

namespace attnscope::search {

class SessionMeasurer final : public tune::Measurer {
 public:
  /// Told of each stretch of a variant's space that was planned.
  using Planned = std::function<void(const std::string& variant, const SpaceBatch&)>;

  /// `session` outlives it. Of each variant's refused configs `keep_refused` are listed to `planned` one by one.
  explicit SessionMeasurer(Session& session, Planned planned = {}, uint64_t keep_refused = 0)
      : session_(session), planned_(std::move(planned)), keep_refused_(keep_refused) {}
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    if (!planned_) return session_.plan_space(problem, variant, request, cancel);
    SpaceRequest listing = request;
    uint64_t& kept = kept_[variant];
    listing.keep_refused = keep_refused_ - std::min(keep_refused_, kept);
    Result<SpaceBatch> batch = session_.plan_space(problem, variant, listing, cancel);
    if (batch) {
      kept += batch->refused.size();
      planned_(variant, *batch);
    }
    return batch;
  }
  Result<TrialsReport> trials(const TrialsRequest& request, const std::function<void(const Trial&)>& done,
                              const std::atomic<bool>& cancel) override {
    const EventSink sink = [&](const Event& event) {
      if (const auto* told = std::get_if<TrialDone>(&event)) done(told->trial);
    };
    return session_.trials(request, sink, cancel);
  }
  Result<RaceResult> race(const RaceRequest& request, const std::atomic<bool>& cancel) override {
    return session_.race(request, {}, cancel);
  }

 private:
  Session& session_;
  const Planned planned_;
  const uint64_t keep_refused_;
  std::map<std::string, uint64_t> kept_;  ///< refused ones listed so far, by variant
};

}  // namespace attnscope::search
