#include "app/gui/state/reproduce.hpp"

#include <fmt/format.h>

#include "engine/page/command.hpp"

namespace attnscope::gui {

std::string command_line_of(const Record& record, const Places& places, size_t worker) {
  std::string command = command_of(record);
  if (command.empty()) return command;
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" {} {}", option, shell_quoted(value));
  };
  const auto whole = [](const std::filesystem::path& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    return (error ? path : absolute).string();
  };
  if (worker < places.workers.size() && !places.workers[worker].empty()) add("--worker", places.workers[worker]);
  for (const auto& dir : places.shaders) add("--shaders", whole(dir));
  for (const auto& dir : places.sources) add("--sources", whole(dir));
  return command;
}

}  // namespace attnscope::gui
