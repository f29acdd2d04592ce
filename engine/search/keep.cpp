#include "engine/search/keep.hpp"

#include <algorithm>

#include "engine/tune/passes.hpp"

namespace attnscope::search {

std::vector<tune::TunedEntry> tuned_entries(const SearchOutcome& out) {
  std::vector<tune::TunedEntry> entries;
  const auto add = [&](const Record& record, bool raced) {
    if (std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.variant == record.variant; })) return;
    entries.push_back(tune::tuned_entry(record, raced, out.progress.tried));
  };
  const auto beside = [&](const std::string& variant, const Config& config, double ns) {
    for (tune::TunedEntry& entry : entries) {
      entry.default_ns = ns;
      entry.default_variant = variant;
      entry.default_config = config;
    }
  };
  for (const Record& record : out.result.raced) add(record, true);
  if (!entries.empty()) {
    if (const auto& b = out.result.baseline) beside(b->variant, b->config, b->statistics->median);
    return entries;
  }
  const tune::TriedConfig* best = nullptr;
  for (const tune::TriedConfig& t : out.tried)
    if (t.trial.outcome == Outcome::measured && !t.trial.dropped && t.trial.median_ns > 0 &&
        (best == nullptr || t.trial.median_ns < best->trial.median_ns))
      best = &t;
  if (best != nullptr) add(record_of(out, *best), false);
  const auto& untuned = out.request.untuned;
  for (const tune::TriedConfig& t : out.tried)
    if (untuned && t.variant == untuned->variant && t.trial.config == untuned->config && t.trial.median_ns > 0)
      beside(t.variant, t.trial.config, t.trial.median_ns);
  return entries;
}

void add_passes(std::vector<tune::TunedEntry>& entries, std::span<const VariantSource> sources,
                const std::string& cache_dir, const DeviceInfo& device) {
  Compiler compiler(cache_dir);
  for (tune::TunedEntry& entry : entries)
    for (const VariantSource& source : sources) {
      if (source.name != entry.variant) continue;
      const Result<Variant> variant = load_variant(source, compiler);
      if (!variant || variant->hash != entry.shader_hash) continue;
      if (auto passes = tune::describe_passes(*variant, entry.problem, entry.config, device, compiler))
        entry.passes = std::move(*passes);
    }
}

Result<std::vector<std::string>> keep_tuned(const std::filesystem::path& file,
                                            std::span<const tune::TunedEntry> entries, std::span<const Place> places) {
  if (file.empty()) return bad_input("There is no folder of yours to keep the result in (XDG_DATA_HOME, HOME).");
  std::vector<tune::TunedEntry> all;
  for (const Place& place : places)
    for (tune::TunedEntry entry : entries) {
      entry.device_uuid = place.device.device_uuid;
      if (std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(std::move(entry));
    }
  return tune::store_tuned(file, all);
}

}  // namespace attnscope::search
