#include "engine/session/auto_choice.hpp"

#include "engine/measure/units.hpp"

namespace attnscope {
namespace {

constexpr size_t kMostReasons = 4;

/// The name by which a person knows the config; "" when it has none.
std::string name_of(std::span<const VariantInfo> variants, const std::string& variant, const Config& config) {
  const VariantInfo* v = find_by(variants, variant, &VariantInfo::name);
  return v ? config_name(*v, config) : "";
}

/// Predictions that are asked about before it is given up.
constexpr size_t kMostPredictions = 8;

/// The least that the device's model predicts and that is legal; nullopt: it has nothing to say.
std::optional<AutoChoice> choose_by_model(Session& session, const DeviceInfo& device,
                                          std::span<const tune::CostModel> models, const Problem& problem,
                                          std::span<const VariantRank> ranks) {
  const tune::CostModel* model = tune::find_model(models, device);
  if (model == nullptr) return std::nullopt;
  const std::vector<tune::Prediction> all = tune::predict(*model, problem, ranks, device.limits.core_count);
  const bool related = model->device != device.name;
  for (size_t i = 0; i < all.size() && i < kMostPredictions; ++i) {
    if (!session.can_run(problem, all[i].variant, all[i].config)) continue;
    AutoChoice choice{all[i].variant, all[i].config, all[i].name, AutoChoice::From::model, {}, {}};
    choice.because = fmt::format("auto: {} {}, by the model of {}", choice.variant, choice.config_name,
                                 related ? model->device : "this device");
    if (all[i].older) {
      choice.because += ", which was made with other sources of it and tells no time";
    } else {
      choice.because += fmt::format(": {} predicted{}{}", time_text(1e3 * all[i].us, 3), related ? " there" : "",
                                    tune::tells_times(*model, problem) ? "" : " without its softcap");
      const auto next = std::find_if(all.begin() + ptrdiff_t(i), all.end(), [&](const tune::Prediction& p) {
        return p.variant != choice.variant && !p.older;
      });
      if (next != all.end())
        choice.because += fmt::format("; next {} {}, {}", next->variant, next->name, time_text(1e3 * next->us, 3));
    }
    if (related)
      choice.because += "; that device is related to this one, of which `attnscope calibrate` makes a model";
    else if (model->driver != device.driver)
      choice.because += fmt::format("; calibrated with driver {}", model->driver);
    return choice;
  }
  return std::nullopt;
}

std::string rank_text(double rank) { return fmt::format("{:.3g}", rank); }

}  // namespace

Result<AutoChoice> choose_untuned(Session& session, const DeviceInfo& device, std::span<const tune::CostModel> models,
                                  const Problem& problem) {
  std::vector<VariantRank> ranks = TRY(session.rank_variants(problem));
  if (std::optional<AutoChoice> choice = choose_by_model(session, device, models, problem, ranks))
    return std::move(*choice);
  std::vector<std::string> passed_over, reasons;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const VariantRank& one = ranks[i];
    if (!one.why_not.empty()) {
      add_line(reasons, "{}: {}", one.variant, one.why_not);
      continue;
    }
    ConfigChoice config = TRY(session.choose_config(problem, one.variant, "default"));
    if (!config.legal()) {
      add_line(reasons, "{}: {}", one.variant, config.because);
      passed_over.push_back(one.variant);
      continue;
    }
    AutoChoice choice;
    choice.variant = one.variant;
    if (config.how == ConfigChoice::How::nearest)
      choice.remark = fmt::format("{} with its defaults cannot run here, so the nearest legal config was taken: {}. {}",
                                  one.variant, to_text(config.config), config.because);
    choice.config = std::move(config.config);
    choice.config_name = std::move(config.name);
    choice.because = fmt::format("auto: {}, by its manifest (rank {}", one.variant, rank_text(one.rank));
    if (i + 1 < ranks.size() && ranks[i + 1].why_not.empty())
      choice.because += fmt::format("; next {}, {}", ranks[i + 1].variant, rank_text(ranks[i + 1].rank));
    else
      choice.because += "; no other can run it";
    choice.because += passed_over.empty()
                          ? ")"
                          : fmt::format("; {}, ranked higher, {} no legal config here)", fmt::join(passed_over, ", "),
                                        passed_over.size() == 1 ? "has" : "have");
    return choice;
  }
  const size_t left = reasons.size() - std::min(reasons.size(), kMostReasons);
  reasons.resize(reasons.size() - left);
  return unsupported("No variant can serve {} on {}: {}{}", to_text(problem), device.name, fmt::join(reasons, "; "),
                     left > 0 ? fmt::format("; and {} more", left) : "");
}

Result<AutoChoice> choose_auto(Session& session, const DeviceInfo& device, std::span<const VariantInfo> variants,
                               const tune::TunedTables& tables, const Problem& problem, CacheMode cache,
                               LaunchMode launch) {
  tune::TunedQuery query{device, problem, {}, cache, launch};
  for (const VariantInfo& v : variants)
    if (v.error.empty() && v.why_not.empty()) query.variants[v.name] = v.hash;
  std::vector<tune::TunedMatch> matches = tune::find_tuned(tables, query);
  std::erase_if(matches, [](const tune::TunedMatch& match) { return !match.exact; });
  Result<AutoChoice> untuned = choose_untuned(session, device, tables.models, problem);
  const RaceEntry runs_untuned = untuned ? RaceEntry{untuned->variant, untuned->config} : RaceEntry{};
  std::string why_not;  // of the fastest
  for (const tune::TunedMatch& match : matches) {
    const tune::TunedEntry& entry = match.entry;
    const std::string why = !session.can_run(problem, entry.variant, entry.config)
                                ? "it cannot run here"
                                : tune::no_better_than_untuned(match, matches, runs_untuned);
    if (why.empty())
      return AutoChoice{.variant = entry.variant,
                        .config = entry.config,
                        .config_name = name_of(variants, entry.variant, entry.config),
                        .from = AutoChoice::From::tuned,
                        .because = fmt::format("auto: {}, {}", entry.variant, tune::describe(match)),
                        .remark = {}};
    if (why_not.empty()) why_not = fmt::format("{} is not used: {}", tune::describe(match), why);
  }
  if (!untuned) return untuned;
  if (const std::string unused = tune::why_unused(tables, query); !unused.empty()) why_not = unused;
  untuned->because += "; " + (why_not.empty() ? "it was not tuned here" : why_not);
  return untuned;
}

std::optional<PredictedTime> Predictor::of(Session& session, const DeviceInfo& device,
                                           std::span<const tune::CostModel> models, const VariantInfo& variant,
                                           const Problem& problem, const Config& config) {
  if (problem_ != problem) {
    known_ = {};
    problem_ = problem;
    // Without a model nobody asks how the variants rank.
    if (tune::find_model(models, device) != nullptr)
      if (const auto ranks = session.rank_variants(problem)) known_ = tune::predict(models, device, problem, *ranks);
  }
  if (known_.all.empty()) return std::nullopt;
  return known_.time_of(variant.name, full_config(variant, {"", "", config}));
}

}  // namespace attnscope
