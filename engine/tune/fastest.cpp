#include "engine/tune/fastest.hpp"

namespace attnscope::tune {
namespace {

/// Problems of one class differ in size, so times are compared per work.
double time_for_work(const TunedEntry& e) { return e.median_ns / std::max(1.0, problem_flops(e.problem)); }

bool better(const TunedMatch& a, const TunedMatch& b) {
  if (a.shipped != b.shipped) return b.shipped;
  if (a.how != b.how) return a.how < b.how;
  if (a.how == TunedMatch::How::neighbour && a.away != b.away) return a.away < b.away;
  return time_for_work(a.entry) < time_for_work(b.entry);
}

}  // namespace

std::vector<TunedMatch> find_fastest(const TunedTables& tables, const TunedQuery& q) {
  std::vector<TunedMatch> out = find_tuned(tables.user.entries, tables.shipped.entries, q);
  std::ranges::stable_sort(out, better);
  return out;
}

std::string why_unused(const TunedTables& tables, const TunedQuery& q) {
  const TunedEntry* newest = nullptr;
  for (const TunedEntry& e : tables.user.entries)
    if (e.device_uuid == q.device.device_uuid && e.device == q.device.name && e.problem == q.problem &&
        e.cache == q.cache && e.launch == q.launch && (newest == nullptr || e.time_utc > newest->time_utc))
      newest = &e;
  if (newest == nullptr) return {};
  const auto here = q.variants.find(newest->variant);
  if (here == q.variants.end())
    return fmt::format("its tuned config is of {}, which is not here or cannot run", newest->variant);
  if (newest->shader_hash != here->second)
    return fmt::format("its tuned config is of another version of {}'s shader", newest->variant);
  if (newest->driver != q.device.driver) return fmt::format("its tuned config was tuned with {}", newest->driver);
  return {};
}

std::string too_little_to_carry(const TunedMatch& match) {
  if (match.how == TunedMatch::How::exact) return {};
  const TunedEntry& e = match.entry;
  if (!e.raced || e.default_ns <= 0 || e.median_ns <= 0) return "it was never measured beside the untuned choice";
  const double gain = std::log2(e.default_ns / e.median_ns), least = kLeastGain + kGainADistance * match.away;
  if (gain >= least) return {};
  const auto percent = [](double doublings) { return 100 * (std::exp2(doublings) - 1); };
  return fmt::format("it was {:.0f} % faster than the untuned choice there, and so far away {:.0f} % is the least",
                     std::max(0.0, percent(gain)), percent(least));
}

std::string not_over_untuned(const TunedMatch& match, const RaceEntry& there) {
  const TunedEntry& e = match.entry;
  if (e.default_variant.empty())
    return match.shipped ? "" : "its table is older and lacks the config it was measured beside; tune it again";
  if (RaceEntry{e.default_variant, e.default_config} == there) return {};
  if (e.default_variant != there.variant)
    return fmt::format("it was measured beside {}, and untuned {} runs there", e.default_variant, there.variant);
  return fmt::format("it was measured beside another config of {} than runs untuned there", there.variant);
}

std::string no_better_than_untuned(const TunedMatch& match, std::span<const TunedMatch> all, const RaceEntry& here) {
  const TunedEntry& e = match.entry;
  const auto untuned_ns = [&](const TunedMatch& m) {
    return m.entry.default_ns > 0 && not_over_untuned(m, here).empty() ? m.entry.default_ns : 0;
  };
  if (const double ns = untuned_ns(match); ns > 0) {
    if (e.median_ns <= ns && e.too_close && e.variant != here.variant)
      return fmt::format("it was too close to call against {}, which runs untuned", here.variant);
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

std::string differs_untuned(const RaceEntry& there, const RaceEntry& here) {
  if (there == here) return {};
  if (there.variant != here.variant)
    return fmt::format("untuned, {} runs there and {} here", there.variant, here.variant);
  return fmt::format("untuned, {} runs there with another config than here", here.variant);
}

}  // namespace attnscope::tune
