#include "engine/tune/carry_over.hpp"

#include <cmath>

#include <fmt/format.h>

namespace attnscope::tune {

std::string too_little_to_carry(const TunedMatch& match) {
  if (match.how == TunedMatch::How::exact) return {};
  const TunedEntry& e = match.entry;
  if (e.default_ns <= 0 || e.median_ns <= 0) return "it was never measured beside what would have run untuned there";
  const double gain = std::log2(e.default_ns / e.median_ns), least = kLeastGain + kGainADistance * match.away;
  if (gain >= least) return {};
  const auto percent = [](double doublings) { return 100 * (std::exp2(doublings) - 1); };
  return fmt::format("it was {:.0f} % faster than the untuned choice there, and so far away {:.0f} % is the least",
                     std::max(0.0, percent(gain)), percent(least));
}

std::string differs_untuned(const Untuned& there, const Untuned& here) {
  if (there == here) return {};
  if (there.variant != here.variant)
    return fmt::format("untuned, {} runs there and {} here", there.variant, here.variant);
  return fmt::format("untuned, {} runs there with another config than here", here.variant);
}

}  // namespace attnscope::tune
