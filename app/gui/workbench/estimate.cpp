#include "app/gui/workbench/estimate.hpp"

namespace attnscope::gui {
namespace {

/// Where no search has told yet: executions of a trial (the verdict's, warming up, samples, one more), and seconds for
/// comparing and the rest.
constexpr double kExecutions = 9, kAround = 0.05;

/// The search that is shown, when it is of just what is asked.
const SearchState* search_of_asked(const Workbench& bench) {
  return bench.search.known() && bench.search_of_other().empty() ? &bench.search : nullptr;
}

double seconds_each(const Workbench& bench) {
  if (const SearchState* s = search_of_asked(bench); s && s->trial_seconds() > 0) return s->trial_seconds();
  const Live* live = bench.timed();
  // Where nobody knows how long compiling takes, it may be nearly all of a trial.
  if (!live || !live->resources || !live->resources->compile_ms) return 0;
  return kExecutions * live->series.statistics()->median / 1e9 + *live->resources->compile_ms / 1e3 + kAround;
}

void add(Estimate& e, const Workbench& bench, const std::string& variant) {
  uint64_t size = 1, tried = 0;
  const SearchState* s = search_of_asked(bench);
  if (const size_t at = s ? s->arm_of(variant) : 0; s && at < s->arms().size()) {
    const SearchState::Arm& arm = s->arms()[at];
    if (arm.space->complete()) {
      e.configs += arm.space->open_legal();
      return;
    }
    // What the engine found when it looked at just what is asked.
    using Looked = search::SearchEstimate::Arm;
    if (const Looked* looked =
            s->outcome() ? find_by(s->outcome()->estimate.arms, &Looked::variant, variant) : nullptr) {
      e.configs += looked->configs;
      e.about |= looked->about;
      return;
    }
    size = arm.space->size();
    tried = arm.trials.size();
  } else if (const VariantInfo* v = bench.device_state.variant(variant)) {
    for (const Parameter& p : v->parameters) size *= std::max<size_t>(1, p.values.size());
  } else {
    return;
  }
  e.configs += size - std::min(size, tried);
  e.at_most = true;
}

bool competes(const Workbench& bench, const VariantInfo& v) {
  return bench.device_state.why_not(v, to_text(bench.request.selection.problem)).text.empty();
}

void limit(Estimate& e, const Workbench& bench, const tune::Budget& budget) {
  if (budget.trials > 0) {
    const SearchState* s = search_of_asked(bench);
    const uint64_t done = s ? s->progress().tried - s->progress().refused : 0;
    const uint64_t left = budget.trials - std::min(budget.trials, done);
    e.at_most &= e.configs <= left;
    e.configs = std::min(e.configs, left);
  }
  const double each = seconds_each(bench);
  if (each > 0) e.seconds = each * double(e.configs);
  if (budget.seconds > 0 && e.configs > 0 && (each <= 0 || e.seconds > budget.seconds)) e.within = budget.seconds;
}

}  // namespace

Estimate estimate_of(const Workbench& bench, const std::string& variant, const tune::Budget& budget) {
  Estimate e;
  add(e, bench, variant);
  limit(e, bench, budget);
  return e;
}

Estimate estimate_of_sweep(const Workbench& bench, const tune::Budget& budget) {
  Estimate e;
  for (const VariantInfo& v : bench.device_state.variants)
    if (competes(bench, v)) add(e, bench, v.name);
  limit(e, bench, budget);
  return e;
}

std::optional<Estimate> estimate_of_tuning(const Workbench& bench) {
  const TuningForm& form = bench.views.tuning;
  tune::Budget budget;
  if (!form.budget.empty()) {
    const Result<tune::Budget> read = tune::parse_budget(form.budget);
    if (!read) return std::nullopt;
    budget = *read;
  }
  return form.all_variants ? estimate_of_sweep(bench, budget)
                           : estimate_of(bench, bench.request.selection.variant, budget);
}

std::string wait_text(const Workbench& bench, const Problem& problem) {
  // The verdict's execution, one to warm up, and the first sample.
  constexpr double kFirst = 3, kWorthTelling = 5;
  double ns_per_flop = 0;
  if (const Live* live = bench.timed(); live && bench.work().flops > 0)
    ns_per_flop = live->series.statistics()->median / bench.work().flops;
  else if (const Record* r = bench.before(); r && r->statistics && r->flops > 0)
    ns_per_flop = r->statistics->median / r->flops;
  const double seconds = kFirst * ns_per_flop * problem_flops(problem) / 1e9;
  return seconds < kWorthTelling ? "" : "about " + span_text(seconds);
}

std::string text_of(const Estimate& e) {
  if (e.configs == 0) return "all were tried";
  const std::string count = (e.about ? "about " : e.at_most ? "at most " : "") + counted(e.configs, "config");
  if (e.within > 0) return fmt::format("{}, up to {}", count, span_text(e.within));
  if (e.seconds < 0) return count + "; how long, the first trials tell";
  return fmt::format("{}, {} {}", count, e.at_most ? "up to" : "about", span_text(e.seconds));
}

std::string span_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace attnscope::gui
