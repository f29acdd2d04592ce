#include "engine/session/rpc.hpp"

#include "engine/record/json_of.hpp"

namespace attnscope {
namespace {

Result<Json> read_reply(const Json& message) {
  if (message.contains("result")) return message.at("result");
  const Json& error = message.at("error");
  Error out = internal_error("the other side reported an error without a message");
  if (error.is_object()) {
    if (const auto text = error.find("message"); text != error.end() && text->is_string())
      out.message = text->get<std::string>();
    if (const auto data = error.find("data"); data != error.end() && data->is_object()) {
      // Kind by name where it is one of ours; any other program's error is internal to it.
      const Json typed = Json::array({Json{{"kind", data->value("kind", Json("internal"))}, {"message", out.message}}});
      if (Result<std::vector<Error>> errors = decode<std::vector<Error>>(typed, "error")) out = errors->front();
    }
  }
  return out;
}

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
constexpr std::tuple kEvents{row<Progress>("progress", "stage", &Progress::stage),
                             row<Verdict>("verdict", "verdict", kWhole),
                             row<SamplingBegan>("sampling", "sampling", kWhole),
                             row<SampleBatch>("samples", "samples_ns", &SampleBatch::samples_ns),
                             row<ResourcesReady>("resources", "resources", &ResourcesReady::resources),
                             row<TrialBegan>("trial_began", "index", &TrialBegan::index),
                             row<TrialDone>("trial", "trial", &TrialDone::trial),
                             row<Telemetry>("telemetry", "telemetry", kWhole)};

}  // namespace

int rpc_code(ErrorKind kind) {
  constexpr int codes[] = {-32001, -32002, -32003, -32004, -32005, -32603};
  return codes[size_t(kind)];
}

std::string rpc_request(int64_t id, std::string_view method, const Json& params) {
  return dump_line(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string rpc_notification(std::string_view method, const Json& params) {
  return dump_line(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::string rpc_result(int64_t id, const Json& result) {
  return dump_line(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string rpc_error(std::optional<int64_t> id, const Error& error, int code) {
  return dump_line(Json{{"jsonrpc", "2.0"},
                        {"id", id ? Json(*id) : Json(nullptr)},
                        {"error", Json{{"code", code != 0 ? code : rpc_code(error.kind)},
                                       {"message", error.message},
                                       {"data", Json{{"kind", encode(error).at("kind")}}}}}});
}

std::optional<int64_t> rpc_id(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && !std::in_range<int64_t>(json.get<uint64_t>())) return std::nullopt;
  return json.get<int64_t>();
}

Result<RpcMessage> parse_rpc(std::string_view line, RpcFault* fault) {
  RpcMessage out;
  const auto refuse = [&](Error error, int code) {
    if (fault != nullptr) *fault = {error, code, out.id};
    return error;
  };
  const auto invalid = [&](const char* message) { return refuse(bad_input(message), kRpcInvalidRequest); };
  Result<Json> json = parse_json(line, "message");
  if (!json) return refuse(json.error(), kRpcParseError);
  if (!json->is_object()) return invalid("a message has to be a JSON object");
  const Json& m = *json;
  const auto id = m.find("id");
  if (id != m.end()) out.id = rpc_id(*id);
  if (m.value("jsonrpc", Json()) != "2.0") return invalid("a message has to say \"jsonrpc\": \"2.0\"");
  if (id != m.end() && !id->is_null() && !out.id) return invalid("\"id\" has to be an integer of 64 bits");
  if (const auto method = m.find("method"); method != m.end()) {
    if (!method->is_string()) return invalid("\"method\" has to be a string");
    out.method = method->get<std::string>();
    if (const auto params = m.find("params"); params != m.end()) {
      if (!params->is_object()) return refuse(bad_input("\"params\" has to be an object"), kRpcInvalidParams);
      out.params = *params;
    }
    return out;
  }
  if (!m.contains("result") && !m.contains("error"))
    return invalid("a message has to have a \"method\", a \"result\" or an \"error\"");
  out.reply = read_reply(m);
  return out;
}

void LineSplitter::add(std::string_view bytes) {
  // Once for all lines taken: one at a time, many short lines would each move all the others.
  buffer_.erase(0, taken_);
  scanned_ -= taken_;
  taken_ = 0;
  buffer_.append(bytes);
}

bool LineSplitter::next(std::string& line) {
  const size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line.assign(buffer_, taken_, end - taken_);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  taken_ = scanned_ = end + 1;
  return true;
}

std::string LineSplitter::take_rest() {
  std::string rest = buffer_.substr(taken_);
  buffer_.clear();
  taken_ = scanned_ = 0;
  return rest;
}

Result<void> LineWriter::write(std::string_view line, double timeout_s) {
  const std::lock_guard lock(mutex_);
  std::string text(line);
  text += '\n';
  size_t done = 0;
  const int failed = write_within(fd_, text, timeout_s, done);
  if (failed == ETIMEDOUT)
    return internal_error("the other side read {} of {} bytes in {:.1f} s and then no more", done, text.size(),
                          timeout_s);
  if (failed != 0) return device_lost("cannot write to the other side: {}", std::strerror(failed));
  return {};
}

template struct JsonOfEach<VariantInfo, Inspection, RunRequest, TextRequest, ShaderText, SamplingBegan, ConfigChoice,
                           SpaceRequest, PrunedReason, RefusedConfig, SpaceBatch, VariantRank, TrialsRequest,
                           TrialsReport, RaceEntry, RaceRequest, Turns, RaceResult, Tiles, PlanShape, Neighbour,
                           NeighbourPlans, PeaksRequest, PeaksAnswer, CheckRequest, CheckResult, ErrorMapRequest,
                           ErrorElement, ErrorMap, ErrorMapAnswer>;

EventMessage encode_event(const Event& event) {
  if (const auto* b = std::get_if<RunBegan>(&event)) return {"began", Json{{"record", *b->record}}};
  EventMessage message;
  const auto look = [&]<class Row>(const Row& row) {
    if (const auto* e = std::get_if<typename Row::Type>(&event))
      message = {std::string(row.method), Json{{row.key, encode(std::invoke(row.part, *e))}}};
  };
  std::apply([&](const auto&... rows) { (look(rows), ...); }, kEvents);
  return message;
}

std::optional<Result<Event>> decode_event(const std::string& method, const Json& params) {
  std::optional<Result<Event>> out;
  const auto look = [&]<class Row>(const Row& row) {
    if (method != row.method) return;
    typename Row::Type event;
    Fields(params).need(row.key, std::invoke(row.part, event));
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
