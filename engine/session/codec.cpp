#include "engine/session/codec.hpp"

#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOf<VariantInfo>;
template struct JsonOf<Inspection>;
template struct JsonOf<RunRequest>;
template struct JsonOf<SamplingBegan>;
template struct JsonOf<ConfigChoice>;
template struct JsonOf<SpaceRequest>;
template struct JsonOf<PrunedReason>;
template struct JsonOf<RefusedConfig>;
template struct JsonOf<SpaceBatch>;
template struct JsonOf<VariantRank>;
template struct JsonOf<TrialsRequest>;
template struct JsonOf<Trial>;
template struct JsonOf<TrialsReport>;
template struct JsonOf<RaceEntry>;
template struct JsonOf<RaceRequest>;
template struct JsonOf<Turns>;
template struct JsonOf<RaceResult>;
template struct JsonOf<Tiles>;
template struct JsonOf<PlanShape>;
template struct JsonOf<Neighbour>;
template struct JsonOf<Surroundings>;
template struct JsonOf<PeaksRequest>;
template struct JsonOf<PeaksAnswer>;

namespace {

constexpr std::string_view kLoad = "load ";

}  // namespace

std::string load_stage(const std::string& variant) { return std::string(kLoad) + variant; }

std::optional<std::string> loading_in(const std::string& stage) {
  return stage.starts_with(kLoad) ? std::optional(stage.substr(kLoad.size())) : std::nullopt;
}

EventMessage encode_event(const Event& event) {
  if (const auto* p = std::get_if<Progress>(&event)) return {"progress", Json{{"stage", p->stage}}};
  if (const auto* b = std::get_if<RunBegan>(&event)) return {"began", Json{{"record", *b->record}}};
  if (const auto* v = std::get_if<Verdict>(&event)) return {"verdict", Json{{"verdict", *v}}};
  if (const auto* s = std::get_if<SamplingBegan>(&event)) return {"sampling", Json{{"sampling", encode(*s)}}};
  if (const auto* s = std::get_if<SampleBatch>(&event))
    return {"samples", Json{{"samples_ns", write_json(s->samples_ns)}}};
  if (const auto* t = std::get_if<TrialBegan>(&event)) return {"trial_began", Json{{"index", t->index}}};
  if (const auto* t = std::get_if<TrialDone>(&event)) return {"trial", Json{{"trial", encode(t->trial)}}};
  return {"resources", Json{{"resources", std::get<ResourcesReady>(event).resources}}};
}

std::optional<Result<Event>> decode_event(const std::string& method, const Json& params) {
  try {
    if (method == "progress") {
      Progress p;
      Fields(params).need("stage", p.stage);
      return Result<Event>(Event(std::move(p)));
    }
    if (method == "began") {
      auto record = std::make_shared<Record>();
      Fields(params).need("record", *record);
      return Result<Event>(Event(RunBegan{std::move(record)}));
    }
    if (method == "verdict") {
      Verdict v;
      Fields(params).need("verdict", v);
      return Result<Event>(Event(std::move(v)));
    }
    if (method == "sampling") {
      SamplingBegan s;
      Fields(params).need("sampling", s);
      return Result<Event>(Event(s));
    }
    if (method == "samples") {
      SampleBatch s;
      Fields(params).need("samples_ns", s.samples_ns);
      return Result<Event>(Event(std::move(s)));
    }
    if (method == "resources") {
      ResourcesReady r;
      Fields(params).need("resources", r.resources);
      return Result<Event>(Event(std::move(r)));
    }
    if (method == "trial_began") {
      TrialBegan t;
      Fields(params).need("index", t.index);
      return Result<Event>(Event(t));
    }
    if (method == "trial") {
      TrialDone t;
      Fields(params).need("trial", t.trial);
      return Result<Event>(Event(std::move(t)));
    }
  } catch (const std::exception& e) {
    return Result<Event>(bad_input(method + ": " + e.what()));
  }
  return std::nullopt;
}

}  // namespace attnscope
