#include "app/cli/tuned_config.hpp"

#include <fmt/format.h>

#include "app/cli/places.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {
namespace {

/// Matches that are asked about before it is given up.
constexpr size_t kMostMatches = 8;

tune::TunedTables load() {
  tune::TunedTables tables = read_tuned_tables();
  for (const auto* table : {&tables.user, &tables.shipped})
    for (const std::string& note : table->notes) print_err("note: {}\n", note);
  return tables;
}

}  // namespace

std::filesystem::path tuned_file() {
  const std::string dir = user_data_dir();
  return dir.empty() ? std::filesystem::path() : std::filesystem::path(dir) / "tuned.json";
}

tune::TunedTables read_tuned_tables() {
  tune::TunedTables tables;
  if (const std::filesystem::path file = tuned_file(); !file.empty()) tables.user = tune::load_tuned(file);
  if (const Result<std::filesystem::path> data = data_dir())
    tables.shipped = tune::load_shipped(*data / "assets" / "tuned");
  return tables;
}

const tune::TunedTables& tuned_tables() {
  static const tune::TunedTables tables = load();
  return tables;
}

TunedConfig tuned_config(Session& session, const DeviceInfo& device, const std::string& variant,
                         const std::string& shader_hash, const Problem& problem, const Protocol& protocol) {
  const tune::TunedQuery query{device, problem, variant, shader_hash, protocol.cache, protocol.launch};
  const auto matches = tune::find_tuned(tuned_tables().user.entries, tuned_tables().shipped.entries, query);
  for (size_t i = 0; i < matches.size() && i < kMostMatches; ++i) {
    const Result<Inspection> look = session.inspect(problem, variant, matches[i].entry.config);
    if (!look || !look->why_not.empty()) continue;
    const bool plain = matches[i].how == tune::TunedMatch::How::exact && !matches[i].shipped;
    return {matches[i].entry.config, plain ? std::string()
                                           : fmt::format("{} on {}: {} is {}", variant, to_text(problem),
                                                         to_text(matches[i].entry.config), tune::describe(matches[i]))};
  }
  return {std::nullopt, fmt::format("{} on {}: nothing is tuned for it on this device{}; the default stands in "
                                    "(attnscope tune --problem {} --variant {})",
                                    variant, to_text(problem), matches.empty() ? "" : " that can run here",
                                    to_text(problem), variant)};
}

}  // namespace attnscope::cli
