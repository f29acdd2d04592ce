// The same config against itself in runs of their own, by real workers: whatever else this machine does meanwhile, one
// is never called faster than the other. tools/aa makes more tries than the few of the test, and shows them.
#include <fmt/format.h>

#include "engine/record/comparisons.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::same_config_test {

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

/// A worker of its own: another process, other memory, another moment.
Record run_once(const std::string& device, const std::string& variant, const std::string& problem) {
  WorkerOptions options;
  options.command = {ATTNSCOPE_EXECUTABLE, "worker"};
  const auto session = make_worker_session(options);
  (void)must(session->open(device));
  (void)must(session->load_variants(shipped_sources({variant})));
  RunRequest request;
  request.problem = *parse_problem(problem);
  request.variant = variant;
  request.protocol.max_ms = 600;
  request.protocol.warmup_cap_ms = 600;
  request.resources = false;
  return *must(session->run(request, {}, kGoOn));
}

TEST(SameConfig, IsNeverFasterOrSlowerThanItself) {
  struct Work {
    const char *variant, *problem;
  };
  constexpr Work kWork[] = {{"row", "1x1x8x16"}, {"naive", "1x2x33x32"}, {"row", "1x2x33x32"}, {"naive", "1x1x64x64"}};
  const int tries = std::stoi(from_environment("ATTNSCOPE_AA_TRIES", "2"));
  const std::string device = from_environment("ATTNSCOPE_AA_DEVICE", "cpu");
  int words[4] = {};
  for (int i = 0; i < tries; ++i) {
    const Work& work = kWork[size_t(i) % std::size(kWork)];
    const Record a = run_once(device, work.variant, work.problem), b = run_once(device, work.variant, work.problem);
    ASSERT_EQ(a.outcome, Outcome::measured) << a.message;
    ASSERT_EQ(b.outcome, Outcome::measured) << b.message;
    const Comparison c = compare_records(a, b);
    EXPECT_TRUE(c.relation == Relation::same || c.relation == Relation::unsure)
        << to_text(c.relation) << " " << c.ratio << " in " << c.low << " to " << c.high;
    EXPECT_EQ(c.ratio, b.statistics->median / a.statistics->median);
    EXPECT_EQ(compare_records(a, a).relation, a.samples_ns.size() < 5 ? Relation::unsure : Relation::same);
    ++words[int(c.relation)];
    fmt::print("{:3} {:>5} {:<10} {:10.1f} us {:10.1f} us  {:5.3f} ({:.3f} to {:.3f})  {}{}{}\n", i + 1, work.variant,
               work.problem, a.statistics->median / 1e3, b.statistics->median / 1e3, c.ratio, c.low, c.high,
               to_text(c.relation), c.reason.empty() ? "" : ": ", c.reason);
    std::fflush(stdout);
  }
  fmt::print("{} tries: {} FASTER, {} SLOWER, {} SAME, {} UNSURE\n", tries, words[0], words[1], words[2], words[3]);
}

}  // namespace attnscope::same_config_test
