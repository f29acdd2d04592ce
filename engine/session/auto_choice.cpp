#include "engine/session/auto_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/tune/fastest.hpp"

namespace attnscope {
namespace {

/// Matches that are asked about before it is given up.
constexpr size_t kMostMatches = 16;
constexpr size_t kMostReasons = 4;

/// The name by which a person knows the config; "" when it has none.
std::string name_of(std::span<const VariantInfo> variants, const std::string& variant, const Config& config) {
  for (const VariantInfo& v : variants)
    if (v.name == variant) return config_name(v, config);
  return {};
}

/// nullopt: nothing that is tuned can run here.
std::optional<AutoChoice> choose_tuned(Session& session, const DeviceInfo& device,
                                       std::span<const VariantInfo> variants, const tune::TunedTables& tables,
                                       const Problem& problem, CacheMode cache, LaunchMode launch) {
  tune::FastestQuery query{device, problem, {}, cache, launch};
  for (const VariantInfo& v : variants)
    if (v.error.empty() && v.why_not.empty()) query.variants[v.name] = v.hash;
  const auto matches = tune::find_fastest(tables, query);
  for (size_t i = 0; i < matches.size() && i < kMostMatches; ++i) {
    const tune::TunedEntry& entry = matches[i].entry;
    const Result<Inspection> look = session.inspect(problem, entry.variant, entry.config);
    if (!look || !look->why_not.empty()) continue;
    AutoChoice choice;
    choice.variant = entry.variant;
    choice.config = entry.config;
    choice.config_name = name_of(variants, entry.variant, entry.config);
    choice.from = matches[i].shipped ? AutoChoice::From::shipped : AutoChoice::From::tuned;
    choice.because = fmt::format("auto: {}, {}; {}", entry.variant, tune::describe(matches[i]),
                                 tune::beside_others(matches, matches[i]));
    return choice;
  }
  return std::nullopt;
}

bool legal(const ConfigChoice& choice) { return choice.how != ConfigChoice::How::as_asked || choice.because.empty(); }

std::string rank_text(double rank) { return fmt::format("{:.3g}", rank); }

}  // namespace

Result<AutoChoice> choose_auto(Session& session, const DeviceInfo& device, std::span<const VariantInfo> variants,
                               const tune::TunedTables& tables, const Problem& problem, CacheMode cache,
                               LaunchMode launch) {
  if (auto tuned = choose_tuned(session, device, variants, tables, problem, cache, launch)) return std::move(*tuned);
  Result<std::vector<VariantRank>> ranks = session.rank_variants(problem);
  if (!ranks) return ranks.error();
  std::vector<std::string> passed_over, reasons;
  for (size_t i = 0; i < ranks->size(); ++i) {
    const VariantRank& one = (*ranks)[i];
    if (!one.why_not.empty()) {
      reasons.push_back(fmt::format("{}: {}", one.variant, one.why_not));
      continue;
    }
    Result<ConfigChoice> config = session.choose_config(problem, one.variant, "default");
    if (!config) return config.error();
    if (!legal(*config)) {
      reasons.push_back(fmt::format("{}: {}", one.variant, config->because));
      passed_over.push_back(one.variant);
      continue;
    }
    AutoChoice choice;
    choice.variant = one.variant;
    if (config->how == ConfigChoice::How::nearest)
      choice.remark = fmt::format("{} with its defaults cannot run here, so the nearest legal config was taken: {}. {}",
                                  one.variant, to_text(config->config), config->because);
    choice.config = std::move(config->config);
    choice.config_name = std::move(config->name);
    choice.because = fmt::format("auto: {}, by its manifest (rank {}", one.variant, rank_text(one.rank));
    if (i + 1 < ranks->size() && (*ranks)[i + 1].why_not.empty())
      choice.because += fmt::format("; next {}, {}", (*ranks)[i + 1].variant, rank_text((*ranks)[i + 1].rank));
    else
      choice.because += "; no other can run it";
    choice.because += passed_over.empty()
                          ? ")"
                          : fmt::format("; {}, ranked higher, {} no legal config here)", fmt::join(passed_over, ", "),
                                        passed_over.size() == 1 ? "has" : "have");
    choice.because += "; nothing near it was tuned here";
    return choice;
  }
  const size_t left = reasons.size() - std::min(reasons.size(), kMostReasons);
  reasons.resize(reasons.size() - left);
  return unsupported(fmt::format("No variant can serve {} on {}: {}{}", to_text(problem), device.name,
                                 fmt::join(reasons, "; "), left > 0 ? fmt::format("; and {} more", left) : ""));
}

}  // namespace attnscope
