#include "engine/session/answers.hpp"

#include <fmt/format.h>

namespace attnscope {
namespace {

bool holds(const Config& asked, const Config& told) {
  for (const auto& [name, value] : asked)
    if (const auto it = told.find(name); it == told.end() || it->second != value) return false;
  return true;
}

std::string sentence(const std::string& what, const Record& told) {
  return fmt::format(
      "The worker was asked for {} and told of {} {} on {} ({}, {}): its numbers are not shown. Is it of "
      "another version?",
      what, told.variant, to_text(told.config), to_text(told.problem), to_text(told.protocol.cache),
      to_text(told.protocol.launch));
}

std::string differs(const Problem& problem, const std::string& variant, const Config& config, const Protocol& protocol,
                    const Record& told) {
  if (told.problem == problem && told.variant == variant && holds(config, told.config) &&
      told.protocol.cache == protocol.cache && told.protocol.launch == protocol.launch)
    return "";
  return sentence(fmt::format("{} {} on {} ({}, {})", variant, to_text(config), to_text(problem),
                              to_text(protocol.cache), to_text(protocol.launch)),
                  told);
}

}  // namespace

std::string not_asked_for(const RunRequest& asked, const Record& told) {
  return differs(asked.problem, asked.variant, asked.config, asked.protocol, told);
}

std::string not_asked_for(const Config& asked, const Trial& told) {
  if (holds(asked, told.config)) return "";
  return fmt::format("The worker was asked for {} and told of {}: its time is not shown. Is it of another version?",
                     to_text(asked), to_text(told.config));
}

std::string not_asked_for(const RaceRequest& asked, const RaceResult& told) {
  if (told.records.size() != asked.entries.size())
    return fmt::format("The worker was asked for {} configs side by side and told of {}. Is it of another version?",
                       asked.entries.size(), told.records.size());
  for (size_t i = 0; i < told.records.size(); ++i)
    if (std::string why =
            differs(asked.problem, asked.entries[i].variant, asked.entries[i].config, asked.protocol, told.records[i]);
        !why.empty())
      return why;
  return "";
}

}  // namespace attnscope
