#include "app/gui/state/estimate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/tune/budget.hpp"

namespace attnscope::gui {
namespace {

/// Where no search has told yet: executions of a trial (the verdict's, warming up, samples, one more), and seconds for
/// comparing and the rest.
constexpr double kExecutions = 9, kAround = 0.05;
/// Points that were decided on, from which on their share of legal ones says something.
constexpr size_t kEnoughDecided = 100;

uint64_t rounded(double n) {
  // Two digits say as much as is known.
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, n))) - 1));
  return std::max<uint64_t>(1, uint64_t(std::round(n / unit) * unit));
}

/// 0 = nobody knows.
double seconds_each(const Workbench& bench) {
  const Searched& s = bench.searched;
  if (s.known() && bench.search_of_other().empty() && s.trial_seconds() > 0) return s.trial_seconds();
  const Live* live = bench.timed();
  // Where nobody knows how long compiling takes, it may be nearly all of a trial.
  if (!live || !live->resources || !live->resources->compile_ms) return 0;
  return kExecutions * live->series.statistics()->median / 1e9 + *live->resources->compile_ms / 1e3 + kAround;
}

/// Of the search that is shown, when it is of just what is asked.
const Searched::Arm* arm_of(const Workbench& bench, const std::string& variant) {
  const Searched& s = bench.searched;
  if (!s.known() || !bench.search_of_other().empty()) return nullptr;
  const size_t arm = s.arm_of(variant);
  return arm < s.arms().size() ? &s.arms()[arm] : nullptr;
}

void add(Estimate& e, const Workbench& bench, const std::string& variant) {
  if (const Searched::Arm* arm = arm_of(bench, variant)) {
    const uint64_t size = arm->space->size(), decided = arm->legal.size() + arm->refused.size();
    if (arm->complete) {
      e.configs += arm->open;
    } else if (decided >= kEnoughDecided) {
      const double legal = double(size) * double(arm->legal.size()) / double(decided);
      e.configs += rounded(std::max(double(arm->open), legal - double(arm->trials.size())));
      e.about = true;
    } else {
      e.configs += size - std::min<uint64_t>(size, arm->trials.size());
      e.at_most = true;
    }
    return;
  }
  const VariantInfo* v = bench.known.variant(variant);
  if (!v) return;
  uint64_t size = 1;
  for (const Parameter& p : v->parameters) size *= std::max<size_t>(1, p.values.size());
  e.configs += size;
  e.at_most = true;
}

void time(Estimate& e, const Workbench& bench) {
  const double each = seconds_each(bench);
  if (each > 0) e.seconds = each * double(e.configs);
}

}  // namespace

Estimate estimate_of(const Workbench& bench, const std::string& variant) {
  Estimate e{.variant = variant};
  add(e, bench, variant);
  time(e, bench);
  return e;
}

Estimate estimate_of_sweep(const Workbench& bench) {
  const Searched& s = bench.searched;
  std::string variant = bench.asked.ask.variant;
  if (s.known() && bench.search_of_other().empty() && s.best() >= 0)
    variant = s.arms()[s.trials()[size_t(s.best())].arm].arm.variant;
  Estimate e{.variant = variant};
  add(e, bench, variant);
  // The others' defaults, as far as they were not tried.
  for (const VariantInfo& v : bench.known.variants) {
    if (v.name == variant || !v.error.empty() || !v.why_not.empty()) continue;
    const Searched::Arm* arm = arm_of(bench, v.name);
    e.configs += !arm || arm->trials.empty();
  }
  if (e.about) e.configs = rounded(double(e.configs));
  time(e, bench);
  return e;
}

std::optional<Estimate> estimate_of_tuning(const Workbench& bench) {
  const TuningForm& form = bench.tuning;
  tune::Budget budget;
  if (!form.budget.empty()) {
    const Result<tune::Budget> read = tune::parse_budget(form.budget);
    if (!read) return std::nullopt;
    budget = *read;
  }
  Estimate e;
  if (!form.all_variants) e.variant = bench.asked.ask.variant;
  for (const VariantInfo& v : bench.known.variants)
    if (form.all_variants ? v.error.empty() && v.why_not.empty() : v.name == e.variant) add(e, bench, v.name);
  const Searched& s = bench.searched;
  const bool of_this = s.known() && bench.search_of_other().empty();
  if (budget.trials > 0) {
    // Those that an earlier search made count.
    const uint64_t done = of_this ? s.progress().tried - s.progress().refused : 0;
    const uint64_t left = budget.trials - std::min(budget.trials, done);
    e.at_most &= e.configs <= left;
    e.configs = std::min(e.configs, left);
  }
  time(e, bench);
  if (budget.seconds > 0 && e.configs > 0 && e.seconds > budget.seconds) {
    e.configs = rounded(double(e.configs) * budget.seconds / e.seconds);
    e.by_time = true;
    e.seconds = budget.seconds;
  } else if (budget.seconds > 0 && e.configs > 0 && e.seconds < 0) {
    e.seconds = budget.seconds;
    e.configs = 0;
    e.by_time = true;
  }
  return e;
}

std::string text_of(const Estimate& e) {
  if (e.configs == 0) return e.by_time ? span_text(e.seconds) + ", as far as it gets" : "all were tried";
  const char* how = e.about || e.by_time ? "about " : e.at_most ? "at most " : "";
  const std::string count = fmt::format("{}{} config{}", how, count_text(e.configs), e.configs == 1 ? "" : "s");
  if (e.by_time) return fmt::format("{} in {}", count, span_text(e.seconds));
  if (e.seconds < 0) return count + "; how long, the first trials tell";
  return fmt::format("{}, {} {}", count, e.at_most ? "up to" : "about", span_text(e.seconds));
}

std::string span_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace attnscope::gui
