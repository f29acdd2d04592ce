#include "engine/session/rpc.hpp"
#include "engine/session/fields_session.hpp"
#include "tests/record/field_round_trip.hpp"

namespace attnscope::rpc_test {

TEST(Rpc, RequestsAndTheKindsOfErrorsSurviveTheLine) {
  const auto request = must(parse_rpc(rpc_request(7, "open", Json{{"selector", "cpu"}})));
  EXPECT_FALSE(request->reply);
  EXPECT_EQ(std::tuple(request->id, request->method, request->params.at("selector")), std::tuple(7, "open", "cpu"));
  for (const ErrorKind kind : {ErrorKind::bad_input, ErrorKind::unsupported, ErrorKind::device_lost,
                               ErrorKind::out_of_memory, ErrorKind::cancelled, ErrorKind::internal}) {
    const auto message = must(parse_rpc(rpc_error(3, {kind, "why"})));
    EXPECT_TRUE(fails(*must(message->reply), kind));
    EXPECT_EQ(message->reply->error().message, "why");
  }
  const auto foreign =
      must(parse_rpc(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}})"));
  EXPECT_TRUE(fails(*must(foreign->reply), ErrorKind::internal, "no such method"));
}

TEST(Rpc, WhatIsWrongWithARequestIsSaidUnderItsId) {
  struct Case {
    const char* line;
    std::optional<int64_t> id;
    int code;
  };
  for (const auto& [line, id, code] :
       std::vector<Case>{{R"({"jsonrpc":"2.0","id":7,"method":"open","params":[1]})", 7, kRpcInvalidParams},
                         {R"({"jsonrpc":"1.0","id":8,"method":"open"})", 8, kRpcInvalidRequest},
                         {R"({"jsonrpc":"2.0","id":9,"method":5})", 9, kRpcInvalidRequest},
                         {"{\"jsonrpc\":", {}, kRpcParseError},
                         {"[]", {}, kRpcInvalidRequest},
                         {R"({"jsonrpc":"2.0"})", {}, kRpcInvalidRequest},
                         {R"({"jsonrpc":"2.0","id":"a","method":"open"})", {}, kRpcInvalidRequest},
                         // 2^64 - 1 is no id of ours, and least of all -1.
                         {R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"open"})", {}, kRpcInvalidRequest}}) {
    RpcFault fault;
    EXPECT_NE(refusal(parse_rpc(line, &fault)), "") << line;
    EXPECT_EQ(fault.id, id) << line;
    EXPECT_EQ(fault.code, code) << line;
  }
}

TEST(Requests, ThatAskForTheImpossibleAreRefused) {
  RunRequest request;
  EXPECT_TRUE(check_request(request));
  request.protocol.max_ms = -1;
  EXPECT_FALSE(check_request(request));
  request.protocol = {};
  request.batch_ms = 0;
  EXPECT_FALSE(check_request(request));
}

TEST(Codec, EventsSurvive) {
  const Verdict verdict{.max_abs = 1.25e-4, .worst = Verdict::Worst{0, 1, 2, 3, 0.5, 0.25}};
  const Resources resources{.registers = 255};
  const std::vector<Event> events{Progress{"verify"}, verdict, SampleBatch{{1.5, 2.25}}, ResourcesReady{resources},
                                  Telemetry{"NVML", 2, 80, 412.5, 0.002, 1755, 2619, 61, {{"power", 0.5}}}};
  for (const Event& event : events) {
    const EventMessage message = encode_event(event);
    const auto back = decode_event(message.method, message.params);
    ASSERT_TRUE(back && *back) << message.method;
    EXPECT_EQ((*back)->index(), event.index());
    EXPECT_EQ(encode_event(**back).params.dump(), message.params.dump());
  }
  EXPECT_FALSE(decode_event("heartbeat", Json::object()));
  EXPECT_TRUE(decode_event("samples", Json{{"samples_ns", "many"}}));
  EXPECT_FALSE(*decode_event("samples", Json{{"samples_ns", "many"}}));
}

TEST(SessionFields, Travel) {
  expect_all_travel<VariantInfo, Inspection, RunRequest, ConfigChoice, SpaceRequest, PrunedReason, RefusedConfig,
                    SpaceBatch, TrialsRequest, Trial, TrialsReport, RaceEntry, RaceRequest, Turns, RaceResult, Tiles,
                    PlanShape, Neighbour, NeighbourPlans, PeaksRequest, PeaksAnswer, CheckRequest, CheckResult,
                    ErrorMapRequest, ErrorElement, ErrorMap, ErrorMapAnswer>();
}

}  // namespace attnscope::rpc_test
