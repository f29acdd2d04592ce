// Many configs of the matrix kernels, tried as a tuner does: each legal one is right, and where the time goes is
// printed.
#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/gpu/gpu_test.hpp"

namespace attnscope {
namespace {

using Gpu = testing::GpuTest;

TEST_F(Gpu, ThreeHundredConfigsAreTriedAndNoneIsWrong) {
  TrialsRequest request;
  request.problem = *parse_problem("1x16x4096x128:f16");
  request.variant = "coopmat";
  std::vector<Config> legal;
  for (SpaceRequest space;;) {
    space.budget_ms = 60e3;
    const auto batch = session->plan_space(request.problem, request.variant, space, go_on);
    ASSERT_TRUE(batch) << batch.error().message;
    legal.insert(legal.end(), batch->legal.begin(), batch->legal.end());
    if (batch->done) break;
    space.first = batch->next;
  }
  std::shuffle(legal.begin(), legal.end(), std::mt19937(7));
  if (legal.size() > 300) legal.resize(300);
  request.configs = legal;
  size_t dropped = 0, measured = 0;
  double best = 0;
  Config best_config;
  const auto report = session->trials(
      request,
      [&](const Event& e) {
        const auto* done = std::get_if<TrialDone>(&e);
        if (!done) return;
        const Trial& t = done->trial;
        EXPECT_EQ(t.outcome, Outcome::measured) << to_text(t.config) << ": " << t.message;
        if (t.outcome != Outcome::measured) return;
        ++measured;
        dropped += t.dropped;
        if (!t.dropped && (best == 0 || t.median_ns < best)) {
          best = t.median_ns;
          best_config = t.config;
        }
      },
      go_on);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->done, legal.size());
  std::printf(
      "%zu configs: %.1f s; waiting %.1f s, reference %.1f s, verifying %.1f s, measuring %.1f s; %zu measured, %zu of "
      "them dropped; "
      "best %.1f us: %s\n",
      legal.size(), report->wall_ms / 1e3, report->waiting_ms / 1e3, report->reference_ms / 1e3,
      report->verifying_ms / 1e3, report->measuring_ms / 1e3, measured, dropped, best / 1e3,
      to_text(best_config).c_str());
}

}  // namespace
}  // namespace attnscope
