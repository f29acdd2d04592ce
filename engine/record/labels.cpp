#include "engine/record/labels.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace attnscope {

namespace {

using NameSet = std::set<std::string>;

/// "BLOCK_" of "BLOCK_M"; "" of a single word.
std::string first_word(const std::string& name) { return name.substr(0, name.find('_') + 1); }

std::string default_name(const ConfigName& c) {
  return c.name.empty() && !c.config.empty() && c.config == c.defaults ? "default" : c.name;
}

/// The configs of one variant, and how they are told apart.
struct Group {
  std::vector<size_t> members;
  NameSet parameters;                            ///< of any member or its defaults
  NameSet shown;                                 ///< those that labels name
  std::map<std::string, std::string> shortened;  ///< by parameter, where that is shorter
};

/// Parameters by which a label of `c` would tell it apart, beside its name.
NameSet telling(const ConfigName& c, const NameSet& differing) {
  NameSet out;
  if (!default_name(c).empty()) return out;
  for (const auto& [parameter, value] : c.config) {
    const auto at = c.defaults.find(parameter);
    if (c.defaults.empty() ? differing.contains(parameter) : at == c.defaults.end() || at->second != value)
      out.insert(parameter);
  }
  return out;
}

std::map<std::string, std::string> shortened(const NameSet& parameters, const NameSet& shown) {
  std::map<std::string, int> family;  // how many begin with the word
  for (const std::string& p : parameters) ++family[first_word(p)];
  const auto rest = [&](const std::string& p) {
    const std::string word = first_word(p);
    return !word.empty() && family[word] > 1 && word.size() < p.size() ? p.substr(word.size()) : p;
  };
  std::map<std::string, int> called;
  for (const std::string& p : shown) ++called[rest(p)];
  // Not what another parameter is called in full, either, even where that one is not shown; and of a family all or
  // none: no label says "M=32 BLOCK_N=64".
  NameSet whole;
  for (const std::string& p : shown)
    if (const std::string r = rest(p); called[r] > 1 || parameters.contains(r)) whole.insert(first_word(p));
  std::map<std::string, std::string> out;
  for (const std::string& p : shown)
    if (rest(p) != p && !whole.contains(first_word(p))) out[p] = rest(p);
  return out;
}

std::map<std::string, Group> groups_of(std::span<const ConfigName> configs) {
  std::map<std::string, Group> groups;
  for (size_t i = 0; i < configs.size(); ++i) {
    Group& group = groups[configs[i].variant];
    group.members.push_back(i);
    for (const Config* values : {&configs[i].config, &configs[i].defaults})
      for (const auto& [parameter, value] : *values) group.parameters.insert(parameter);
  }
  for (auto& [variant, group] : groups) {
    NameSet differing;
    for (const std::string& p : group.parameters) {
      std::set<std::optional<int64_t>> values;
      for (const size_t i : group.members) {
        const auto at = configs[i].config.find(p);
        values.insert(at == configs[i].config.end() ? std::nullopt : std::optional(at->second));
      }
      if (values.size() > 1) differing.insert(p);
    }
    if (differing.empty()) differing = group.parameters;  // one config alone, of unknown defaults
    for (const size_t i : group.members)
      for (const std::string& p : telling(configs[i], differing)) group.shown.insert(p);
    group.shortened = shortened(group.parameters, group.shown);
  }
  return groups;
}

/// Labels that two different configs share become the configs as a whole; if one of those is another's label, all do.
void tell_apart(std::span<const ConfigName> configs, const Group& group, std::vector<std::string>& labels) {
  for (const bool everyone : {false, true}) {
    std::map<std::string, std::set<Config>> taken;
    for (const size_t i : group.members) taken[labels[i]].insert(configs[i].config);
    const bool tie = std::ranges::any_of(taken, [](const auto& t) { return t.second.size() > 1; });
    for (const size_t i : group.members)
      if (tie && (everyone || taken[labels[i]].size() > 1)) labels[i] = to_text(configs[i].config);
  }
}

}  // namespace

ConfigName config_name(const Record& record, const Config& defaults) {
  return {record.variant, record.config, record.config_name, defaults};
}

std::vector<std::string> short_config_labels(std::span<const ConfigName> configs) {
  std::vector<std::string> labels(configs.size());
  for (const auto& [variant, group] : groups_of(configs)) {
    for (const size_t i : group.members) {
      const ConfigName& c = configs[i];
      std::string& label = labels[i];
      label = default_name(c);
      if (label.empty())
        for (const auto& [parameter, value] : c.config) {
          const auto base = c.defaults.find(parameter);
          const bool same = base != c.defaults.end() && base->second == value;
          if (same || !group.shown.contains(parameter)) continue;
          const auto shorter = group.shortened.find(parameter);
          label += fmt::format("{}{}={}", label.empty() ? "" : " ",
                               shorter == group.shortened.end() ? parameter : shorter->second, value);
        }
    }
    tell_apart(configs, group, labels);
  }
  return labels;
}

std::vector<std::string> short_labels(std::span<const ConfigName> configs) {
  std::vector<std::string> labels = short_config_labels(configs);
  for (size_t i = 0; i < configs.size(); ++i)
    labels[i] = labels[i].empty() ? configs[i].variant : configs[i].variant + " " + labels[i];
  return labels;
}

std::vector<std::string> shortened_parameters(std::span<const ConfigName> configs) {
  NameSet out;
  for (const auto& [variant, group] : groups_of(configs))
    for (const auto& [parameter, shorter] : group.shortened) out.insert(fmt::format("{} is {}", shorter, parameter));
  return {out.begin(), out.end()};
}

}  // namespace attnscope
