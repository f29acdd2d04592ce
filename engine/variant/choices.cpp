// Which values are legal around a config, the nearest legal config, and the named one that suits a problem.

#include "engine/variant/plan.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

// The config space as indices into each parameter's values.
using Steps = std::vector<size_t>;

/// Walks the configs around one, nearest first, and keeps the planner's rules at the one it stands on.
class NearestSearch {
 public:
  NearestSearch(const Planner& planner, const Steps& from, Countdown& left)
      : variant_(planner.variant()), planner_(planner), from_(from), at_(from), left_(left) {
    for (size_t p = 0; p < from.size(); ++p)
      reach_.push_back(std::max(from[p], variant_.parameters[p].values.size() - 1 - from[p]));
  }

  /// True when it stopped: at a legal config, or because the budget is spent.
  bool run() {
    const size_t most = std::accumulate(reach_.begin(), reach_.end(), size_t{0});
    for (size_t count = 1; count <= from_.size(); ++count)
      for (size_t steps = count; steps <= most; ++steps)
        if (vary(0, count, steps)) return true;
    return false;
  }
  const std::optional<Config>& found() const { return found_; }

 private:
  void move(size_t p, size_t index) {
    at_[p] = index;
    planner_.rules().set(p, variant_.parameters[p].values[index]);
  }

  /// Changes exactly `count` of the parameters from `first` on, by `steps` index steps in all.
  bool vary(size_t first, size_t count, size_t steps) {
    size_t reach = 0;
    for (size_t p = first; p < from_.size(); ++p) reach += reach_[p];
    for (size_t p = first; p + count <= from_.size() && steps <= reach; reach -= reach_[p], ++p) {
      const size_t least = count == 1 ? steps : 1, most = std::min(reach_[p], steps - (count - 1));
      for (size_t i = 0; i < variant_.parameters[p].values.size(); ++i) {
        const size_t step = i > from_[p] ? i - from_[p] : from_[p] - i;
        if (step < least || step > most) continue;
        move(p, i);
        if (count == 1 ? visit() : vary(p + 1, count - 1, steps - step)) return true;
      }
      move(p, from_[p]);
    }
    return false;
  }

  bool visit() {
    if (!left_.next()) return true;
    if (planner_.rules().unmet()) return false;
    Config candidate;
    for (size_t p = 0; p < at_.size(); ++p)
      candidate[variant_.parameters[p].name] = variant_.parameters[p].values[at_[p]];
    Plan plan;
    const bool refused = planner_.plan(candidate, plan).has_value();
    left_.look_at_clock(planner_.compiling_ms());
    if (!refused) found_ = std::move(candidate);
    return !refused;
  }

  const Variant& variant_;
  const Planner& planner_;
  const Steps& from_;
  Steps at_;
  std::vector<size_t> reach_;  ///< most steps that a parameter can change by
  Countdown& left_;
  std::optional<Config> found_;
};

PlanShape shape_of(const Planner& planner, const Plan& plan) {
  const TilesDecl& of = planner.variant().manifest.tiles;
  // load_variant() has checked the names; a number that is none is no tile.
  const auto number = [&](const std::string& expression) {
    if (expression.empty()) return 0.0;
    const Result<double> value = planner.value(expression, plan.config);
    return value && *value > 0 ? *value : 0.0;
  };
  const PlanPass& largest = plan.largest_pass();
  return {.passes = uint32_t(plan.passes.size()),
          .workgroups = largest.workgroups(),
          .invocations = largest.facts.invocations(),
          .shared_bytes = plan.shared_bytes,
          .private_bytes = plan.private_bytes,
          .extra_bytes = plan.extra_bytes,
          .tiles = {number(of.query), number(of.key), number(of.value), number(of.lane_stride), number(of.lane_bytes)}};
}

}  // namespace

std::vector<ParameterChoices> parameter_choices(const Planner& planner, const Config& config,
                                                const SearchBudget& budget) {
  const auto hopeless = planner.refuse_problem();
  Countdown left(budget, nullptr);
  const auto why_not = [&](const Parameter& p, int64_t value) -> std::string {
    if (hopeless) return hopeless->error.message;
    if (!left.next()) return "not looked at: there was no time left for it";
    Config other = config;
    other[p.name] = value;
    Plan plan;
    const auto refused = planner.plan(other, plan);
    left.look_at_clock(planner.compiling_ms());
    return refused ? refused->error.message : "";
  };
  return mapped(planner.variant().parameters, [&](const Parameter& p) {
    return ParameterChoices{p.name, mapped(p.values, [&](int64_t value) { return why_not(p, value); })};
  });
}

