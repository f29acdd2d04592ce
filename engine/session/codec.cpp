#include "engine/session/codec.hpp"

#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOf<VariantInfo>;
template struct JsonOf<Inspection>;
template struct JsonOf<RunRequest>;
template struct JsonOf<TextRequest>;
template struct JsonOf<ShaderText>;
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
template struct JsonOf<NeighbourPlans>;
template struct JsonOf<PeaksRequest>;
template struct JsonOf<PeaksAnswer>;
template struct JsonOf<TraceSpan>;
template struct JsonOf<TraceSpans>;
template struct JsonOf<CheckRequest>;
template struct JsonOf<CheckResult>;

namespace {

constexpr std::string_view kLoad = "load ";

template <class T>
T needed(const Json& params, const char* key) {
  T value;
  Fields(params).need(key, value);
  return value;
}
template <class T, class Value>
Event event_of(const Json& params, const char* key, Value T::*member) {
  T event;
  event.*member = needed<Value>(params, key);
  return event;
}

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
  if (const auto* t = std::get_if<TraceSpans>(&event)) return {"trace", Json{{"trace", encode(*t)}}};
  if (const auto* t = std::get_if<Telemetry>(&event)) return {"telemetry", Json{{"telemetry", encode(*t)}}};
  return {"resources", Json{{"resources", std::get<ResourcesReady>(event).resources}}};
}

std::optional<Result<Event>> decode_event(const std::string& method, const Json& params) {
  try {
    if (method == "progress") return event_of(params, "stage", &Progress::stage);
    if (method == "samples") return event_of(params, "samples_ns", &SampleBatch::samples_ns);
    if (method == "resources") return event_of(params, "resources", &ResourcesReady::resources);
    if (method == "trial_began") return event_of(params, "index", &TrialBegan::index);
    if (method == "trial") return event_of(params, "trial", &TrialDone::trial);
    if (method == "trace") return Event(needed<TraceSpans>(params, "trace"));
    if (method == "telemetry") return Event(needed<Telemetry>(params, "telemetry"));
    if (method == "verdict") return Event(needed<Verdict>(params, "verdict"));
    if (method == "sampling") return Event(needed<SamplingBegan>(params, "sampling"));
    if (method == "began") return Event(RunBegan{std::make_shared<Record>(needed<Record>(params, "record"))});
  } catch (const std::exception& e) {
    return bad_input(method + ": " + e.what());
  }
  return std::nullopt;
}

template struct JsonOf<ErrorMapRequest>;
template struct JsonOf<ErrorElement>;
template struct JsonOf<ErrorMap>;
template struct JsonOf<ErrorMapAnswer>;

}  // namespace attnscope
