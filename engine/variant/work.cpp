#include "engine/variant/work.hpp"

#include "engine/variant/binding.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

/// Keys that any of the queries from `first` to `last` sees.
double visible_keys(const Problem& p, double first, double last) {
  const double behind = double(p.seq_kv) - double(p.seq_q);
  const double end = p.sees_no_future() ? std::clamp(last + 1 + behind, 0.0, double(p.seq_kv)) : double(p.seq_kv);
  if (p.window == 0) return end;
  const double begin = std::max(0.0, first + behind - p.window + 1);
  const double window_end = p.causal ? end : std::min(end, last + behind + p.window);
  return std::max(0.0, window_end - begin);
}

/// Key tiles of a workgroup: mean and most, where `tiles` query tiles part the queries of a head, or of those that
/// share tiles, and each but the first `whole` to begin (a causal mask's last ones) has its keys in `splits` parts.
std::pair<double, double> steps_of(const Problem& p, double tiles, double whole, double splits, double key) {
  constexpr double kMost = 4096;  // tiles looked at, evenly spaced; more change nothing
  const double queries = double(p.total_q()) / p.batch, looked = std::min(tiles, kMost);
  double sum = 0, most = 0;
  for (double i = 0; i < looked; ++i) {
    const double begins = std::floor(i * tiles / looked), at = p.causal ? tiles - 1 - begins : begins;
    const double last = std::min(queries - 1, std::ceil((at + 1) * queries / tiles) - 1);
    const double parts = begins < whole ? 1 : splits;
    const double steps = std::ceil(visible_keys(p, std::floor(at * queries / tiles), last) / parts / key);
    sum += steps * parts;
    most = std::max(most, steps);
  }
  const double workgroups = std::min(whole, tiles) + std::max(0.0, tiles - whole) * splits;
  return {sum / looked * tiles / workgroups, most};
}

}  // namespace

std::optional<ConfigWork> Planner::work(const Config& config) const {
  const TilesDecl& tiles = variant_.manifest.tiles;
  rules_->set(config);
  if (tiles.key.empty() || rules_->unmet()) return std::nullopt;
  const Result<Names> names = names_of(config);
  if (!names) return std::nullopt;
  ConfigWork out;
  out.config = config;
  for (const PassDecl& pass : variant_.manifest.passes) {
    if (!pass.when.empty()) {
      const Result<double> when = evaluate(pass.when, *names);
      if (!when || *when == 0) continue;
    }
    if (out.passes++ > 0) continue;
    Names own = *names;
    if (!add_pass_names(pass, own, pass.name)) return std::nullopt;
    out.workgroups = 1;
    for (const std::string& axis : pass.grid) {
      const Result<uint64_t> count = whole_number(axis, own, "grid");
      if (!count || *count == 0) return std::nullopt;
      out.workgroups *= *count;
    }
  }
  const auto number = [&](const std::string& expression, double otherwise) {
    return expression.empty() ? Result<double>(otherwise) : evaluate(expression, *names);
  };
  const Result<double> key = number(tiles.key, 0), splits = number(tiles.splits, 1), whole = number(tiles.whole, 0),
                       shared = number(tiles.heads, 1);
  if (out.passes == 0 || !key || !splits || !whole || !shared || *key <= 0 || *splits <= 0 || *shared <= 0)
    return std::nullopt;
  const double heads = double(problem_.batch) * problem_.heads_q / *shared;
  const double per_head = double(out.workgroups) / heads, unsplit = std::clamp(*whole, 0.0, per_head);
  const double query_tiles = std::max(1.0, std::round(unsplit + (per_head - unsplit) / *splits));
  std::tie(out.steps, out.most_steps) = steps_of(problem_, query_tiles, unsplit, *splits, *key);
  if (*splits > 1) out.parts = *splits * (1 - std::min(1.0, unsplit / query_tiles));
  return out;
}

std::vector<ConfigWork> work_of_named_configs(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                              Compiler& compiler) {
  const Planner planner(variant, problem, device, compiler);
  std::vector<ConfigWork> out;
  if (planner.refuse_problem()) return out;
  const auto add = [&](const std::string& name, const Config& config) {
    if (std::ranges::any_of(out, [&](const ConfigWork& w) { return w.config == config; })) return;
    std::optional<ConfigWork> work = planner.work(config);
    if (!work) return;
    work->name = name;
    out.push_back(std::move(*work));
  };
  add("default", default_config(variant));
  for (const NamedConfig& named : variant.manifest.configs) add(named.name, full_config(variant, named));
  return out;
}

}  // namespace attnscope
