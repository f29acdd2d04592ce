#include <charconv>

#include "engine/variant/config_space.hpp"

namespace attnscope {
namespace {

std::string parameter_list(const ConfigSpace& space) {
  std::string out;
  for (const auto& p : space.parameters)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", p.name, fmt::join(p.values, " "));
  return out.empty() ? "none" : out;
}

std::string config_names(const ConfigSpace& space) {
  std::string out = "default";
  for (const auto& config : space.configs) out += ", " + config.name;
  return out;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

Result<void> assign(const ConfigSpace& space, std::string_view item, Config& config) {
  const size_t equals = item.find('=');
  const std::string_view name = trim(item.substr(0, equals));
  const auto parameter = std::ranges::find(space.parameters, name, &Parameter::name);
  if (parameter == space.parameters.end())
    return bad_input(
        fmt::format("config '{}': {} has no parameter '{}'; it has {}", item, space.name, name, parameter_list(space)));
  const std::string_view digits = equals == std::string_view::npos ? std::string_view() : trim(item.substr(equals + 1));
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size())
    return bad_input(fmt::format("config '{}': '{}' is not an integer; {} may be one of {}", item, digits, name,
                                 fmt::join(parameter->values, ", ")));
  if (std::ranges::find(parameter->values, value) == parameter->values.end())
    return bad_input(
        fmt::format("config '{}': {} may be one of {}, not {}", item, name, fmt::join(parameter->values, ", "), value));
  config[parameter->name] = value;
  return {};
}

}  // namespace

std::string to_text(const Config& config) {
  std::string out;
  for (const auto& [name, value] : config) out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  return out;
}

bool asks_for_default(std::string_view text) {
  text = trim(text);
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
  text = trim(text);
  if (asks_for_default(text)) return config;
  for (const auto& named : space.configs)
    if (named.name == text) return full_config(space, named);
  if (text == "tuned")
    return bad_input(
        "'tuned' is for bench and verify alone, which look it up; give default, all, a named config or values.");
  if (text.find('=') == std::string_view::npos)
    return bad_input(fmt::format("config '{}': {} has no such named config; it has {}, or give values as in '{}'", text,
                                 space.name, config_names(space), to_text(config)));
  std::set<std::string_view> given;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = trim(text.substr(0, comma));
    TRY(assign(space, item, config));
    if (const std::string_view name = trim(item.substr(0, item.find('='))); !given.insert(name).second)
      return bad_input(fmt::format("config '{}': {} is given twice", item, name));
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
  return static_cast<size_t>(index / strides_[p] % parameters_[p].values.size());
}

Config ConfigProduct::at(uint64_t index) const {
  Config config;
  for (size_t p = 0; p < parameters_.size(); ++p) config[parameters_[p].name] = parameters_[p].values[digit(index, p)];
  return config;
}

}  // namespace attnscope
