// What the second judgement costs: its share of the wall time is printed, by stages of real runs.
#include <chrono>
#include <cstdio>
#include <map>

#include "tests/gpu/gpu_test.hpp"

namespace attnscope {
namespace {

using Gpu = testing::GpuTest;
using Clock = std::chrono::steady_clock;

TEST_F(Gpu, TheSecondJudgementPassesAndItsShareIsPrinted) {
  std::map<std::string, double> spent;  // seconds by stage
  double all = 0;
  size_t ran = 0;
  for (const Problem& problem : preset("speed"))
    for (const VariantInfo& v : variants) {
      if (!v.why_not.empty() || (v.name != "coopmat" && v.name != "simt") || problem_flops(problem) > 6e11) continue;
      const auto choice = session->choose_config(problem, v.name, "default");
      ASSERT_TRUE(choice);
      RunRequest request;
      request.problem = problem;
      request.variant = v.name;
      request.config = choice->config;
      std::string stage = "compile";
      auto since = Clock::now();
      const auto next = [&](const std::string& name) {
        const double s = std::chrono::duration<double>(Clock::now() - since).count();
        spent[stage] += s;
        all += s;
        stage = name;
        since = Clock::now();
      };
      bool sampled = false;
      const auto record = session->run(
          request,
          [&](const Event& e) {
            const auto* p = std::get_if<Progress>(&e);
            if (!p) return;
            sampled = sampled || p->stage == "sample";
            next(p->stage == "verify" && sampled ? "judge again" : p->stage);
          },
          go_on);
      next("between runs");
      ASSERT_TRUE(record) << record.error().message;
      if (record->outcome == Outcome::refused) continue;
      EXPECT_EQ(record->outcome, Outcome::measured) << v.name << " " << to_text(problem) << ": " << record->message
                                                    << (record->verdict ? record->verdict->reason : "");
      ++ran;
    }
  EXPECT_GT(ran, 5u);
  std::printf("%zu runs, %.1f s:", ran, all);
  for (const auto& [stage, s] : spent) std::printf(" %s %.1f %%,", stage.c_str(), 100 * s / all);
  std::printf("\n");
}

}  // namespace
}  // namespace attnscope
