#include "app/gui/model/labels.hpp"

#include <chrono>
#include <sstream>

namespace attnscope::gui {

std::string short_when(const std::string& utc, std::time_t now) {
  int year = 0;
  unsigned month = 0, day_of_month = 0, hour = 0, minute = 0, second = 0;
  std::string day = utc.substr(0, 10);
  if (std::sscanf(utc.c_str(), "%4d-%2u-%2uT%2u:%2u:%2u", &year, &month, &day_of_month, &hour, &minute, &second) != 6)
    return day;
  namespace chrono = std::chrono;
  const auto then = chrono::sys_days(chrono::year(year) / chrono::month(month) / chrono::day(day_of_month)) +
                    chrono::hours(hour) + chrono::minutes(minute) + chrono::seconds(second);
  const long minutes = long((chrono::system_clock::from_time_t(now) - then) / chrono::minutes(1));
  constexpr long kHour = 60, kDay = 24 * kHour;
  // A clock that was set back since tells nothing of how long ago.
  if (minutes < 0 || minutes >= 7 * kDay) return day;
  if (minutes < 1) return "now";
  if (minutes < kHour) return fmt::format("{} min ago", minutes);
  return minutes < kDay ? fmt::format("{} h ago", minutes / kHour) : fmt::format("{} d ago", minutes / kDay);
}

namespace {

using Names = std::vector<std::string>;
using Members = std::vector<size_t>;

/// "NVIDIA H200", "llvmpipe": without what a driver adds in brackets.
std::string plain(const std::string& device) { return device.substr(0, std::min(device.find(" ("), device.size())); }

std::vector<ConfigName> config_names(std::span<const Record* const> records, const DeviceState& known) {
  std::vector<ConfigName> out;
  for (const Record* r : records) {
    out.push_back(named(known.loaded(r->variant), r->variant, r->config));
    if (!r->config_name.empty()) out.back().name = r->config_name;
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

/// Its number, where the variant has several versions in this session; else the beginning of its hash.
std::string shader_version(const Record& r, const DeviceState& known) {
  const std::string& hash = r.environment.shader_hash;
  const int number = known.shader_number(r.variant, hash);
  return number > 0 ? fmt::format("#{}", number) : hash.substr(0, 7);
}

std::map<std::string, Members> ties(const Names& names) {
  std::map<std::string, Members> groups;
  for (size_t i = 0; i < names.size(); ++i) groups[names[i]].push_back(i);
  std::erase_if(groups, [](const auto& g) { return g.second.size() < 2; });
  return groups;
}

/// For each record, in order, a name of its device that no other device here has, as short as that can be.
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
    return mapped(records, [&](const Record* r) { return names[device_key(r->environment.device)]; });
  }
  return Names(records.size());
}

}  // namespace

std::vector<std::string> labels_of(std::span<const Record* const> records, const DeviceState& known) {
  Names names = short_labels(config_names(records, known));
  Members all(records.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const Names devices = device_names(records);
  say(all, names, [&](size_t i) { return devices[i]; });
  say(all, names, [&](size_t i) { return std::string(to_text(records[i]->protocol.cache)); });
  say(all, names, [&](size_t i) { return std::string(to_text(records[i]->protocol.launch)); });
  // Beside a column of problems, the same name on two problems is no tie.
  const auto tied = [&] {
    Names keys = names;
    for (size_t i = 0; i < keys.size(); ++i) keys[i] += "|" + to_text(records[i]->problem);
    return ties(keys);
  };
  for (const auto& [name, members] : tied())
    say(members, names, [&](size_t i) { return shader_version(*records[i], known); });
  for (const auto& [name, members] : tied())
    say(members, names, [&](size_t i) { return fmt::format("seed {}", records[i]->seed); });
  for (auto& [name, members] : tied()) {
    // The oldest is the first, in whichever order a list has them.
    const auto time = [&](size_t i) -> const std::string& { return records[i]->environment.time_utc; };
    if (std::ranges::none_of(members, &std::string::empty, time)) std::ranges::stable_sort(members, {}, time);
    for (size_t k = 1; k < members.size(); ++k) names[members[k]] += fmt::format(" take {}", k + 1);
  }
  return names;
}

std::string with_initials(const std::string& name) {
  std::string out;
  for (size_t at = 0, end; at < name.size(); at = end + 1) {
    end = std::min(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at), name.size());
    const bool parameter = name[end] == '=';
    for (size_t i = at; i < end; ++i)
      if (!parameter || i == at || name[i - 1] == '_') out += name[i];
    if (end < name.size()) out += name[end];
  }
  return out;
}

std::optional<std::vector<std::pair<size_t, size_t>>> find_words(std::string_view typed, std::string_view text) {
  const std::string all = lower_case(text);
  std::vector<std::pair<size_t, size_t>> places;
  std::stringstream words(lower_case(typed));
  for (std::string word; words >> word;) {
    places.emplace_back(all.find(word), word.size());
    if (places.back().first == all.npos) return std::nullopt;
  }
  return places;
}

std::string described(const Record& r) {
  const Environment& e = r.environment;
  std::string text = fmt::format("{}\n{}\n{}", r.variant, attnscope::to_text(r.config), to_text(r.problem));
  // A live record has no samples of its own.
  text += fmt::format("\n{}, {}, {}", to_text(r.protocol.cache), to_text(r.protocol.launch),
                      counted(r.statistics ? r.statistics->count : r.samples_ns.size(), "sample"));
  if (!e.device.name.empty()) text += "\n" + e.device.name;
  if (!e.shader_hash.empty()) text += "\nshader " + e.shader_hash.substr(0, 12);
  if (!e.time_utc.empty()) text += "\n" + e.time_utc;
  return text;
}

std::map<uint64_t, std::string> pin_names(const Record& asked, const Pins& pins, const DeviceState& known) {
  std::map<std::string, std::vector<const Pin*>> sets;
  sets[""];
  for (const Pin& p : pins.all()) sets[p.dataset].push_back(&p);
  // Live samples of a run that is pinned too are no second take of it.
  const Pin* same = pins.same(asked);
  std::map<uint64_t, std::string> names;
  for (const auto& [dataset, rows] : sets) {
    std::vector<const Record*> records = mapped(rows, [](const Pin* p) { return p->record.get(); });
    if (dataset.empty() && !same) records.push_back(&asked);
    const std::vector<std::string> labels = labels_of(records, known);
    for (size_t i = 0; i < rows.size(); ++i) names[rows[i]->id] = labels[i];
    if (dataset.empty()) names[0] = same ? names[same->id] : labels.back();
  }
  return names;
}

std::map<uint64_t, std::string> run_names(const SessionLog& tried, const DeviceState& known) {
  const auto records = mapped(tried.entries(), [](const SessionLog::Entry& e) -> const Record* { return &*e.record; });
  const std::vector<std::string> labels = labels_of(records, known);
  std::map<uint64_t, std::string> names;
  for (size_t i = 0; i < labels.size(); ++i) names[tried.entries()[i].number] = labels[i];
  return names;
}

}  // namespace attnscope::gui
