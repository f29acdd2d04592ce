#include "app/cli/tune_status.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/print.hpp"
#include "app/cli/terminal.hpp"
#include "engine/clock.hpp"
#include "engine/record/units.hpp"
#include "engine/search/words.hpp"
#include "engine/visible.hpp"

namespace attnscope::cli {
namespace {

constexpr size_t kColumnsUnsaid = 80;

}  // namespace

TuneStatus::TuneStatus(ProgressKind kind) : kind_(kind), terminal_(draws_progress()) {}

void TuneStatus::show(const std::string& what, const std::string& stage, const tune::TuneProgress& p,
                      Clock::time_point start, double budget_s) {
  if (kind_ == ProgressKind::none) return;
  const std::lock_guard lock(mutex_);
  const double spent = seconds_since(start);
  const std::string best = p.best_ns > 0
                               ? fmt::format("best {} {} {}", time_text(p.best_ns), p.best_variant, to_text(p.best))
                               : "no best yet";
  if (!terminal_) {
    const std::string line = fmt::format("[{}] {}: {}", what, stage, best);
    if (line == told_) return;
    told_ = line;
    print_err("{} ({} tried, {:.0f} s)\n", line, p.tried, spent);
    return;
  }
  const double left = search::seconds_left(p, spent, budget_s);
  std::string text = fmt::format("{} {} tried{}, {}{}", what, p.tried, p.goal > 0 ? fmt::format(" of {}", p.goal) : "",
                                 left < 0 ? "" : fmt::format("{:.0f} s left, ", left), best);
  if (stage != "search") text = fmt::format("{} {}: {}", what, stage, best);
  write_order(fmt::format("\r{}\x1b[K", cut_to(visible_line(text), terminal_width(STDERR_FILENO, kColumnsUnsaid) - 1)));
  drawn_ = true;
}

void TuneStatus::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  write_order("\r\x1b[K");
  drawn_ = false;
}

}  // namespace attnscope::cli
