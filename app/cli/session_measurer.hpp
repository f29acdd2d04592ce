// A Session as the tuner sees it.
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/measurer.hpp"

namespace attnscope::cli {

class SessionMeasurer final : public tune::Measurer {
 public:
  /// `session` outlives it.
  explicit SessionMeasurer(Session& session) : session_(session) {}
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    return session_.plan_space(problem, variant, request, cancel);
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
};

}  // namespace attnscope::cli
