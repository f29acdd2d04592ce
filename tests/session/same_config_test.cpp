// The same config against itself in runs of their own, by real workers: whatever else this machine does meanwhile, one
// is never called faster than the other.
#include "engine/record/comparisons.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::same_config_test {

/// A worker of its own: another process, other memory, another moment.
Record run_once(const char* variant, const char* problem) {
  WorkerOptions options;
  options.command = {ATTNSCOPE_EXECUTABLE, "worker"};
  const auto session = ready(make_worker_session(options), shipped_sources({variant}));
  RunRequest request;
  request.problem = *parse_problem(problem);
  request.variant = variant;
  request.protocol.max_ms = 600;
  request.protocol.warmup_cap_ms = 600;
  request.resources = false;
  return *must(session->run(request, {}, kGoOn));
}

TEST(SameConfig, IsNeverFasterOrSlowerThanItself) {
  for (const auto& [variant, problem] : {std::pair{"row", "1x1x8x16"}, {"naive", "1x2x33x32"}}) {
    const Record a = run_once(variant, problem), b = run_once(variant, problem);
    ASSERT_EQ(a.outcome, Outcome::measured) << a.message;
    ASSERT_EQ(b.outcome, Outcome::measured) << b.message;
    const Comparison c = compare_records(a, b);
    EXPECT_TRUE(c.relation == Relation::same || c.relation == Relation::unsure)
        << to_text(c.relation) << " " << c.ratio << " in " << c.low << " to " << c.high;
    EXPECT_EQ(c.ratio, b.statistics->median / a.statistics->median);
    EXPECT_EQ(compare_records(a, a).relation, a.samples_ns.size() < 5 ? Relation::unsure : Relation::same);
  }
}

}  // namespace attnscope::same_config_test
