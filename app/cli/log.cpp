#include "app/cli/log.hpp"

#include <fmt/format.h>

#include "app/cli/print.hpp"
#include "engine/record/columns.hpp"

namespace attnscope::cli {
namespace {

std::string ms(double ns) { return fmt::format("{:.4f}", ns / 1e6); }

constexpr size_t kNumber = 4, kVerdict = 9, kDifference = 9, kTime = 11;
/// Of "variant config on problem": as much as there is room for.
constexpr size_t kLeastWhat = 24;

StreamedTable table(size_t width) {
  const std::vector<StreamedTable::Column> columns{{"#", kNumber, true},
                                                   {"verdict", kVerdict},
                                                   {"max diff", kDifference, true, 1},
                                                   {"mean diff", kDifference, true, 4},
                                                   {"mean ms", kTime, true, 3},
                                                   {"median ms", kTime, true},
                                                   {"min ms", kTime, true, 2},
                                                   {"max ms", kTime, true, 5},
                                                   {"config", width, false, 0, kLeastWhat}};
  return {columns, width};
}

}  // namespace

SessionLog::SessionLog(const std::string& by, size_t width)
    : by_(by), rank_(find_column(by, RecordColumn::Use::value)->statistic), width_(width), table_(table(width)) {}

void SessionLog::print(const Row& row) {
  if (++count_ == 1) print_out("{}", table_.header());
  const Record& r = row.record;
  const std::string what = fmt::format("{} {} on {}", r.variant, row.config_text, to_text(r.problem));
  std::vector<std::string> cells{fmt::format("{} ", count_), outcome_text(row), "-", "-", "", "", "", "", what};
  if (r.verdict) {
    cells[2] = error_text(r.verdict->max_abs);
    cells[3] = error_text(r.verdict->mean_abs);
  }
  if (r.outcome == Outcome::measured && r.statistics) {
    const Statistics& s = *r.statistics;
    cells[4] = ms(s.mean);
    cells[5] = ms(s.median);
    cells[6] = ms(s.min);
    cells[7] = ms(s.max);
    Best& best = best_[to_text(r.problem)];
    if (best.number == 0 || s.*rank_ < best.ns) {
      best = {s.*rank_, count_, what};
      cells[0] = fmt::format("{}*", count_);
    }
  } else {
    cells[5] = "not timed";
  }
  print_out("{}", table_.row(cells));
}

void SessionLog::print_best() const {
  for (const auto& [problem, best] : best_)
    print_out("{}", wrapped(fmt::format("* best {} for {}: #{}, {} ms, {}", by_, problem, best.number, ms(best.ns),
                                        best.what),
                            width_));
  if (count_ != 0) print_out("\n");
}

}  // namespace attnscope::cli
