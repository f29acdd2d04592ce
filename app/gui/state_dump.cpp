#include "app/gui/state_dump.hpp"

#include <nlohmann/json.hpp>

#include "engine/record/json.hpp"

namespace attnscope::gui {
namespace {

const char* word(Level level) {
  switch (level) {
    case Level::good: return "good";
    case Level::warning: return "warning";
    case Level::error: return "error";
    default: return "info";
  }
}

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::measured: return "measured";
    case Outcome::verified: return "verified";
    case Outcome::failed_verdict: return "failed_verdict";
    case Outcome::refused: return "refused";
    case Outcome::cancelled: return "cancelled";
    default: return "error";
  }
}

Json ask_json(const Ask& ask) {
  return {{"problem", to_text(ask.problem)}, {"variant", ask.variant}, {"config", ask.config},
          {"config_text", attnscope::to_text(ask.config)}};
}

/// A record without its samples: the state is for reading.
Json brief(const Record& r) {
  Json j = {{"problem", to_text(r.problem)}, {"variant", r.variant},     {"config", r.config},
            {"outcome", word(r.outcome)},    {"message", r.message},     {"samples", r.samples_ns.size()},
            {"tflops", r.tflops},            {"gbps", r.gbps},
            {"moved_bytes", r.bytes + r.extra_bytes}, {"scratch_bytes", r.scratch_bytes}};
  if (r.statistics) j["statistics"] = *r.statistics;
  if (r.verdict) j["verdict"] = *r.verdict;
  return j;
}

Json inspection_json(const Inspection& i) {
  Json choices = Json::object();
  for (const ParameterChoices& c : i.choices) choices[c.name] = c.why_not;
  return {{"why_not", i.why_not},           {"choices", choices},
          {"nearest", i.nearest},           {"shared_bytes", i.shared_bytes},
          {"private_bytes", i.private_bytes}, {"scratch_bytes", i.scratch_bytes},
          {"grids", i.grids},               {"local_sizes", i.local_sizes},
          {"flops", i.flops},               {"bytes", i.bytes},
          {"extra_bytes", i.extra_bytes}};
}

Json live_json(const Workbench& bench) {
  const Live& live = bench.live;
  Json j = ask_json(live.ask);
  j["current"] = bench.live_is_current();
  j["stage"] = live.stage;
  j["failure"] = live.failure;
  j["samples"] = live.series.taken();
  j["disturbed"] = live.series.disturbed();
  j["drifting"] = live.series.drifting();
  if (live.verdict) j["verdict"] = *live.verdict;
  if (live.resources) j["resources"] = *live.resources;
  if (live.series.statistics()) j["statistics"] = *live.series.statistics();
  return j;
}

Json lists(const Workbench& bench) {
  Json j = {{"devices", Json::array()}, {"variants", Json::array()}, {"pins", Json::array()},
            {"bar_problems", Json::array()}, {"results", Json::array()}, {"tried", Json::array()}, {"log", Json::array()}};
  for (const DeviceEntry& d : bench.devices)
    j["devices"].push_back({{"worker", d.worker}, {"index", d.info.index}, {"name", d.info.name}, {"unsuitable", d.info.unsuitable}});
  for (const VariantInfo& v : bench.variants)
    j["variants"].push_back({{"name", v.name}, {"why_not", bench.why_not(v.name)}, {"error", v.error}});
  for (const Pin& p : bench.pins) {
    Json pin = brief(p.record);
    pin["id"] = p.id;
    pin["shown"] = p.shown;
    j["pins"].push_back(pin);
  }
  for (const Problem& p : bench.bar_problems) j["bar_problems"].push_back(to_text(p));
  for (const Record& r : bench.results) j["results"].push_back(brief(r));
  for (const Tried& t : bench.tried) {
    Json tried = brief(t.record);
    tried["best"] = t.best;
    j["tried"].push_back(tried);
  }
  for (const LogLine& line : bench.log) j["log"].push_back({{"at", line.at}, {"level", word(line.level)}, {"text", line.text}});
  return j;
}

}  // namespace

std::string dump_state(const Workbench& bench, const Layout& layout, const std::map<std::string, WidgetRect>& widgets,
                       const Pacing& pacing, const DumpFacts& facts, double now) {
  Json j;
  j["version"] = ATTNSCOPE_VERSION;
  j["seconds"] = now;
  j["window"] = {{"width", facts.width}, {"height", facts.height}, {"scale", facts.scale}, {"renderer", facts.renderer}};
  j["frames"] = {{"count", pacing.frames()},     {"fps", pacing.fps(now)},         {"last_ms", pacing.last_ms()},
                 {"mean_ms", pacing.mean_ms()},  {"min_ms", pacing.min_ms()},      {"max_ms", pacing.max_ms()},
                 {"max_gap_ms", pacing.max_gap_ms()}, {"seconds", pacing.counted_s(now)}, {"mean_fps", pacing.mean_fps(now)}};
  j["validation"] = facts.validation;
  if (bench.device) j["device"] = *bench.device;
  j["device_failure"] = bench.device_failure;
  j["ask"] = ask_json(bench.ask);
  j["paused"] = bench.paused;
  j["quiet"] = bench.quiet();
  j["metric"] = bench.metric == Metric::time ? "time" : bench.metric == Metric::tflops ? "tflops" : "gbps";
  j["cache"] = to_text(bench.cache);
  j["launch"] = to_text(bench.launch);
  j["tab"] = layout.tab;
  j["variants_known"] = bench.variants_known;
  if (const Inspection* i = bench.current_inspection()) j["inspection"] = inspection_json(*i);
  j["live"] = live_json(bench);
  j["job"] = {{"running", bench.job.running}, {"done", bench.job.done}, {"total", bench.job.total}};
  j["can_undo"] = bench.history.can_undo();
  j["can_redo"] = bench.history.can_redo();
  j.update(lists(bench));
  for (const auto& [id, r] : widgets)
    j["widgets"][id] = {{"x", r.x0}, {"y", r.y0}, {"w", r.x1 - r.x0}, {"h", r.y1 - r.y0}, {"enabled", r.enabled}, {"visible", r.visible}};
  return dump_pretty(j) + "\n";
}

}  // namespace attnscope::gui
