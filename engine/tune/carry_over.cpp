#include "engine/tune/carry_over.hpp"

#include <cmath>

#include <fmt/format.h>

namespace attnscope::tune {

std::string too_little_to_carry(const TunedMatch& match) {
  if (match.how == TunedMatch::How::exact) return {};
  const TunedEntry& e = match.entry;
  if (!e.raced || e.default_ns <= 0 || e.median_ns <= 0)
    return "it was never measured beside what would have run untuned there";
  const double gain = std::log2(e.default_ns / e.median_ns), least = kLeastGain + kGainADistance * match.away;
  if (gain >= least) return {};
  const auto percent = [](double doublings) { return 100 * (std::exp2(doublings) - 1); };
  return fmt::format("it was {:.0f} % faster than the untuned choice there, and so far away {:.0f} % is the least",
                     std::max(0.0, percent(gain)), percent(least));
}

std::string not_over_untuned(const TunedMatch& match, const Untuned& there) {
  const TunedEntry& e = match.entry;
  if (e.default_variant.empty())
    return match.shipped ? "" : "its table is older and does not say beside what it was measured; tune it anew";
  if (Untuned{e.default_variant, e.default_config} == there) return {};
  if (e.default_variant != there.variant)
    return fmt::format("it was measured beside {}, and untuned {} runs there", e.default_variant, there.variant);
  return fmt::format("it was measured beside another config of {} than runs untuned there", there.variant);
}

std::string no_better_than_untuned(const TunedMatch& match, std::span<const TunedMatch> all, const Untuned& here) {
  const TunedEntry& e = match.entry;
  const auto untuned_ns = [&](const TunedMatch& m) {
    return m.entry.default_ns > 0 && not_over_untuned(m, here).empty() ? m.entry.default_ns : 0;
  };
  if (const double ns = untuned_ns(match); ns > 0) {
    if (e.median_ns <= ns) return {};
    return fmt::format("it took {:.0f} % longer than {}, which runs untuned", 100 * (e.median_ns / ns - 1),
                       here.variant);
  }
  if (here.variant.empty() || e.variant == here.variant) return {};
  for (const TunedMatch& m : all) {
    if (m.how != TunedMatch::How::exact || m.shipped != match.shipped) continue;
    const double ns = m.entry.variant == here.variant ? m.entry.median_ns : untuned_ns(m);
    if (ns > 0 && e.median_ns <= ns) return {};
  }
  return fmt::format("it is not known to be faster than {}, which runs untuned", here.variant);
}

std::string differs_untuned(const Untuned& there, const Untuned& here) {
  if (there == here) return {};
  if (there.variant != here.variant)
    return fmt::format("untuned, {} runs there and {} here", there.variant, here.variant);
  return fmt::format("untuned, {} runs there with another config than here", here.variant);
}

}  // namespace attnscope::tune
