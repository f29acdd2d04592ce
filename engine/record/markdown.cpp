#include "engine/record/markdown.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/record/table.hpp"

namespace attnscope {

std::string to_markdown(std::span<const Record> records) {
  std::vector<std::vector<Record>> sections;
  const auto same_place = [](const Record& a, const Record& b) {
    return a.environment.device.name == b.environment.device.name &&
           a.environment.device.driver == b.environment.device.driver && a.protocol.cache == b.protocol.cache &&
           a.protocol.launch == b.protocol.launch;
  };
  for (const Record& r : records) {
    const auto at = std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return same_place(s[0], r); });
    if (at == sections.end())
      sections.push_back({r});
    else
      at->push_back(r);
  }
  std::string text;
  for (const auto& section : sections) {
    const Environment& e = section[0].environment;
    text += fmt::format("## {}\n\nDriver {}; {} cache, {} launches; attnscope {}; {} (UTC).\n\n",
                        e.device.name.empty() ? "Unknown device" : e.device.name,
                        e.device.driver.empty() ? "unknown" : e.device.driver, to_text(section[0].protocol.cache),
                        to_text(section[0].protocol.launch), e.program_version, e.time_utc);
    text += render_markdown(record_table(section)) + "\n";
  }
  return text;
}

}  // namespace attnscope
