#include "engine/search/search.hpp"

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
  const tune::ConfigTrial* best = nullptr;
  for (const tune::ConfigTrial& t : out.tried)
    if (t.trial.outcome == Outcome::measured && !t.trial.dropped && t.trial.median_ns > 0 &&
        (best == nullptr || t.trial.median_ns < best->trial.median_ns))
      best = &t;
  if (best != nullptr) add(record_of(out, *best), false);
  const auto& untuned = out.request.untuned;
  for (const tune::ConfigTrial& t : out.tried)
    if (untuned && t.variant == untuned->variant && t.trial.config == untuned->config && t.trial.median_ns > 0 &&
        !t.trial.dropped)
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
      const Result<Plan> plan = make_plan(*variant, entry.problem, entry.config, device, compiler);
      if (auto passes = plan ? tune::describe_passes(*variant, *plan) : plan.error()) entry.passes = std::move(*passes);
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
      if (!contains(all, entry)) all.push_back(std::move(entry));
    }
  return tune::store_tuned(file, all, waiting);
}

std::string counts_text(const tune::TuneProgress& p) {
  std::string text = fmt::format("{} tried: {} measured", p.tried, p.measured);
  if (p.unsettled > 0) text += fmt::format(" ({} with the device's clock below its top)", p.unsettled);
  const auto add = [&](uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(p.dropped, "stopped early (clearly slower)");
  add(p.wrong, "wrong");
  add(p.broken, "broken");
  add(p.refused, "refused");
  if (p.reopened > 0) text += fmt::format("; {} tried again, since they were stopped by mistake", p.reopened);
  if (p.recalled > 0) text += fmt::format("; {} of them known from earlier searches", p.recalled);
  return text;
}

std::vector<std::string> in_vain(const tune::TuneProgress& p) {
  auto reasons = mapped(p.reasons, [](const auto& by_text) { return &by_text.second; });
  std::ranges::stable_sort(reasons, [](const auto* a, const auto* b) { return a->count > b->count; });
  return mapped(reasons, [](const auto* r) {
    return fmt::format("{} not measured{}: {}", r->count, r->count > 1 ? ", the first of them" : "",
                       r->example.substr(0, r->example.find('\n')));
  });
}

std::vector<Share> shares(const tune::TuneProgress& p) {
  const TrialsReport& s = p.spent;
  const double all = s.wall_ms + p.planning_ms;
  // While the first batch runs, only the planning is known.
  if (s.wall_ms <= 0) return {};
  const double other = s.wall_ms - s.measuring_ms - s.verifying_ms - s.waiting_ms - s.reference_ms;
  return {{"measuring", s.measuring_ms / all},
          {"verifying", s.verifying_ms / all},
          {"waiting for compiles", s.waiting_ms / all},
          {"the reference", s.reference_ms / all},
          {"choosing and planning", p.planning_ms / all},
          {"other", std::max(other, 0.0) / all}};
}

std::string shares_text(const tune::TuneProgress& p, double seconds) {
  std::string text = fmt::format("{:.1f} s", seconds);
  const char* before = "; of the search ";
  for (const Share& part : shares(p)) {
    text += fmt::format("{}{:.0f} % {}", before, 100 * part.share, part.name);
    before = ", ";
  }
  return text;
}

double seconds_left(const tune::TuneProgress& p, double spent, double budget_s) {
  double left = budget_s > 0 ? std::max(budget_s - spent, 0.0) : -1;
  const uint64_t here = p.tried - p.recalled, done = p.tried - p.refused;
  if (p.goal > 0 && here > 0 && done <= p.goal) {
    const double by_trials = spent / double(here) * double(p.goal - done);
    left = left < 0 ? by_trials : std::min(left, by_trials);
  }
  return left;
}

}  // namespace attnscope::search
