#include "engine/tune/merge.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/record/run.hpp"

namespace attnscope::tune {
namespace {

std::string run_key(const Record& r) {
  const DeviceInfo& d = r.environment.device;
  std::string key;
  for (const std::string& part :
       {d.name, d.device_uuid, d.driver, to_text(r.problem), r.variant, r.environment.shader_hash, to_text(r.config),
        std::string(to_text(r.protocol.cache)), std::string(to_text(r.protocol.launch)), std::to_string(r.seed)})
    key += part + '\n';
  return key;
}

auto tells(const Record& r) { return std::tuple(r.outcome == Outcome::measured, r.environment.time_utc); }
auto tells(const JournalLine& l) {
  return std::tuple(l.outcome == Outcome::measured, !l.dropped, l.settled, l.time_utc);
}

}  // namespace

Joined join(Results& all, const Results& more) {
  Joined out;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < all.records.size(); ++i) places.emplace(run_key(all.records[i]), i);
  for (const Record& record : more.records) {
    ++out.taken;
    const auto [it, fresh] = places.emplace(run_key(record), all.records.size());
    if (fresh) {
      all.records.push_back(record);
      continue;
    }
    ++out.duplicates;
    Record& known = all.records[it->second];
    if (tells(record) > tells(known)) known = record;
  }
  for (const TextTable& table : more.tables)
    if (std::find(all.tables.begin(), all.tables.end(), table) == all.tables.end()) all.tables.push_back(table);
  return out;
}

Joined join(std::vector<JournalSection>& all, std::span<const JournalSection> more) {
  Joined out;
  for (const JournalSection& section : more) {
    auto place = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.key == section.key; });
    if (place == all.end()) place = all.insert(all.end(), {section.key, {}});
    std::map<std::string, size_t> known;
    const auto name = [](const JournalLine& l) { return l.variant + ' ' + l.shader_hash + ' ' + to_text(l.config); };
    for (size_t i = 0; i < place->lines.size(); ++i) known.emplace(name(place->lines[i]), i);
    for (const JournalLine& line : section.lines) {
      ++out.taken;
      const auto [it, fresh] = known.emplace(name(line), place->lines.size());
      if (fresh) {
        place->lines.push_back(line);
        continue;
      }
      ++out.duplicates;
      JournalLine& old = place->lines[it->second];
      if (tells(line) > tells(old)) old = line;
    }
  }
  return out;
}

}  // namespace attnscope::tune
