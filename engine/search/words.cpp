#include "engine/search/words.hpp"

namespace attnscope::search {

std::string counts_text(const tune::TuneProgress& p) {
  std::string text = fmt::format("{} tried: {} measured", p.tried, p.measured);
  if (p.unsettled > 0) text += fmt::format(" ({} with the device's clock below its top)", p.unsettled);
  const auto add = [&](uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(p.dropped, "stopped early (clearly slower)");
  add(p.wrong, "wrong");
  add(p.broken, "broken");
  add(p.refused, "refused");
  if (p.reopened > 0) text += fmt::format("; {} tried again, since they were stopped by mistake", p.reopened);
  if (p.recalled > 0) text += fmt::format("; {} of them by an earlier run", p.recalled);
  return text;
}

std::vector<std::string> in_vain(const tune::TuneProgress& p) {
  std::vector<const tune::TuneProgress::Reason*> reasons;
  for (const auto& [text, reason] : p.reasons) reasons.push_back(&reason);
  std::ranges::stable_sort(reasons, [](const auto* a, const auto* b) { return a->count > b->count; });
  std::vector<std::string> lines;
  for (const auto* r : reasons)
    lines.push_back(fmt::format("{} not measured{}: {}", r->count, r->count > 1 ? ", the first of them" : "",
                                r->example.substr(0, r->example.find('\n'))));
  return lines;
}

std::vector<Share> shares(const tune::TuneProgress& p) {
  const TrialsReport& s = p.spent;
  const double all = s.wall_ms + p.planning_ms;
  // While the first batch runs, only the planning is known.
  if (s.wall_ms <= 0) return {};
  const double other = s.wall_ms - s.measuring_ms - s.verifying_ms - s.waiting_ms - s.reference_ms;
  return {{"measuring", s.measuring_ms / all},
          {"verifying", s.verifying_ms / all},
          {"waiting for compiles", s.waiting_ms / all},
          {"the reference", s.reference_ms / all},
          {"choosing and planning", p.planning_ms / all},
          {"other", std::max(other, 0.0) / all}};
}

std::string shares_text(const tune::TuneProgress& p, double seconds) {
  std::string text = fmt::format("{:.1f} s", seconds);
  const char* before = "; of the search ";
  for (const Share& part : shares(p)) {
    text += fmt::format("{}{:.0f} % {}", before, 100 * part.share, part.name);
    before = ", ";
  }
  return text;
}

double seconds_left(const tune::TuneProgress& p, double spent, double budget_s) {
  double left = budget_s > 0 ? std::max(budget_s - spent, 0.0) : -1;
  const uint64_t here = p.tried - p.recalled, done = p.tried - p.refused;
  if (p.goal > 0 && here > 0 && done <= p.goal) {
    const double by_trials = spent / static_cast<double>(here) * static_cast<double>(p.goal - done);
    left = left < 0 ? by_trials : std::min(left, by_trials);
  }
  return left;
}

}  // namespace attnscope::search
