// How news from the measuring thread changes the workbench.
#include <algorithm>

#include <fmt/format.h>

#include "app/gui/workbench.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kLogLines = 500;
constexpr size_t kTriedKept = 500;

}  // namespace

void Workbench::say(Level level, std::string text, double now) {
  if (!log.empty() && log.back().text == text && log.back().level == level) {
    log.back().at = now;
    return;
  }
  log.push_back({now, level, std::move(text)});
  if (log.size() > kLogLines) log.pop_front();
}

void Workbench::apply(const News& news, bool disturbed, double now) {
  now_ = now;
  disturbed_ = disturbed;
  summary_.reset();
  std::visit([this](const auto& item) { on(item); }, news);
}

void Workbench::on(const DevicesKnown& news) {
  std::erase_if(devices, [&](const DeviceEntry& d) { return d.worker == news.worker; });
  for (const DeviceInfo& info : news.devices) devices.push_back({news.worker, news.where, info});
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceEntry& a, const DeviceEntry& b) { return a.worker < b.worker; });
}

void Workbench::on(const DeviceOpened& news) {
  device = news.device;
  device_failure.clear();
  variants_known = false;
  checked_.clear();
  inspection.reset();
  say(Level::info, fmt::format("Opened {} ({}).", news.device.name, news.device.driver));
}

void Workbench::on(const VariantsKnown& news) {
  variants = news.variants;
  variants_known = true;
  variants_failure.clear();
  checked_.clear();
  inspection.reset();
  for (const VariantInfo& v : variants)
    if (!v.error.empty()) say(Level::error, fmt::format("{} did not load: {}", v.name, v.error));
  const VariantInfo* v = current_variant();
  if (!v && !variants.empty()) {
    if (!ask.variant.empty())
      say(Level::warning, fmt::format("There is no variant '{}'; showing another.", ask.variant));
    const auto runs = std::find_if(variants.begin(), variants.end(),
                                   [](const VariantInfo& c) { return c.error.empty() && c.why_not.empty(); });
    v = runs != variants.end() ? &*runs : &variants.front();
    ask.variant = v->name;
    ask.config.clear();
  }
  if (!v) return;
  // A config from settings, or from before a reload, keeps what still exists.
  Config config = default_config(*v);
  for (auto& [name, value] : config)
    if (const auto had = ask.config.find(name); had != ask.config.end()) value = had->second;
  ask.config = config;
  if (!wanted_config_.empty()) {
    if (auto wanted = parse_config(*v, wanted_config_)) {
      ask.config = *wanted;
      adopt_nearest_ = false;
    } else {
      say(Level::error, wanted.error().message);
    }
    wanted_config_.clear();
  }
  changed();
}

void Workbench::on(const VariantChecked& news) { checked_[news.variant] = {news.problem, news.why_not}; }

void Workbench::on(const Inspected& news) {
  inspection = news.inspection;
  inspected_ask = news.ask;
  const VariantInfo* v = current_variant();
  if (news.ask == ask && adopt_nearest_ && v && !news.inspection.suited.empty() && ask.config == default_config(*v)) {
    const auto suited = parse_config(*v, news.inspection.suited);
    if (suited && *suited != ask.config) {
      ask.config = *suited;
      follows_problem_ = true;
      changed();
      return;
    }
  }
  if (news.ask != ask || news.inspection.why_not.empty() || news.inspection.nearest.empty() || !adopt_nearest_) return;
  adopt_nearest_ = false;
  say(Level::info, fmt::format("{} with {} cannot run here, so the nearest legal config was taken: {}. {}", ask.variant,
                               attnscope::to_text(ask.config), attnscope::to_text(news.inspection.nearest),
                               news.inspection.why_not));
  ask.config = news.inspection.nearest;
  changed();
}

void Workbench::on(const RunStarted& news) {
  // The same config after a pause or a job: its samples go on.
  const bool goes_on = live.ask == news.ask && live.failure.empty() && live.cache == cache && live.launch == launch;
  if (!goes_on) live = {};
  live.ask = news.ask;
  live.cache = cache;
  live.launch = launch;
  live.stage = "start";
}

void Workbench::on(const RunEvent& news) {
  if (const auto* progress = std::get_if<Progress>(&news.event)) live.stage = progress->stage;
  if (const auto* resources = std::get_if<ResourcesReady>(&news.event)) live.resources = resources->resources;
  if (const auto* batch = std::get_if<SampleBatch>(&news.event)) {
    if (disturbed_) live.series.add_disturbed(batch->samples_ns.size());
    else live.series.add(batch->samples_ns);
  }
  if (const auto* verdict = std::get_if<Verdict>(&news.event)) {
    live.verdict = *verdict;
    if (!verdict->pass) say(Level::error, fmt::format("{}: wrong results. {}", to_text(news.ask), verdict->reason));
  }
}

void Workbench::on(const RunEnded& news) {
  live.stage.clear();
  const Outcome outcome = news.record.outcome;
  if (outcome == Outcome::error || outcome == Outcome::refused) {
    live.failure = news.record.message.empty() ? "The run ended without a reason." : news.record.message;
    say(Level::error, fmt::format("{}: {}", to_text(news.ask), live.failure));
  }
  live.record = news.record;
  if (!live.verdict) live.verdict = news.record.verdict;
  if (live.verdict || !live.failure.empty()) note_tried(live_record());
}

void Workbench::note_tried(const Record& record) {
  const auto same = std::find_if(tried.begin(), tried.end(), [&](const Tried& t) {
    return t.record.problem == record.problem && t.record.variant == record.variant && t.record.config == record.config;
  });
  // Tried again: the newer numbers, in the old place.
  if (same != tried.end()) same->record = record;
  else tried.push_back({record, false});
  if (tried.size() > kTriedKept) tried.erase(tried.begin());
  for (Tried& t : tried) {
    const auto ranked = [](const Record& r) { return r.outcome == Outcome::measured && r.statistics; };
    t.best = ranked(t.record) && std::none_of(tried.begin(), tried.end(), [&](const Tried& other) {
      return ranked(other.record) && other.record.problem == t.record.problem &&
             other.record.statistics->median < t.record.statistics->median;
    });
  }
}

void Workbench::on(const JobStep& news) {
  if (news.record) {
    results.push_back(*news.record);
    note_tried(*news.record);
    if (news.record->outcome != Outcome::measured)
      say(Level::warning, fmt::format("{}  {}  {}: {}", news.record->variant, attnscope::to_text(news.record->problem),
                                      attnscope::to_text(news.record->config), news.record->message));
  }
  if (job.id != news.id) return;
  job.done = news.done;
  job.current = news.current;
  if (!news.current && !news.record) job.running = false;
}

void Workbench::on(const Failed& news) {
  if (news.what == "open" && device_remembered) {
    device_remembered = false;
    say(Level::warning, fmt::format("The device used last is not there ({}); the default one is taken.", news.error.message));
    return set_device(0, "");
  }
  if (news.what == "open" || news.what == "devices") device_failure = news.error.message;
  if (news.what == "variants") variants_failure = news.error.message;
  if (news.ask && *news.ask == ask) {
    live = {};
    live.ask = ask;
    live.failure = news.error.message;
  }
  say(Level::error, news.ask ? fmt::format("{}: {}", to_text(*news.ask), news.error.message) : news.error.message);
}

void Workbench::on(const Note& news) { say(Level::info, news.text); }

}  // namespace attnscope::gui
