#include "engine/session/codec.hpp"

#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOfEach<VariantInfo, Inspection, RunRequest, TextRequest, ShaderText, SamplingBegan, ConfigChoice,
                           SpaceRequest, PrunedReason, RefusedConfig, SpaceBatch, VariantRank, TrialsRequest,
                           TrialsReport, RaceEntry, RaceRequest, Turns, RaceResult, Tiles, PlanShape, Neighbour,
                           NeighbourPlans, PeaksRequest, PeaksAnswer, CheckRequest, CheckResult, ErrorMapRequest,
                           ErrorElement, ErrorMap, ErrorMapAnswer>;

namespace {

/// An event's method, and what its message holds under which key: `part` of the event.
template <class E, class Part>
struct EventRow {
  using Type = E;
  std::string_view method;
  const char* key;
  Part part;
};
template <class E, class Part>
constexpr EventRow<E, Part> row(std::string_view method, const char* key, Part part) {
  return {method, key, part};
}
constexpr auto kWhole = [](auto& event) -> auto& { return event; };
constexpr std::tuple kEvents{row<Progress>(
                                 "progress", "stage", [](auto& e) -> auto& { return e.stage; }),
                             row<Verdict>("verdict", "verdict", kWhole),
                             row<SamplingBegan>("sampling", "sampling", kWhole),
                             row<SampleBatch>(
                                 "samples", "samples_ns", [](auto& e) -> auto& { return e.samples_ns; }),
                             row<ResourcesReady>(
                                 "resources", "resources", [](auto& e) -> auto& { return e.resources; }),
                             row<TrialBegan>(
                                 "trial_began", "index", [](auto& e) -> auto& { return e.index; }),
                             row<TrialDone>(
                                 "trial", "trial", [](auto& e) -> auto& { return e.trial; }),
                             row<Telemetry>("telemetry", "telemetry", kWhole)};

}  // namespace

EventMessage encode_event(const Event& event) {
  if (const auto* b = std::get_if<RunBegan>(&event)) return {"began", Json{{"record", *b->record}}};
  EventMessage message;
  const auto look = [&]<class Row>(const Row& row) {
    if (const auto* e = std::get_if<typename Row::Type>(&event))
      message = {std::string(row.method), Json{{row.key, encode(row.part(*e))}}};
  };
  std::apply([&](const auto&... rows) { (look(rows), ...); }, kEvents);
  return message;
}

std::optional<Result<Event>> decode_event(const std::string& method, const Json& params) {
  std::optional<Result<Event>> out;
  const auto look = [&]<class Row>(const Row& row) {
    if (method != row.method) return;
    typename Row::Type event;
    Fields(params).need(row.key, row.part(event));
    out = Event(std::move(event));
  };
  try {
    std::apply([&](const auto&... rows) { (look(rows), ...); }, kEvents);
    if (method == "began") {
      Record record;
      Fields(params).need("record", record);
      out = Event(RunBegan{std::make_shared<const Record>(std::move(record))});
    }
  } catch (const std::exception& e) {
    return bad_input(method + ": " + e.what());
  }
  return out;
}

}  // namespace attnscope
