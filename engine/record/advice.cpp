#include "engine/record/advice.hpp"

#include "engine/measure/units.hpp"
#include "engine/record/record.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {
namespace {

// When a rule speaks. Shares of the time unless they say otherwise.
constexpr double kWorthIt = 0.05;      ///< gains below are not advice
constexpr double kUneven = 0.02;       ///< of the cores' time, at the end
constexpr double kNearLimit = 0.8;     ///< of a roof: little is left
constexpr double kFarFromLimit = 0.5;  ///< a floor of less of the time asks for a reason
constexpr double kExplains = 0.25;     ///< of the time: a rule that could win this much is one
constexpr double kMuchPadding = 0.1;   ///< of the tiles' area
constexpr double kMuchReread = 1;      ///< extra traffic / bytes needed
constexpr double kFasterMatrix = 2;    ///< matrix units over what the kernel's arithmetic can reach
constexpr double kSpillTurns = 0.5;    ///< a spilled register costs about half of what one in use does

/// What the rules look at.
struct Situation {
  const Record& record;
  const NeighbourPlans& around;
  const Problem& problem = record.problem;
  const LaunchFit& fit = *record.fit;
  const std::optional<Floor>& floor = record.floor;
  const std::optional<Peaks>& peaks = record.environment.peaks;
  double median_us = record.statistics->median * 1e-3;
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string time(double us) { return time_text(1e3 * us, 3); }

/// The neighbour that `score` likes most, if it likes any (a score above 0).
template <class Score>
const Neighbour* best(const Situation& s, const Score& score) {
  const Neighbour* found = nullptr;
  double most = 0;
  for (const Neighbour& n : s.around.neighbours)
    if (const double x = score(n.shape); x > most) {
      most = x;
      found = &n;
    }
  return found;
}
/// "BLOCK_M=32 (now 64) {would}", or `otherwise`.
std::string move(const Situation& s, const Neighbour* n, const std::string& would, const std::string& otherwise) {
  if (n == nullptr) return otherwise;
  const auto now = s.record.config.find(n->parameter);
  return fmt::format("{}={}{} {}", n->parameter, n->value,
                     now == s.record.config.end() ? "" : fmt::format(" (now {})", now->second), would);
}
Advice advice(std::string text, double gain, const Neighbour* n = nullptr) {
  Advice a{.text = std::move(text), .gain = std::clamp(gain, 0.0, 1.0)};
  if (n != nullptr) {
    a.parameter = n->parameter;
    a.value = n->value;
  }
  return a;
}

bool without_matrices(const Situation& s) {
  return std::ranges::none_of(s.around.features, [](const std::string& f) { return f.starts_with("coopmat"); });
}

std::optional<Advice> spills(const Situation& s) {
  const Resources& r = s.record.resources;
  // Some drivers count spills and tell no bytes.
  const bool bytes = r.spill_bytes.has_value();
  const double spilled = double(bytes ? *r.spill_bytes : r.spills.value_or(0)),
               kept = (bytes ? 4.0 : 1.0) * double(r.registers.value_or(255));
  if (spilled == 0) return std::nullopt;
  const PlanShape& now = s.around.shape;
  const Neighbour* n = best(s, [&](const PlanShape& x) { return double(now.private_bytes) - double(x.private_bytes); });
  return advice(fmt::format("{} each invocation's values do not fit into its {} registers and go through memory{}. {}",
                            bytes ? bytes_text(spilled) + " of" : fmt::format("{} times", spilled),
                            r.registers.value_or(0), r.may_spill.empty() ? "" : ": " + r.may_spill,
                            move(s, n,
                                 fmt::format("keeps {} of arrays an invocation instead of {}",
                                             bytes_text(n ? double(n->shape.private_bytes) : 0),
                                             bytes_text(double(now.private_bytes))),
                                 "Smaller tiles, or more invocations for them, need fewer.")),
                kSpillTurns * spilled / (spilled + kept) + kWorthIt, n);
}

std::optional<Advice> few_workgroups(const Situation& s) {
  if (s.fit.cores == 0 || s.fit.workgroups >= s.fit.cores) return std::nullopt;
  const double idle = 1 - double(s.fit.workgroups) / s.fit.cores;
  const Neighbour* n = best(s, [&](const PlanShape& x) { return double(x.workgroups) - double(s.fit.workgroups); });
  return advice(fmt::format("{} workgroups for {} cores: {} of the device idles. {}", grouped(s.fit.workgroups),
                            s.fit.cores, percent(idle),
                            move(s, n, fmt::format("makes {}.", grouped(n ? n->shape.workgroups : 0)),
                                 "No parameter makes more; a variant that splits the keys may.")),
                idle, n);
}

std::optional<Advice> tail(const Situation& s) {
  if (s.fit.cores == 0 || s.fit.workgroups < s.fit.cores || 1 - s.fit.balance < kUneven) return std::nullopt;
  const double a_core = double(s.fit.workgroups) / s.fit.cores;
  const auto balance = [&](const PlanShape& x) {
    const double y = double(x.workgroups) / s.fit.cores;
    return y / std::ceil(y);
  };
  const Neighbour* n = best(s, [&](const PlanShape& x) { return balance(x) - s.fit.balance - 0.01; });
  const std::string last =
      s.fit.waves > 0 ? fmt::format("; {:.2f} waves, the last {} full", s.fit.waves, percent(s.fit.last_wave)) : "";
  return advice(fmt::format("{} workgroups on {} cores are {:.2f} a core: some have {:.0f}, and the others wait{}. {}",
                            grouped(s.fit.workgroups), s.fit.cores, a_core, std::ceil(a_core), last,
                            move(s, n,
                                 fmt::format("makes {}, {} of the cores busy to the end.",
                                             grouped(n ? n->shape.workgroups : 0), n ? percent(balance(n->shape)) : ""),
                                 "No single parameter evens it out.")),
                1 - s.fit.balance, n);
}

std::optional<Advice> padding(const Situation& s) {
  if (s.fit.padding.value_or(0) < kMuchPadding) return std::nullopt;
  const Tiles& now = s.around.shape.tiles;
  const auto share = [&](const Tiles& t) {
    return 1 - (1 - padding_of(s.problem.seq_q, t.query)) * (1 - padding_of(s.problem.seq_kv, t.key));
  };
  const Neighbour* n = best(s, [&](const PlanShape& x) { return share(now) - share(x.tiles); });
  return advice(
      fmt::format("{} of the tiles' area lies past the last of {} queries and {} keys (tiles of {:g} x {:g}). {}",
                  percent(*s.fit.padding), grouped(s.problem.seq_q), grouped(s.problem.seq_kv), now.query, now.key,
                  move(s, n, fmt::format("leaves {}.", n ? percent(share(n->shape.tiles)) : ""),
                       "No single parameter lessens it.")),
      *s.fit.padding, n);
}

std::optional<Advice> near_limit(const Situation& s) {
  if (!s.floor || s.floor->fraction < kNearLimit || s.floor->roof == "launch") return std::nullopt;
  return advice(fmt::format("Little left: the lower bound is {} of {} ({}; {}).", time(s.floor->us), time(s.median_us),
                            roof_text(s.floor->roof), percent(s.floor->fraction)),
                1 - s.floor->fraction);
}

std::optional<Advice> rereads(const Situation& s) {
  if (s.fit.reread < kMuchReread || !s.peaks) return std::nullopt;
  // Again means from a cache, most of the time.
  const auto copy = ceiling(*s.peaks, CeilingKind::copy), cache = ceiling(*s.peaks, CeilingKind::cache);
  if (!copy) return std::nullopt;
  const double rate = std::max(*copy, cache.value_or(0));
  const auto gain_of = [&](double bytes) { return bytes / rate * 1e-3 / s.median_us; };
  const double extra = s.record.extra_bytes;
  const Neighbour* n = best(s, [&](const PlanShape& x) { return extra - x.extra_bytes; });
  const double gain = gain_of(n ? extra - n->shape.extra_bytes : extra);
  if (gain_of(extra) < kWorthIt) return std::nullopt;
  return advice(
      fmt::format("Traffic {:.1f} × minimum ({} beyond the {} that the problem needs): {} of the time at the caches' "
                  "rate, where arithmetic does not hide it. {}",
                  1 + s.fit.reread, bytes_text(extra), bytes_text(s.record.bytes), percent(gain_of(extra)),
                  move(s, n, fmt::format("leaves {}.", n ? bytes_text(n->shape.extra_bytes) : ""),
                       "No single parameter lessens it.")),
      gain, n);
}

std::optional<Advice> bank_conflicts(const Situation& s) {
  const auto turns = [](const Tiles& t) { return bank_turns(uint64_t(t.lane_stride), uint64_t(t.lane_bytes)); };
  const Tiles& now = s.around.shape.tiles;
  const uint32_t worst = turns(now);
  if (worst < 2) return std::nullopt;
  const Neighbour* n = best(s, [&](const PlanShape& x) { return double(worst) - turns(x.tiles); });
  return advice(fmt::format("Neighbouring invocations read shared memory {:g} B apart, so {} of them meet in one bank "
                            "and each read takes {} turns. {}",
                            now.lane_stride, worst, worst,
                            move(s, n, fmt::format("takes {}.", n ? turns(n->shape.tiles) : 0),
                                 "A row that is one access longer would spread them.")),
                0.5 * (1 - 1.0 / worst), n);
}

std::optional<Advice> idle_matrices(const Situation& s) {
  if (!s.peaks || !s.floor || !without_matrices(s)) return std::nullopt;
  const auto fma = ceiling(*s.peaks, CeilingKind::fma, "f32");
  const bool whole = s.problem.dtype == DType::f32;
  const auto rate = ceiling(*s.peaks, CeilingKind::matrix, whole ? "f16" : to_text(s.problem.dtype), "f32");
  if (!fma || !rate) return std::nullopt;
  const double matrix = whole ? *rate / 3 : *rate;
  const double fma_us = problem_flops(s.problem) / *fma * 1e-6;
  // Arithmetic has to be what the time goes into, and not what hides behind the loads that any kernel needs.
  if (matrix < kFasterMatrix * *fma || fma_us < 0.2 * s.median_us || fma_us <= s.floor->memory_us) return std::nullopt;
  return advice(
      fmt::format("The device's matrix units are idle: this kernel's arithmetic ends at {:.0f} TFLOP/s, and matrices "
                  "of {} reach {:.0f}. A variant that needs coopmat uses them.",
                  *fma, whole ? "f16, three products for one," : std::string(to_text(s.problem.dtype)), matrix),
      fma_us * (1 - *fma / matrix) / s.median_us);
}

std::optional<Advice> launch_bound(const Situation& s) {
  if (!s.peaks) return std::nullopt;
  const double launch = ceiling(*s.peaks, CeilingKind::launch).value_or(0),
               barrier = ceiling(*s.peaks, CeilingKind::barrier).value_or(0);
  const uint32_t passes = std::max(s.around.shape.passes, 1u);
  // Within a plan every pass waits for the one before; executions wait where they are isolated.
  const double barriers = passes - (s.record.protocol.launch == LaunchMode::isolated ? 0 : 1);
  const double cost = passes * launch + barriers * barrier, share = cost / s.median_us;
  if (share < 0.25) return std::nullopt;
  return advice(
      fmt::format("{} of {} go into {} launch{} and {:.0f} barrier{}, before any work. More of it a dispatch, fewer "
                  "passes, or launches back to back hide them.",
                  time(cost), time(s.median_us), passes, passes == 1 ? "" : "es", barriers, barriers == 1 ? "" : "s"),
      share);
}

struct Rule {
  std::string_view name;
  std::optional<Advice> (*look)(const Situation&);
};
constexpr auto kRules = std::to_array<Rule>({
    {"spills", spills},
    {"few workgroups", few_workgroups},
    {"tail", tail},
    {"padding", padding},
    {"near the limit", near_limit},
    {"re-reads", rereads},
    {"bank conflicts", bank_conflicts},
    {"idle matrix units", idle_matrices},
    {"launch-bound", launch_bound},
});

constexpr std::string_view kUnexplained = "unexplained";

/// Names what the rules cannot explain, rather than nothing.
std::optional<Advice> unexplained(const Situation& s, const std::vector<Advice>& all) {
  if (!s.floor || s.floor->fraction > kFarFromLimit) return std::nullopt;
  double most = 0;
  for (const Advice& a : all) most = std::max(most, a.gain);
  if (most > kExplains) return std::nullopt;
  return advice(
      fmt::format("The lower bound is {} of {} ({}; {}), and no rule here names what takes the rest: loads that are "
                  "waited for one after another, barriers between subgroups, or instructions beside the products. "
                  "Search for other tiles, and try a variant that divides the work in another way.",
                  time(s.floor->us), time(s.median_us), roof_text(s.floor->roof), percent(s.floor->fraction)),
      1 - s.floor->fraction - most);
}

}  // namespace

std::vector<Advice> advise(const Record& record, const NeighbourPlans& around) {
  const Situation s{record, around};
  std::vector<Advice> all;
  if (!(s.median_us > 0)) return all;
  for (const Rule& rule : kRules)
    if (auto found = rule.look(s)) {
      found->rule = rule.name;
      all.push_back(std::move(*found));
    }
  if (auto rest = unexplained(s, all)) {
    rest->rule = kUnexplained;
    all.push_back(std::move(*rest));
  }
  std::ranges::stable_sort(all, [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
  return all;
}

std::vector<std::string_view> advice_rules() {
  std::vector<std::string_view> names = mapped(kRules, &Rule::name);
  names.push_back(kUnexplained);
  return names;
}

}  // namespace attnscope
