#include "app/cli/log.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace attnscope::cli {
namespace {

const char* name(RankBy by) { return by == RankBy::mean ? "mean" : by == RankBy::min ? "min" : "median"; }

double ranked(const Statistics& s, RankBy by) {
  return by == RankBy::mean ? s.mean : by == RankBy::min ? s.min : s.median;
}

std::string ms(double ns) { return fmt::format("{:.4f}", ns / 1e6); }

}  // namespace

void SessionLog::print(const Row& row) {
  if (++count_ == 1)
    fmt::print("  #  verdict    max diff  mean diff     mean ms   median ms      min ms      max ms  config\n");
  const Record& r = row.record;
  std::string diffs = fmt::format("{:>10} {:>10}", "-", "-");
  if (r.verdict) diffs = fmt::format("{:>10.2e} {:>10.2e}", r.verdict->max_abs, r.verdict->mean_abs);
  std::string times = fmt::format("{:^47}", "not timed");
  const std::string what = fmt::format("{} {} on {}", r.variant, row.config_text, to_text(r.problem));
  bool is_best = false;
  if (r.outcome == Outcome::measured && r.statistics) {
    const Statistics& s = *r.statistics;
    times = fmt::format("{:>11} {:>11} {:>11} {:>11}", ms(s.mean), ms(s.median), ms(s.min), ms(s.max));
    Best& best = best_[to_text(r.problem)];
    is_best = best.number == 0 || ranked(s, by_) < best.ns;
    if (is_best) best = {ranked(s, by_), count_, what};
  }
  fmt::print("{:>3}{} {:<9} {} {}  {}\n", count_, is_best ? "*" : " ", outcome_text(row), diffs, times, what);
  std::fflush(stdout);
}

void SessionLog::print_best() const {
  for (const auto& [problem, best] : best_)
    fmt::print("* best {} for {}: #{}, {} ms, {}\n", name(by_), problem, best.number, ms(best.ns), best.what);
  if (count_ != 0) fmt::print("\n");
}

}  // namespace attnscope::cli
