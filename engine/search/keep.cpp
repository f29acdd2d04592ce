#include "engine/search/keep.hpp"

namespace attnscope::search {
namespace {

/// By the turns of the race.
bool called_faster(const tune::TuneResult& r, size_t i) {
  return i >= r.words.size() || r.words[i].relation == Relation::faster;
}

}  // namespace

bool keeps_current(const SearchOutcome& out) {
  return out.result.winner && out.result.baseline && !called_faster(out.result, 0);
}

std::vector<tune::TunedEntry> tuned_entries(const SearchOutcome& out) {
  std::vector<tune::TunedEntry> entries;
  const auto add = [&](const Record& record, bool raced) {
    if (std::ranges::any_of(entries, [&](const auto& e) { return e.variant == record.variant; })) return;
    entries.push_back(tune::tuned_entry(record, raced, out.progress.tried));
  };
  const auto beside = [&](const std::string& variant, const Config& config, double ns) {
    for (tune::TunedEntry& entry : entries) {
      entry.default_ns = ns;
      entry.default_variant = variant;
      entry.default_config = config;
    }
  };
  const auto& b = out.result.baseline;
  if (keeps_current(out) && out.variants.contains(b->variant)) add(*b, true);
  for (size_t i = 0; i < out.result.raced.size(); ++i) {
    const Record& record = out.result.raced[i];
    const size_t before = entries.size();
    const bool faster = called_faster(out.result, i), of_current = b && record.variant == b->variant;
    add(!faster && of_current ? *b : record, true);
    if (entries.size() > before) entries.back().too_close = !faster && !of_current;
  }
  if (!entries.empty()) {
    if (b) beside(b->variant, b->config, b->statistics->median);
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
                                            std::span<const tune::TunedEntry> entries,
                                            std::span<const SearchDevice> places, const Waiting& waiting) {
  if (file.empty())
    return bad_input("There is no folder to keep the result in: neither XDG_DATA_HOME nor HOME is set.");
  std::vector<tune::TunedEntry> all;
  for (const SearchDevice& place : places)
    for (tune::TunedEntry entry : entries) {
      entry.device_uuid = place.device.device_uuid;
      if (std::ranges::find(all, entry) == all.end()) all.push_back(std::move(entry));
    }
  return tune::store_tuned(file, all, waiting);
}

}  // namespace attnscope::search
