#include "engine/record/labels.hpp"

namespace attnscope {

namespace {

using VariantAndName = std::pair<std::string, std::string>;

std::string default_name(const ConfigName& c) {
  return c.name.empty() && !c.config.empty() && c.config == c.defaults ? "default" : c.name;
}

/// Whether `config` has another value of the parameter, or none.
bool differs(const Config& config, const std::string& parameter, int64_t value) {
  const auto at = config.find(parameter);
  return at == config.end() || at->second != value;
}

/// By variant, the parameters in which its configs differ.
std::set<VariantAndName> differing(std::span<const ConfigName> configs) {
  std::map<std::string, const Config*> first;
  std::set<VariantAndName> out;
  for (const ConfigName& c : configs) {
    const Config& other = *first.emplace(c.variant, &c.config).first->second;
    for (const auto& [one, two] : {std::pair(&c.config, &other), std::pair(&other, &c.config)})
      for (const auto& [parameter, value] : *one)
        if (differs(*two, parameter, value)) out.emplace(c.variant, parameter);
  }
  return out;
}

}  // namespace

ConfigName config_name(const Record& record, const Config& defaults) {
  return {record.variant, record.config, record.config_name, defaults};
}

std::vector<std::string> short_config_labels(std::span<const ConfigName> configs) {
  const std::set<VariantAndName> varying = differing(configs);
  std::vector<std::string> labels;
  std::map<VariantAndName, std::set<Config>> taken;
  for (const ConfigName& c : configs) {
    std::string label = default_name(c);
    if (label.empty()) {
      Config telling;
      for (const auto& [parameter, value] : c.config)
        if (c.defaults.empty() ? varying.contains({c.variant, parameter}) : differs(c.defaults, parameter, value))
          telling[parameter] = value;
      label = to_text(telling.empty() ? c.config : telling);
    }
    taken[{c.variant, label}].insert(c.config);
    labels.push_back(std::move(label));
  }
  for (size_t i = 0; i < configs.size(); ++i)
    if (taken[{configs[i].variant, labels[i]}].size() > 1) labels[i] = to_text(configs[i].config);
  return labels;
}

std::vector<std::string> short_labels(std::span<const ConfigName> configs) {
  std::vector<std::string> labels = short_config_labels(configs);
  for (size_t i = 0; i < configs.size(); ++i)
    labels[i] = labels[i].empty() ? configs[i].variant : configs[i].variant + " " + labels[i];
  return labels;
}

}  // namespace attnscope