std::string suited_config(const Planner& planner) {
  if (planner.refuse_problem()) return {};
  for (const NamedConfig& named : planner.variant().manifest.configs) {
    const Config config = full_config(planner.variant(), named);
    const Result<double> suits = named.suits.empty() ? Result<double>(0.0) : planner.value(named.suits, config);
    if (!suits || *suits == 0) continue;
    Plan plan;
    if (!planner.plan(config, plan)) return named.name;
  }
  return {};
}

Nearest nearest_legal(const Planner& planner, const Config& config, const SearchBudget& budget, const Cancel* cancel) {
  const Variant& variant = planner.variant();
  Nearest out;
  if (auto refused = planner.refuse_problem()) {
    out.why = std::move(refused->error);
    return out;
  }
  // A value that is no candidate starts from the candidate closest to it.
  Steps from;
  Config start = default_config(variant);
  for (const auto& p : variant.parameters) {
    const int64_t value = at_or(config, p.name, p.default_value);
    const auto closest = std::ranges::min_element(
        p.values, [&](int64_t a, int64_t b) { return std::llabs(a - value) < std::llabs(b - value); });
    from.push_back(size_t(closest - p.values.begin()));
    start[p.name] = *closest;
  }
  Countdown left(budget, cancel);
  (void)left.next();
  Plan plan;
  const auto refused = planner.plan(start, plan);
  if (!refused) return {Nearest::End::found, std::move(start), {}, left.spent()};
  left.look_at_clock(planner.compiling_ms());
  out.why = refused->error;
  NearestSearch search(planner, from, left);
  const bool stopped = search.run();
  out.tried = left.spent();
  if (search.found()) {
    out.end = Nearest::End::found;
    out.config = *search.found();
    return out;
  }
  const std::string first = fmt::format("from {}: {}", to_text(start), refused->error.message);
  if (!stopped && variant.parameters.empty()) return out;  // what it is refused for says it all
  if (!stopped) {
    out.why.message =
        fmt::format("no config of {} is legal here, all {} were tried; {}", variant.name, grouped(out.tried), first);
    return out;
  }
  out.end = left.cancelled() ? Nearest::End::cancelled : Nearest::End::out_of_budget;
  out.why.message =
      fmt::format("none of the {} configs of {} nearest to it is legal here, and farther ones were not tried; {}",
                  grouped(out.tried), variant.name, first);
  return out;
}

Result<ConfigChoice> choose_config(const Planner& planner, std::string_view text) {
  const Variant& variant = planner.variant();
  const Config config = TRY(parse_config(variant, text));
  ConfigChoice choice{config, config_name(variant, config), ConfigChoice::How::as_asked, {}};
  if (!asks_for_default(text)) return choice;
  if (const std::string suited = suited_config(planner); !suited.empty()) {
    const NamedConfig* it = find_by(variant.manifest.configs, suited, &NamedConfig::name);
    return ConfigChoice{full_config(variant, *it), suited, ConfigChoice::How::suited,
                        fmt::format("{} is for {}: {}", suited, it->purpose, it->suits)};
  }
  Nearest nearest = nearest_legal(planner, config);
  choice.because = nearest.why.message;
  if (nearest.end != Nearest::End::found || nearest.config == config) return choice;
  choice.how = ConfigChoice::How::nearest;
  choice.name = config_name(variant, nearest.config);
  choice.config = std::move(nearest.config);
  return choice;
}

Result<NeighbourPlans> plan_neighbours(const Planner& planner, const Config& config, const SearchBudget& budget) {
  const Variant& variant = planner.variant();
  Plan plan;
  if (auto refused = planner.plan_with_advice(config, plan)) return std::move(refused->error);
  NeighbourPlans out{.shape = shape_of(planner, plan), .features = variant.manifest.features};
  Countdown left(budget, nullptr);
  for (const Parameter& p : variant.parameters) {
    const int64_t now = plan.config.at(p.name);
    const auto try_values = [&](auto first, auto last) {
      for (; first != last && left.next(); ++first) {
        Config other = plan.config;
        other[p.name] = *first;
        Plan neighbour;
        const bool refused = planner.plan(other, neighbour).has_value();
        left.look_at_clock(planner.compiling_ms());
        if (refused) continue;
        out.neighbours.push_back({p.name, *first, shape_of(planner, neighbour)});
        return;
      }
    };
    const auto at = std::ranges::find(p.values, now);
    if (at == p.values.end()) continue;
    try_values(std::make_reverse_iterator(at), p.values.rend());
    try_values(at + 1, p.values.end());
  }
  return out;
}

}  // namespace attnscope
