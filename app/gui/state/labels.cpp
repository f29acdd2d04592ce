#include "app/gui/state/labels.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/record/labels.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {
namespace {

using Names = std::vector<std::string>;
using Members = std::vector<size_t>;

/// "NVIDIA H200", "llvmpipe": without what a driver adds in brackets.
std::string plain(const std::string& device) { return device.substr(0, std::min(device.find(" ("), device.size())); }

std::vector<ConfigName> config_names(std::span<const Record* const> records, const Known& known) {
  std::map<std::string, std::pair<const VariantInfo*, Config>> variants;
  std::vector<ConfigName> out;
  for (const Record* r : records) {
    const auto [at, fresh] = variants.try_emplace(r->variant);
    auto& [info, defaults] = at->second;
    if (fresh && (info = known.variant(r->variant)) != nullptr) defaults = default_config(*info);
    out.push_back(attnscope::config_name(*r, defaults));
    // A record of the live config is named before the session has said what the config is called.
    if (info && out.back().name.empty()) out.back().name = gui::config_name(*info, r->config);
  }
  return out;
}

/// Adds each record's own word to its name where the words of `members` are not all the same.
void say(const Members& members, Names& names, const std::function<std::string(size_t)>& word) {
  std::set<std::string> words;
  for (const size_t i : members) words.insert(word(i));
  if (words.size() < 2) return;
  for (const size_t i : members)
    if (const std::string w = word(i); !w.empty()) names[i] += " " + w;
}

/// The numbers that the versions of the variant have; where one has none, "#1" for the records of the shader that was
/// measured first. A record without a time is of what is asked just now.
std::map<std::string, std::string> shader_versions(std::span<const Record* const> records, const Members& members,
                                                   const Known& known) {
  std::map<std::string, std::string> numbered;
  for (const size_t i : members) {
    const std::string& hash = records[i]->environment.shader_hash;
    const int number = known.shader_number(records[i]->variant, hash);
    if (number > 0) numbered[hash] = fmt::format("#{}", number);
  }
  if (std::all_of(members.begin(), members.end(),
                  [&](size_t i) { return numbered.contains(records[i]->environment.shader_hash); }))
    return numbered;
  std::map<std::string, std::string> first;  // time, by hash
  for (const size_t i : members) {
    const Environment& e = records[i]->environment;
    const std::string time = e.time_utc.empty() ? "~" : e.time_utc;
    const auto [at, fresh] = first.emplace(e.shader_hash, time);
    if (!fresh) at->second = std::min(at->second, time);
  }
  std::vector<std::pair<std::string, std::string>> order;
  for (const auto& [hash, time] : first) order.emplace_back(time, hash);
  std::sort(order.begin(), order.end());
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < order.size(); ++i) out[order[i].second] = fmt::format("#{}", i + 1);
  return out;
}

std::map<std::string, Members> ties(const Names& names) {
  std::map<std::string, Members> groups;
  for (size_t i = 0; i < names.size(); ++i) groups[names[i]].push_back(i);
  std::erase_if(groups, [](const auto& g) { return g.second.size() < 2; });
  return groups;
}

}  // namespace

std::vector<std::string> device_names(std::span<const Record* const> records) {
  const std::vector<std::function<std::string(const DeviceInfo&)>> ways = {
      [](const DeviceInfo& d) { return plain(d.name); }, [](const DeviceInfo& d) { return d.name; },
      [](const DeviceInfo& d) { return d.name + " " + d.driver; },
      [](const DeviceInfo& d) { return fmt::format("{} {} {}", d.name, d.driver, d.index); },
      // On another machine a device may have the same index.
      [](const DeviceInfo& d) { return d.name + " " + d.device_uuid.substr(0, 8); }, device_key};
  std::map<std::string, const DeviceInfo*> devices;
  for (const Record* r : records) devices.emplace(device_key(r->environment.device), &r->environment.device);
  for (const auto& way : ways) {
    std::map<std::string, std::string> names;
    std::set<std::string> different;
    for (const auto& [key, device] : devices) different.insert(names[key] = way(*device));
    if (different.size() < devices.size()) continue;
    std::vector<std::string> out;
    for (const Record* r : records) out.push_back(names[device_key(r->environment.device)]);
    return out;
  }
  return Names(records.size());
}

std::vector<std::string> labels_of(std::span<const Record* const> records, const Known& known, ProblemShown problems) {
  Names names = short_labels(config_names(records, known));
  Members all(records.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Names devices = device_names(records);
  say(all, names, [&](size_t i) { return devices[i]; });
  say(all, names, [&](size_t i) { return std::string(to_text(records[i]->protocol.cache)); });
  say(all, names, [&](size_t i) { return std::string(to_text(records[i]->protocol.launch)); });
  if (problems == ProblemShown::nowhere)
    for (const auto& [name, members] : ties(names))
      say(members, names, [&](size_t i) { return to_text(records[i]->problem); });
  // Beside a column of problems, the same name on two problems is no tie.
  const auto tied = [&] {
    Names keys = names;
    if (problems == ProblemShown::beside)
      for (size_t i = 0; i < keys.size(); ++i) keys[i] += "|" + to_text(records[i]->problem);
    return ties(keys);
  };
  for (const auto& [name, members] : tied()) {
    const auto versions = shader_versions(records, members, known);
    say(members, names, [&](size_t i) { return versions.at(records[i]->environment.shader_hash); });
  }
  for (const auto& [name, members] : tied())
    say(members, names, [&](size_t i) { return fmt::format("seed {}", records[i]->seed); });
  for (auto& [name, members] : tied()) {
    // The oldest is the first, in whichever order a list has them.
    const auto time = [&](size_t i) -> const std::string& { return records[i]->environment.time_utc; };
    if (std::none_of(members.begin(), members.end(), [&](size_t i) { return time(i).empty(); }))
      std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) { return time(a) < time(b); });
    for (size_t k = 1; k < members.size(); ++k) names[members[k]] += fmt::format(" take {}", k + 1);
  }
  return names;
}

std::string described(const Record& r) {
  const Environment& e = r.environment;
  std::string text = fmt::format("{}\n{}\n{}", r.variant, attnscope::to_text(r.config), to_text(r.problem));
  text +=
      fmt::format("\n{}, {}, {} samples", to_text(r.protocol.cache), to_text(r.protocol.launch), r.samples_ns.size());
  if (!e.device.name.empty()) text += "\n" + e.device.name;
  if (!e.shader_hash.empty()) text += "\nshader " + e.shader_hash.substr(0, 12);
  if (!e.time_utc.empty()) text += "\n" + e.time_utc;
  return text;
}

}  // namespace attnscope::gui
