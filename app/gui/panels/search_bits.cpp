#include "app/gui/panels/search_bits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/state/estimate.hpp"
#include "app/gui/widgets.hpp"
#include "engine/search/words.hpp"

namespace attnscope::gui {
namespace {

/// Trials from which on it is said how long the rest takes.
constexpr uint64_t kEnough = 5;

std::string left_text(double seconds) { return seconds < 0 ? "" : fmt::format(", {} left", span_text(seconds)); }

/// "123 of 400, 40 s left"
std::string how_far(const Workbench& bench) {
  const Searched& s = bench.searched;
  const tune::TuneProgress& p = s.progress();
  if (s.stage() == "race") return "racing the fastest ones";
  if (!s.known()) return "beginning";
  const uint64_t done = p.tried - p.refused;
  // The first few say little of the rest.
  const bool enough = p.tried - p.recalled >= kEnough || s.asked().budget.seconds > 0;
  const double left = enough ? search::seconds_left(p, s.seconds(bench.now()), s.asked().budget.seconds) : -1;
  if (p.goal > 0) return fmt::format("{} of {}{}", count_text(done), count_text(p.goal), left_text(left));
  // Of a space that is too large to be decided on at once: by its share that can run.
  const bool all = s.asked().budget == tune::Budget{} && (s.asked().narrow || s.asked().variants.size() == 1);
  if (all && enough && p.tried > p.recalled) {
    const Estimate rest =
        s.asked().variants.size() == 1 ? estimate_of(bench, s.asked().variants.front()) : estimate_of_sweep(bench);
    if (!rest.at_most && rest.configs > 0 && rest.seconds > 0)
      return fmt::format("{} tried, {}{} more{}", count_text(p.tried), rest.about ? "about " : "",
                         count_text(rest.configs), left_text(rest.seconds));
  }
  // Counted as in the line of counts below it.
  return fmt::format("{} tried{}", count_text(p.tried), left_text(left));
}

}  // namespace

std::string search_line(const Workbench& bench) {
  const Searched& s = bench.searched;
  const std::string best =
      s.best() < 0 ? "" : fmt::format(", best {}", time_text(s.trials()[size_t(s.best())].median_ns));
  return fmt::format("searching {}: {}{}", to_text(s.asked().problem), how_far(bench), best);
}

std::string begun_with(const Search& s) {
  const std::string order =
      s.strategy == tune::StrategyKind::random ? "random order" : std::string(name_of(s.strategy));
  const std::string budget = s.budget.seconds > 0  ? fmt::format("for {:g} s", s.budget.seconds)
                             : s.budget.trials > 0 ? fmt::format("{} configs", count_text(s.budget.trials))
                                                   : "until all are tried";
  const std::string who = s.narrow             ? "each variant's default, then the fastest variant"
                          : s.variants.empty() ? "all variants"
                                               : fmt::format("{}", fmt::join(s.variants, ", "));
  return fmt::format("{}: {}, {}", who, order, budget);
}

void search_progress(Ui& ui) {
  const Workbench& bench = ui.bench;
  const Searched& s = bench.searched;
  const tune::TuneProgress& p = s.progress();
  if (s.measuring()) {
    const double seconds = s.seconds(bench.now());
    double share = p.goal > 0 ? double(p.tried - p.refused) / double(p.goal) : 0;
    if (s.asked().budget.seconds > 0) share = std::max(share, seconds / s.asked().budget.seconds);
    meter(float(std::min(share, 1.0)), colours::accent);
    wrapped_in(colours::soft, how_far(bench));
    ui.mark("search.progress");
  } else if (!s.error().empty()) {
    wrapped_in(colours::warning, "Ended: " + s.error());
  }
  if (!s.known() || p.tried == 0) return;
  // The very words of the line in Messages.
  wrapped_in(colours::faint, search::counts_text(p));
  std::string tip;
  for (const std::string& line : search::in_vain(p)) tip += (tip.empty() ? "" : "\n") + line;
  if (!tip.empty()) tip_for_last(tip);
}

void best_buttons(Ui& ui, const char* show_id, const char* remember_id, bool first) {
  Workbench& bench = ui.bench;
  const Searched& s = bench.searched;
  if (s.best() < 0) return;
  const bool measuring = s.measuring(), free = bench.job_text().empty(), can = bench.can_accept() && !s.kept();
  const SlimTrial& best = s.trials()[size_t(s.best())];
  const std::string which = fmt::format("{}{}, {}", bench.race_winner() ? "The first of the race; by its trial " : "",
                                        trial_name(bench, best), time_text(best.median_ns));
  if (button(
          ui, show_id, "Show best",
          fmt::format("{}: make it the current config, unless what is shown proves as fast when both are measured in "
                      "turn. The default stays as it is. A search that still goes on is ended; what it tried is "
                      "kept.",
                      which)
              .c_str(),
          free, measuring)) {
    if (measuring) ui.requests.cancel_search = true;
    if (auto job = bench.take_best()) ui.requests.job = std::move(job);
  }
  ImGui::SameLine(0, px(5));
  if (button(ui, remember_id, s.kept() ? "Remembered" : "Remember",
             fmt::format("{}: show it, and remember it in the tuning cache: the default for this problem here from now "
                         "on, and what --config tuned takes.{}",
                         which,
                         s.kept()    ? " That is done."
                         : measuring ? " Once the search has ended."
                                     : "")
                 .c_str(),
             can && free, first && can))
    if (auto job = bench.accept()) ui.requests.job = std::move(job);
}

void search_of_other(Ui& ui) {
  const std::string other = ui.bench.search_of_other();
  if (other.empty()) return;
  text_cut("Of " + other, ImGui::GetContentRegionAvail().x, colours::warning, fonts.small);
  ui.mark("search.other");
}

std::string trial_name(const Workbench& bench, const SlimTrial& t) {
  const Searched::Arm& arm = bench.searched.arms()[t.arm];
  return bench.short_name(arm.arm.variant, bench.searched.config(t));
}

std::vector<std::string> trial_lines(const Workbench& bench, const SlimTrial& t) {
  const Problem& problem = bench.searched.asked().problem;
  const Work work{problem_flops(problem), problem_bytes(problem)};
  const std::string config = attnscope::to_text(bench.searched.config(t));
  if (t.outcome == Outcome::measured) {
    std::string how = fmt::format("median of {} samples", t.samples);
    if (t.dropped) how += ", dropped early: surely slower than the best";
    if (!t.settled) how += ", with the device's clock below its top";
    if (t.recalled) how += ", from before";
    return {fmt::format("{}   {}", time_text(t.median_ns),
                        metric_text(Metric::tflops, in_metric(Metric::tflops, t.median_ns, work))),
            config, how};
  }
  const char* word = t.outcome == Outcome::refused          ? "cannot run"
                     : t.outcome == Outcome::failed_verdict ? "wrong result"
                                                            : "lost";
  return {word, config, t.message};
}

}  // namespace attnscope::gui
