#include "app/cli/why.hpp"
#include "app/cli/print.hpp"

#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "engine/record/explain.hpp"
#include "engine/record/units.hpp"

namespace attnscope::cli {
namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Breaks `text` between words; lines after the first begin with `indent` blanks.
std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string out, line;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (at == 0 ? "" : " ") + word;
    }
    at = end + 1;
  }
  return out + line + "\n";
}

std::string launch_text(const LaunchFit& fit) {
  std::string text = fmt::format("  launch   {} workgroup{}", fit.workgroups, fit.workgroups == 1 ? "" : "s");
  if (fit.cores == 0) return text + "; this driver does not say how many cores there are";
  text += fmt::format(" on {} cores, balance {}", fit.cores, percent(fit.balance));
  if (fit.resident == 0) return text + "; it does not say what a core holds";
  return text + fmt::format("; at most {} a core at once (by its {}; occupancy {}): {:.2f} waves, the last {} full",
                            fit.resident, fit.occupancy_limit, percent(fit.occupancy), fit.waves,
                            percent(fit.last_wave));
}

std::string tiles_text(const LaunchFit& fit) {
  std::string text = "  tiles    ";
  text += fit.padding ? percent(*fit.padding) + " padding" : "not declared by the manifest";
  if (fit.masked) text += fmt::format(", {} of the scores in visited tiles masked", percent(*fit.masked));
  return text + fmt::format("; traffic {:.1f} x minimum", 1 + fit.reread);
}

}  // namespace

Result<Peaks> known_peaks(Opened& opened, const PeaksRequest& request, ProgressKind kind) {
  PeaksRequest known = request;
  known.measure = false;
  const auto ask = [&](const PeaksRequest& r, const EventSink& sink) {
    Result<PeaksAnswer> answer = opened.session->peaks(r, sink, interrupted());
    if (answer && !answer->note.empty()) print_err("note: {}\n", answer->note);
    return answer;
  };
  if (!request.again) {
    Result<PeaksAnswer> answer = ask(known, [](const Event&) {});
    if (!answer) return answer.error();
    if (answer->peaks) return *answer->peaks;
    if (kind != ProgressKind::none)
      print_err("note: the peaks of {} under this driver are not known; they are measured now\n", opened.device.name);
  }
  ProgressLine progress(1, kind);
  progress.begin("peaks of " + opened.device.name);
  Result<PeaksAnswer> answer = ask(request, [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) progress.stage(p->stage);
  });
  progress.finished();
  progress.clear();
  if (!answer) return answer.error();
  if (!answer->peaks) return internal_error("the session measured no peaks");
  return *answer->peaks;
}

void explain_rows(Opened& opened, std::span<Row> rows, double Statistics::*rank) {
  std::map<std::string, Row*> best;
  for (Row& row : rows) {
    if (!row.record.statistics) continue;
    Row*& so_far = best[to_text(row.record.problem)];
    if (so_far == nullptr || (*row.record.statistics).*rank < (*so_far->record.statistics).*rank) so_far = &row;
  }
  for (Row& row : rows) {
    if (!row.record.statistics || interrupted()) continue;
    if (best.size() > 1 && best[to_text(row.record.problem)] != &row) continue;
    const Record& r = row.record;
    Result<NeighbourPlans> around = opened.session->plan_neighbours(r.problem, r.variant, r.config);
    if (around)
      explain(row.record, *around);
    else
      print_err("note: nothing is said of {} on {}: {}\n", r.variant, to_text(r.problem), around.error().message);
  }
}

std::string why_text(const Row& row, size_t width) {
  const Record& r = row.record;
  std::string text = wrapped(fmt::format("Why {} {} on {} takes {}:", r.variant, to_text(r.config), to_text(r.problem),
                                         time_text(r.statistics ? r.statistics->median : 0)),
                             width, 4);
  if (r.floor)
    text += wrapped(fmt::format("  bound    lower bound {} ({}); {} of peak (arithmetic {}, memory {}, launch {})",
                                time_text(1e3 * r.floor->us), roof_text(r.floor->roof), percent(r.floor->fraction),
                                time_text(1e3 * r.floor->compute_us), time_text(1e3 * r.floor->memory_us),
                                time_text(1e3 * r.floor->launch_us)),
                    width, 11);
  text += wrapped(launch_text(*r.fit), width, 11) + wrapped(tiles_text(*r.fit), width, 11);
  if (r.advice.empty()) return text + "  No rule has anything to say.\n";
  for (size_t i = 0; i < r.advice.size(); ++i) {
    const Advice& a = r.advice[i];
    text += wrapped(fmt::format("  {}. {} (up to {}): {}", i + 1, a.rule, percent(a.gain), a.text), width, 5);
  }
  return text;
}

}  // namespace attnscope::cli
