#include "engine/tune/fastest.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope::tune {
namespace {

/// Of one class problems differ in size, so that their times do not compare, but times for the work do.
double time_for_work(const TunedEntry& e) { return e.median_ns / std::max(1.0, problem_flops(e.problem)); }

bool better(const TunedMatch& a, const TunedMatch& b) {
  if (a.shipped != b.shipped) return b.shipped;
  if (a.how != b.how) return a.how < b.how;
  if (a.how == TunedMatch::How::neighbour && a.away != b.away) return a.away < b.away;
  return time_for_work(a.entry) < time_for_work(b.entry);
}

}  // namespace

std::vector<TunedMatch> find_fastest(const TunedTables& tables, const FastestQuery& q) {
  std::vector<TunedMatch> out;
  for (const auto& [variant, hash] : q.variants) {
    const TunedQuery one{q.device, q.problem, variant, hash, q.cache, q.launch};
    for (TunedMatch& match : find_tuned(tables.user.entries, tables.shipped.entries, one))
      out.push_back(std::move(match));
  }
  std::stable_sort(out.begin(), out.end(), better);
  return out;
}

std::string beside_others(std::span<const TunedMatch> matches, const TunedMatch& taken) {
  const TunedMatch* next = nullptr;
  for (const TunedMatch& m : matches) {
    if (m.entry.variant == taken.entry.variant || m.shipped != taken.shipped || m.entry.problem != taken.entry.problem)
      continue;
    if (!next || m.entry.median_ns < next->entry.median_ns) next = &m;
  }
  if (!next) return "no other variant was tuned for it";
  const double ratio = next->entry.median_ns / taken.entry.median_ns;
  if (ratio < 1) return fmt::format("{} is faster there but cannot run here", next->entry.variant);
  if (ratio < 1.005) return fmt::format("as fast as {} there", next->entry.variant);
  return fmt::format("{:.0f} % faster than {} there", 100 * (ratio - 1), next->entry.variant);
}

}  // namespace attnscope::tune
