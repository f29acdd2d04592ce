#include "app/gui/ask.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace attnscope::gui {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::string parameter_names(const VariantInfo& variant) {
  std::string names;
  for (const Parameter& p : variant.parameters) names += (names.empty() ? "" : ", ") + p.name;
  return names.empty() ? "none" : names;
}

Result<void> assign(const VariantInfo& variant, Config& config, std::string_view item) {
  const size_t equals = item.find('=');
  const std::string name(trim(item.substr(0, equals)));
  const auto p = std::find_if(variant.parameters.begin(), variant.parameters.end(),
                              [&](const Parameter& candidate) { return candidate.name == name; });
  if (equals == std::string_view::npos || p == variant.parameters.end())
    return bad_input(fmt::format("Config '{}': '{}' is no parameter of {}. Its parameters: {}.", item, name,
                                 variant.name, parameter_names(variant)));
  const std::string_view text = trim(item.substr(equals + 1));
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size())
    return bad_input(fmt::format("Config '{}': {} takes a whole number, not '{}'.", item, name, text));
  if (std::find(p->values.begin(), p->values.end(), value) == p->values.end())
    return bad_input(fmt::format("Config '{}': {} is one of {}, not {}.", item, name, fmt::join(p->values, ", "),
                                 value));
  config[name] = value;
  return {};
}

}  // namespace

std::string to_text(const Ask& ask) {
  return fmt::format("{}  {}  {}", ask.variant, to_text(ask.problem), attnscope::to_text(ask.config));
}

Config default_config(const VariantInfo& variant) {
  Config config;
  for (const Parameter& p : variant.parameters) config[p.name] = p.default_value;
  return config;
}

Result<Config> parse_config(const VariantInfo& variant, const std::string& text) {
  Config config = default_config(variant);
  std::string_view rest = trim(text);
  if (rest.empty() || rest == "default") return config;
  for (const NamedConfig& named : variant.configs)
    if (named.name == rest) {
      for (const auto& [name, value] : named.values) config[name] = value;
      return config;
    }
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view item = trim(rest.substr(0, comma));
    if (auto set = assign(variant, config, item); !set) return set.error();
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return config;
}

std::string config_name(const VariantInfo& variant, const Config& config) {
  for (const NamedConfig& named : variant.configs) {
    Config full = default_config(variant);
    for (const auto& [name, value] : named.values) full[name] = value;
    if (full == config) return named.name;
  }
  return config == default_config(variant) ? "default" : "";
}

std::string short_name(const VariantInfo* variant, const std::string& variant_name, const Config& config) {
  if (!variant) return variant_name + " " + attnscope::to_text(config);
  if (const std::string name = config_name(*variant, config); !name.empty()) return variant_name + " " + name;
  std::string text = variant_name;
  for (const Parameter& p : variant->parameters)
    if (const auto set = config.find(p.name); set != config.end() && set->second != p.default_value)
      text += fmt::format(" {}={}", p.name, set->second);
  return text;
}

}  // namespace attnscope::gui
