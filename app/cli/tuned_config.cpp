#include "app/cli/tuned_config.hpp"

#include <fmt/format.h>

#include "app/cli/places.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {
namespace {

tune::TunedTables load() {
  tune::TunedTables tables = search::load_tables(tuned_file(), shipped_tuned_dir());
  for (const auto* table : {&tables.user, &tables.shipped})
    for (const std::string& note : table->notes) print_err("note: {}\n", note);
  return tables;
}

}  // namespace

const tune::TunedTables& tuned_tables() {
  static const tune::TunedTables tables = load();
  return tables;
}

TunedConfig tuned_config(Session& session, const DeviceInfo& device, const std::string& variant,
                         const std::string& shader_hash, const Problem& problem, const Protocol& protocol) {
  const tune::TunedQuery query{device, problem, variant, shader_hash, protocol.cache, protocol.launch};
  size_t matches = 0;
  if (const auto match = search::choose_tuned(session, tuned_tables(), query, &matches)) {
    const bool plain = match->how == tune::TunedMatch::How::exact && !match->shipped;
    return {match->entry.config, plain ? std::string()
                                       : fmt::format("{} on {}: {} is {}", variant, to_text(problem),
                                                     to_text(match->entry.config), tune::describe(*match))};
  }
  return {std::nullopt,
          fmt::format("{} on {}: nothing is tuned for it on this device{}; the default stands in "
                      "(attnscope tune --problem {} --variant {})",
                      variant, to_text(problem), matches == 0 ? "" : " that can run here", to_text(problem), variant)};
}

}  // namespace attnscope::cli
