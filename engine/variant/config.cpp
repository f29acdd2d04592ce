// Configs: text forms, defaults, the whole space.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/variant/variant.hpp"

namespace attnscope {
namespace {

std::string parameter_list(const Variant& variant) {
  std::string out;
  for (const auto& p : variant.parameters)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", p.name, fmt::join(p.values, " "));
  return out.empty() ? "none" : out;
}

std::string config_names(const Variant& variant) {
  std::string out = "default";
  for (const auto& config : variant.manifest.configs) out += ", " + config.name;
  return out;
}

}  // namespace

std::string to_text(const Config& config) {
  std::string out;
  for (const auto& [name, value] : config) out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  return out;
}

Config default_config(const Variant& variant) {
  Config config;
  for (const auto& p : variant.parameters) config[p.name] = p.default_value;
  return config;
}

Config full_config(const Variant& variant, const NamedConfig& named) {
  Config config = default_config(variant);
  for (const auto& [name, value] : named.values) config[name] = value;
  return config;
}

Result<Config> parse_config(const Variant& variant, std::string_view text) {
  Config config = default_config(variant);
  if (text.empty() || text == "default") return config;
  for (const auto& named : variant.manifest.configs)
    if (named.name == text) return full_config(variant, named);
  if (text.find('=') == std::string_view::npos)
    return bad_input(fmt::format("config '{}': {} has no such named config; it has {}, or give values as in '{}'", text,
                                 variant.name, config_names(variant), to_text(config)));
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const auto parameter = std::find_if(variant.parameters.begin(), variant.parameters.end(),
                                        [&](const Parameter& p) { return p.name == name; });
    if (parameter == variant.parameters.end())
      return bad_input(fmt::format("config '{}': {} has no parameter '{}'; it has {}", item, variant.name, name,
                                   parameter_list(variant)));
    const std::string_view digits = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc() || end != digits.data() + digits.size())
      return bad_input(fmt::format("config '{}': '{}' is not an integer; {} may be one of {}", item, digits, name,
                                   fmt::join(parameter->values, ", ")));
    if (std::find(parameter->values.begin(), parameter->values.end(), value) == parameter->values.end())
      return bad_input(fmt::format("config '{}': {} may be one of {}", item, name, fmt::join(parameter->values, ", ")));
    config[parameter->name] = value;
  }
  return config;
}

std::vector<Config> all_configs(const Variant& variant) {
  std::vector<Config> configs{{}};
  for (const auto& p : variant.parameters) {
    std::vector<Config> longer;
    longer.reserve(configs.size() * p.values.size());
    for (const auto& config : configs)
      for (const int64_t value : p.values) {
        longer.push_back(config);
        longer.back()[p.name] = value;
      }
    configs = std::move(longer);
  }
  return configs;
}

}  // namespace attnscope
