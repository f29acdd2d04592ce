#include "app/cli/progress.hpp"

#include <unistd.h>

#include "app/cli/print.hpp"
#include "engine/measure/units.hpp"
#include "engine/visible.hpp"

namespace attnscope::cli {
namespace {

constexpr size_t kColumns = 80;  ///< of a terminal that does not say

std::string duration(double s) {
  const long whole = std::lround(s);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressLine::ProgressLine(size_t total, ProgressKind kind)
    : total_(total), kind_(kind), terminal_(draws_progress()), start_(Clock::now()) {}

void ProgressLine::begin(const std::string& what) {
  what_ = what;
  stage_.clear();
  if (terminal_)
    draw(true);
  else if (kind_ == ProgressKind::bar_or_lines)
    print_err("[{}/{}] {}\n", done_ + 1, total_, what);
}

void ProgressLine::stage(const std::string& stage) {
  stage_ = stage;
  draw(false);
}

void ProgressLine::finished() {
  ++done_;
  draw(false);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  write_order("\r\x1b[K");
  drawn_ = false;
}

std::string ProgressLine::left() const {
  if (done_ == 0) return "";
  const double spent = seconds_since(start_);
  return duration(spent / static_cast<double>(done_) * static_cast<double>(total_ - std::min(done_, total_))) + " left";
}

void ProgressLine::draw(bool force) {
  if (kind_ == ProgressKind::none || !terminal_) return;
  if (!force && Clock::now() - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = Clock::now();
  constexpr size_t kBar = 20;
  const size_t full = total_ == 0 ? 0 : std::min(kBar, kBar * done_ / total_);
  std::string bar;
  for (size_t i = 0; i < kBar; ++i) bar += i < full ? "█" : "░";
  std::string text = fmt::format(" {}/{} {} {}{}", done_, total_, left(), what_, stage_.empty() ? "" : " · " + stage_);
  const size_t space = terminal_width(STDERR_FILENO, kColumns) - kBar - 1;
  text = cut_to(visible_line(text), space);
  write_order(fmt::format("\r{}{}\x1b[K", bar, text));
  drawn_ = true;
}

}  // namespace attnscope::cli
