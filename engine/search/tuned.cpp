#include "engine/search/tuned.hpp"

namespace attnscope::search {
namespace {

/// Matches that are asked about before it is given up.
constexpr size_t kMostMatches = 8;

}  // namespace

TunedTables load_tables(const std::filesystem::path& user_file, const std::filesystem::path& shipped_folder) {
  TunedTables tables;
  const auto add_models = [&](const std::filesystem::path& beside, tune::TunedTable& table) {
    for (tune::CostModel& m : tune::load_models(beside.parent_path() / "models", table.notes))
      tables.models.push_back(std::move(m));
  };
  if (!user_file.empty()) {
    tables.user = tune::load_tuned(user_file);
    add_models(user_file, tables.user);
  }
  if (!shipped_folder.empty()) {
    tables.shipped = tune::load_shipped(shipped_folder);
    add_models(shipped_folder, tables.shipped);
  }
  return tables;
}

std::optional<tune::TunedMatch> choose_tuned(Session& session, const TunedTables& tables, const tune::TunedQuery& query,
                                             size_t* count) {
  std::vector<tune::TunedMatch> matches = tune::find_tuned(tables.user.entries, tables.shipped.entries, query);
  if (count != nullptr) *count = matches.size();
  for (size_t i = 0; i < matches.size() && i < kMostMatches; ++i) {
    const Result<Inspection> look = session.inspect(query.problem, matches[i].entry.variant, matches[i].entry.config);
    if (look && look->why_not.empty()) return std::move(matches[i]);
  }
  return std::nullopt;
}

}  // namespace attnscope::search
