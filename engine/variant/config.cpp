#include "engine/variant/binding.hpp"
#include "engine/variant/planner.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {
namespace {

std::string parameter_list(const ConfigSpace& space) {
  if (space.parameters.empty()) return "none";
  return joined(space.parameters, ", ", [](const auto& p) { return p.name + " (" + joined(p.values, " ") + ")"; });
}

std::string config_names(const ConfigSpace& space) {
  std::string out = "default";
  for (const auto& config : space.configs) out += ", " + config.name;
  return out;
}

Result<void> assign(const ConfigSpace& space, std::string_view item, Config& config) {
  const size_t equals = item.find('=');
  const std::string_view name = trimmed(item.substr(0, equals));
  const auto parameter = std::ranges::find(space.parameters, name, &Parameter::name);
  if (parameter == space.parameters.end())
    return bad_input("config '{}': {} has no parameter '{}'; it has {}", item, space.name, name, parameter_list(space));
  const std::string_view digits =
      equals == std::string_view::npos ? std::string_view() : trimmed(item.substr(equals + 1));
  const auto value = parse_number<int64_t>(digits, {INT64_MIN, INT64_MAX});
  if (!value)
    return bad_input("config '{}': '{}' is not an integer; {} may be one of {}", item, digits, name,
                     fmt::join(parameter->values, ", "));
  if (!contains(parameter->values, *value))
    return bad_input("config '{}': {} may be one of {}, not {}", item, name, fmt::join(parameter->values, ", "),
                     *value);
  config[parameter->name] = *value;
  return {};
}

/// Tiles of `key` keys of which any of the queries from `first` to `last` sees one.
double visible_tiles(const Problem& p, double first, double last, double key) {
  const double behind = double(p.seq_kv) - double(p.seq_q);
  double end = p.sees_no_future() ? std::clamp(last + 1 + behind, 0.0, double(p.seq_kv)) : double(p.seq_kv);
  if (p.window == 0) return std::ceil(end / key);
  const double begin = std::max(0.0, first + behind - p.window + 1);
  if (!p.causal) end = std::min(end, last + behind + p.window);
  return end <= begin ? 0 : std::ceil(end / key) - std::floor(begin / key);
}

/// Key tiles of a workgroup, mean and most, of `tiles` query tiles of each head. Of all heads' tiles, the first of
/// every head and then the second, as many as `whole` a head stay whole; the others are in `splits` parts. `all`: also
/// key tiles of which no query sees a key.
std::pair<double, double> steps_of(const Problem& p, double tiles, double whole, double splits, double key, bool all) {
  constexpr double kMost = 4096;  // tiles looked at, evenly spaced; more change nothing
  const double queries = double(p.total_q()) / p.batch, looked = std::min(tiles, kMost);
  double sum = 0, most = 0;
  for (double i = 0; i < looked; ++i) {
    const double begins = std::floor(i * tiles / looked), at = p.causal ? tiles - 1 - begins : begins;
    const double last = std::min(queries - 1, std::ceil((at + 1) * queries / tiles) - 1);
    const double visible =
        all ? std::ceil(p.seq_kv / key) : visible_tiles(p, std::floor(at * queries / tiles), last, key);
    const double unsplit = std::clamp(whole - begins, 0.0, 1.0), steps = std::ceil(visible / splits);
    sum += unsplit * visible + (1 - unsplit) * steps * splits;
    most = std::max(most, unsplit > 0 ? visible : steps);
  }
  const double workgroups = std::min(whole, tiles) + std::max(0.0, tiles - whole) * splits;
  return {sum / looked * tiles / workgroups, most};
}

}  // namespace

std::string to_text(const Config& config) {
  return joined(config, ",", [](const auto& of) { return fmt::format("{}={}", of.first, of.second); });
}

bool asks_for_default(std::string_view text) {
  text = trimmed(text);
  return text.empty() || text == "default";
}

Config default_config(const ConfigSpace& space) {
  Config config;
  for (const auto& p : space.parameters) config[p.name] = p.default_value;
  return config;
}

Config full_config(const ConfigSpace& space, const NamedConfig& named) {
  Config config = default_config(space);
  for (const auto& [name, value] : named.values) config[name] = value;
  return config;
}

Result<Config> parse_config(const ConfigSpace& space, std::string_view text) {
  Config config = default_config(space);
  text = trimmed(text);
  if (asks_for_default(text)) return config;
  for (const auto& named : space.configs)
    if (named.name == text) return full_config(space, named);
  if (text == "tuned")
    return bad_input(
        "'tuned' is for bench and verify alone, which look it up; give default, all, a named config or values.");
  if (text.find('=') == std::string_view::npos)
    return bad_input("config '{}': {} has no such named config; it has {}, or give values as in '{}'", text, space.name,
                     config_names(space), to_text(config));
  std::set<std::string_view> given;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    TRY(assign(space, item, config));
    if (const std::string_view name = trimmed(item.substr(0, item.find('='))); !given.insert(name).second)
      return bad_input("config '{}': {} is given twice", item, name);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return config;
}

std::string config_name(const ConfigSpace& space, const Config& config) {
  if (config == default_config(space)) return "default";
  for (const NamedConfig& named : space.configs)
    if (full_config(space, named) == config) return named.name;
  return {};
}

ConfigProduct::ConfigProduct(std::span<const Parameter> parameters)
    : parameters_(parameters), strides_(parameters.size(), 1) {
  constexpr uint64_t kMost = uint64_t{1} << 63;
  for (size_t p = parameters.size(); p-- > 0;) {
    strides_[p] = size_;
    const uint64_t values = parameters[p].values.size();
    size_ = values != 0 && size_ > kMost / values ? kMost : size_ * values;
  }
}

size_t ConfigProduct::digit(uint64_t index, size_t p) const {
  return size_t(index / strides_[p] % parameters_[p].values.size());
}

Config ConfigProduct::at(uint64_t index) const {
  Config config;
  for (size_t p = 0; p < parameters_.size(); ++p) config[parameters_[p].name] = parameters_[p].values[digit(index, p)];
  return config;
}

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
                       shared = number(tiles.heads, 1), all = number(tiles.all_keys, 0);
  if (out.passes == 0 || !key || !splits || !whole || !shared || !all || *key <= 0 || *splits <= 0 || *shared <= 0)
    return std::nullopt;
  const double heads = double(problem_.batch) * problem_.heads_q / *shared;
  const double per_head = double(out.workgroups) / heads, unsplit = std::clamp(*whole / heads, 0.0, per_head);
  const double query_tiles = std::max(1.0, std::round(unsplit + (per_head - unsplit) / *splits));
  std::tie(out.steps, out.most_steps) = steps_of(problem_, query_tiles, unsplit, *splits, *key, *all != 0);
  if (*splits > 1) out.parts = *splits * (1 - std::min(1.0, unsplit / query_tiles));
  return out;
}

std::vector<ConfigWork> work_of_named_configs(const Planner& planner) {
  const Variant& variant = planner.variant();
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
