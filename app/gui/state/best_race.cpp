#include "app/gui/state/best_race.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/series.hpp"
#include "engine/measure/paired.hpp"
#include "engine/record/comparisons.hpp"
#include "engine/search/pair.hpp"

namespace attnscope::gui {
namespace {

/// Executions a side that its turns want, each with one that warms the caches up; and no person waits for longer than
/// the second.
constexpr double kExecutions = 80, kLongestMs = 12'000;

}  // namespace

std::optional<BestRace::Verdict> BestRace::verdict() const {
  if (!word) return std::nullopt;
  switch (word->relation) {
    case Relation::faster: return Verdict::take;
    case Relation::same: return Verdict::equal;
    default: return Verdict::stay;
  }
}

Comparison word_of_race(const Record& shown, std::span<const uint32_t> shown_turns, const Record& best,
                        std::span<const uint32_t> best_turns) {
  for (const Record* r : {&shown, &best})
    if (r->outcome != Outcome::measured || r->samples_ns.empty())
      return {Relation::unsure, 1, 1, 1,
              fmt::format("{} {} is {}{}", r->variant, attnscope::to_text(r->config), attnscope::to_text(r->outcome),
                          r->verdict && !r->verdict->pass ? ": " + r->verdict->reason
                          : r->message.empty()            ? ""
                                                          : ": " + r->message)};
  Comparison word = compare_turns({shown.samples_ns, shown_turns}, {best.samples_ns, best_turns});
  if (word.relation != Relation::unsure || !word.reason.starts_with("too few turns")) return word;
  const Taken taken{true, shown.environment.device.type == DeviceType::software};
  return compare_samples(shown.samples_ns, best.samples_ns, taken, kInterleavedTolerance);
}

double longest_race_ms(double slower_ns) {
  return std::clamp(kExecutions * slower_ns / 1e6, search::pair_protocol().max_ms, kLongestMs);
}

std::string word_text(const BestRace& race) {
  const std::string who = fmt::format("{} against {}, which is shown", race.best_name, race.shown_name);
  if (!race.word) return fmt::format("{}: {}", who, race.error);
  const Comparison& c = *race.word;
  std::string text = fmt::format("{}: {}", who, attnscope::to_text(c.relation));
  if (race.shown_ns > 0 && race.best_ns > 0) text += fmt::format(", {} ({})", ratio_text(c), interval_text(c));
  // Where turns scatter the medians of all may say otherwise than the ratio of neighbours.
  if (race.shown_ns > 0 && race.best_ns > 0 && c.relation != Relation::unsure)
    text += fmt::format(", {} \u2192 {}", time_text(race.shown_ns), time_text(race.best_ns));
  if (!c.reason.empty()) text += ": " + c.reason;
  return text;
}

}  // namespace attnscope::gui
