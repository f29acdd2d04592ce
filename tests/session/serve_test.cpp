// The protocol as lines, and the worker's side of it over real pipes, without a device.
#include <poll.h>
#include <future>

#include "engine/session/rpc.hpp"
#include "tests/record/field_round_trip.hpp"

namespace attnscope::serve_test {

/// A Session without a device: its runs end when cancelled, after some batches, or never.
struct FakeSession final : Session {
  std::string machine() override { return "this running machine"; }
  static DeviceInfo device() { return {.name = "fake"}; }
  Result<std::vector<DeviceInfo>> devices() override { return std::vector{device()}; }
  Result<DeviceInfo> open(const std::string& selector) override {
    if (selector == "99") return bad_input("there is no device 99; there is: 0 fake");
    // Long enough for whatever does not wait for it.
    if (selector == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return device();
  }
  /// "endless" is inspected until the test lets it end.
  std::atomic<bool> inspection_may_end{false}, inspecting{false};
  Result<Inspection> inspect(const Problem&, const std::string& variant, const Config& config) override {
    inspecting = true;
    while (variant == "endless" && !inspection_may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (variant != "row") return bad_input("There is no variant '" + variant + "'.");
    return Inspection{.nearest = config};
  }
  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    return std::vector<VariantRank>{{"row", double(problem.seq_q), ""}, {"other", 9, "it takes pages alone"}};
  }
  /// "endless" plans until cancelled.
  Result<SpaceBatch> plan_space(const Problem&, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    SpaceBatch batch{.size = 100, .first = request.first, .next = request.first + 1, .legal = {{{"A", 5}}}};
    while (variant == "endless" && !cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (cancel) return batch;
    batch.next = 100;
    batch.done = true;
    return batch;
  }
  /// "endless" samples until cancelled; "row" gives three batches.
  Result<Record> run(const RunRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    Record record{.problem = request.problem, .variant = request.variant, .config = request.config};
    sink(Progress{"compile"});
    sink(Progress{"sample"});
    for (int i = 0; request.variant == "endless" || i < 3; ++i) {
      if (cancel) {
        record.outcome = Outcome::cancelled;
        break;
      }
      record.samples_ns.push_back(1000.0 + i);
      sink(SampleBatch{{1000.0 + i}});
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return record;
  }
};

struct ServeTest : testing::Test {
  ServeTest() {
    std::array<int, 2> in{}, out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    server_in_ = Fd(in[0]), to_ = Fd(in[1]), from_ = Fd(out[0]), server_out_ = Fd(out[1]);
    abandon_ = [this] { abandoned_ = true; };
    served_ = std::async(std::launch::async,
                         [this] { return serve(session_, server_in_.get(), server_out_.get(), abandon_); });
  }
  ~ServeTest() override {
    to_.reset();
    from_.reset();
  }

  void say(const std::string& line) { ASSERT_TRUE(LineWriter(to_.get()).write(line)); }
  /// The next line; fails the test after two minutes.
  std::string hear_line() {
    std::string line;
    std::array<char, 4096> bytes{};
    while (!lines_.next(line)) {
      pollfd p{from_.get(), POLLIN, 0};
      if (::poll(&p, 1, 120'000) != 1) {
        ADD_FAILURE() << "the server says nothing";
        return {};
      }
      const ssize_t n = ::read(from_.get(), bytes.data(), bytes.size());
      if (n <= 0) {
        ADD_FAILURE() << "the server closed its output";
        return {};
      }
      lines_.add({bytes.data(), static_cast<size_t>(n)});
    }
    return line;
  }
  RpcMessage hear() {
    const std::string line = hear_line();
    if (line.empty()) return {};
    auto message = parse_rpc(line);
    EXPECT_TRUE(message) << line;
    return message ? *message : RpcMessage{};
  }
  RpcMessage hear_no_heartbeat() {
    RpcMessage m = hear();
    while (!HasFailure() && m.method == "heartbeat") m = hear();
    return m;
  }
  /// As soon as a run sends samples.
  void hear_samples() {
    while (hear().method != "samples") ASSERT_FALSE(HasFailure());
  }
  RpcMessage hear_reply(int64_t id) {
    for (int i = 0; i < 100000; ++i) {
      RpcMessage m = hear();
      if (HasFailure() || (m.reply && m.id == id)) return m;
    }
    return {};
  }
  Json answer(int64_t id) {
    const RpcMessage m = hear_reply(id);
    return *must(*must(m.reply));
  }
  Json ask(int64_t id, const char* method, const Json& params) {
    say(rpc_request(id, method, params));
    return answer(id);
  }
  testing::AssertionResult refuses(int64_t id, const char* method, const Json& params, const char* why) {
    say(rpc_request(id, method, params));
    return fails(*must(hear_reply(id).reply), why);
  }
  /// Number 1, until it sends samples.
  void begin_endless_run() {
    say(rpc_request(1, "run", run_params("endless")));
    hear_samples();
  }
  void end_run() {
    say(rpc_notification("cancel", Json{{"id", 1}}));
    EXPECT_TRUE(hear_reply(1).reply);
  }
  static Json run_params(const char* variant, bool paced = false) {
    const RunRequest request{.problem = *parse_problem("1x1x8x16"), .variant = variant, .paced = paced};
    return Json{{"request", encode(request)}};
  }

  FakeSession session_;
  std::function<void()> abandon_;
  std::atomic<bool> abandoned_{false};
  Fd server_in_, server_out_, to_, from_;
  LineSplitter lines_;
  std::future<Result<void>> served_;
};

TEST_F(ServeTest, TellsItsProtocolRefusesAnotherAndRepliesToEveryRequest) {
  const Json told = ask(1, "initialize", Json{{"protocol", kWorkerProtocol}});
  EXPECT_EQ(told.at("protocol"), kWorkerProtocol);
  EXPECT_EQ(told.at("machine"), "this running machine");
  EXPECT_TRUE(refuses(2, "initialize", Json{{"protocol", 99}}, "99"));
  for (const Json& params : {Json::object(), Json{{"protocol", "1"}}, Json{{"protocol", 1.5}}})
    EXPECT_TRUE(refuses(3, "initialize", params, "")) << params;
  // What is a notification else gets a reply where it is a request.
  for (const char* method : {"proceed", "cancel"}) {
    ask(4, method, Json{{"id", 1}});
    EXPECT_TRUE(refuses(5, method, Json{{"id", "one"}}, "")) << method;
  }
}

TEST_F(ServeTest, RunsAndStreams) {
  say(rpc_request(5, "run", run_params("row")));
  std::vector<std::string> methods;
  size_t samples = 0;
  for (;;) {
    RpcMessage m = hear();
    ASSERT_FALSE(HasFailure());
    if (m.reply) {
      ASSERT_TRUE(*m.reply);
      EXPECT_EQ(must(decode<Record>((**m.reply).at("record"), "record"))->samples_ns.size(), 3u);
      break;
    }
    EXPECT_EQ(m.params.at("id"), 5) << "an event has to say whose it is";
    samples += m.method == "samples";
    // A heartbeat may come at any time.
    if (m.method != "heartbeat") methods.push_back(m.method);
  }
  EXPECT_EQ(samples, 3u);
  EXPECT_EQ(methods.front(), "progress");
}

TEST_F(ServeTest, CancelEndsTheRunInFlightAndTheOneWaiting) {
  say(rpc_request(1, "run", run_params("endless")));
  say(rpc_request(2, "run", run_params("endless")));
  hear_samples();
  say(rpc_notification("cancel", Json{{"id", 2}}));
  say(rpc_notification("cancel", Json{{"id", 1}}));
  for (const int64_t id : {1, 2}) EXPECT_EQ(answer(id).at("record").at("outcome"), "cancelled");
}

TEST_F(ServeTest, RanksAndPlansWhileARunGoesOn) {
  begin_endless_run();
  const auto ranks = must(
      decode<std::vector<VariantRank>>(ask(7, "rank_variants", Json{{"problem", "1x1x8x16"}}).at("ranks"), "ranks"));
  EXPECT_EQ(*ranks, (std::vector<VariantRank>{{"row", 8, ""}, {"other", 9, "it takes pages alone"}}));
  const Json space{{"problem", "1x1x8x16"}, {"variant", "row"}, {"request", Json{{"first", 10}}}};
  const auto batch = must(decode<SpaceBatch>(ask(3, "plan_space", space).at("batch"), "batch"));
  EXPECT_EQ(std::tuple(batch->first, batch->next), std::tuple(10u, 100u));
  end_run();
}

TEST_F(ServeTest, CancelEndsAPlanAndTheOneWaitingAndNoRun) {
  begin_endless_run();
  const Json space{{"problem", "1x1x8x16"}, {"variant", "endless"}, {"request", Json::object()}};
  say(rpc_request(2, "plan_space", space));
  say(rpc_request(3, "plan_space", space));
  say(rpc_notification("cancel", Json{{"id", 3}}));
  // A long plan gives signs of life, as a run does.
  for (bool alive = false; !alive;) {
    const RpcMessage heard = hear();
    ASSERT_FALSE(HasFailure());
    alive = heard.method == "heartbeat" && heard.params.at("id") == 2;
  }
  say(rpc_notification("cancel", Json{{"id", 2}}));
  for (const int64_t id : {2, 3}) EXPECT_EQ(answer(id).at("batch").at("done"), false);
  // The run went on.
  hear_samples();
  end_run();
}

TEST_F(ServeTest, APacedRunWaitsForItsParent) {
  say(rpc_request(1, "run", run_params("row", true)));
  hear_samples();
  // Nothing but a sign of life until it may go on, and then one batch for each time that it may.
  EXPECT_EQ(hear().method, "heartbeat");
  for (int i = 0; i < 2; ++i) {
    say(rpc_notification("proceed", Json{{"id", 1}}));
    const RpcMessage m = hear_no_heartbeat();
    EXPECT_EQ(m.method, "samples");
    EXPECT_EQ(hear().method, "heartbeat") << "a second batch came unasked";
  }
  say(rpc_notification("proceed", Json{{"id", 1}}));
  EXPECT_TRUE(hear_reply(1).reply);
}

TEST_F(ServeTest, AnswersNonsenseWithErrorsAndGoesOn) {
  const auto error_code = [&](const std::string& line) {
    say(line);
    Json reply = Json::parse(hear_line());
    while (reply.contains("method")) reply = Json::parse(hear_line());  // a heartbeat
    return reply.at("error").at("code").get<int>();
  };
  EXPECT_EQ(error_code("banana"), kRpcParseError);
  EXPECT_EQ(error_code(R"({"jsonrpc":"2.0","id":1,"result":{}})"), kRpcInvalidRequest);
  EXPECT_EQ(error_code(rpc_request(2, "tickle", Json::object())), kRpcMethodNotFound);
  EXPECT_EQ(error_code(rpc_request(3, "open", Json::object())), kRpcInvalidParams);
  EXPECT_EQ(error_code(rpc_request(4, "open", Json{{"selector", "99"}})), rpc_code(ErrorKind::bad_input));
  EXPECT_EQ(error_code(rpc_request(5, "inspect",
                                   Json{{"problem", "2x8x0x64"}, {"variant", "row"}, {"config", Json::object()}})),
            kRpcInvalidParams);
  say(rpc_request(6, "devices", Json::object()));
  EXPECT_TRUE(*hear_reply(6).reply);
}

TEST_F(ServeTest, AnInspectionWaitsForTheDeviceThatIsOpened) {
  say(rpc_request(1, "open", Json{{"selector", "slow"}}));
  say(rpc_request(2, "inspect", Json{{"problem", "1x1x8x16"}, {"variant", "row"}, {"config", Json::object()}}));
  EXPECT_EQ(hear_no_heartbeat().id, 1);
  answer(2);
}

TEST_F(ServeTest, AnswersWhatWasPipedInBeforeTheEnd) {
  say(rpc_request(1, "open", Json{{"selector", ""}}));
  // Without a line end.
  ASSERT_EQ(write_all(to_.get(), rpc_request(2, "run", run_params("row"))), 0);
  to_.reset();
  EXPECT_TRUE(hear_reply(1).reply);
  EXPECT_TRUE(hear_reply(2).reply);
  EXPECT_TRUE(served_.get());
  EXPECT_FALSE(abandoned_);
}

TEST_F(ServeTest, EndsWhenNobodyListensAnyMore) {
  begin_endless_run();
  from_.reset();
  to_.reset();
  ASSERT_EQ(served_.wait_for(std::chrono::minutes(2)), std::future_status::ready);
  EXPECT_FALSE(served_.get()) << "a run whose answer nobody took is no success";
}

TEST_F(ServeTest, ShutdownCancelsTheRunInFlight) {
  begin_endless_run();
  say(rpc_request(2, "shutdown", Json::object()));
  ASSERT_EQ(served_.wait_for(std::chrono::minutes(2)), std::future_status::ready);
  EXPECT_TRUE(served_.get());
  EXPECT_FALSE(abandoned_);
}

TEST_F(ServeTest, AnInspectionThatDoesNotEndIsLeftWhenItsParentIsGone) {
  say(rpc_request(1, "inspect", Json{{"problem", "1x1x8x16"}, {"variant", "endless"}, {"config", Json::object()}}));
  while (!session_.inspecting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  from_.reset();
  to_.reset();
  // What the real worker does then is _exit.
  EXPECT_TRUE(soon([&] { return bool(abandoned_); }));
  session_.inspection_may_end = true;
  EXPECT_FALSE(served_.get());
}

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

}  // namespace attnscope::serve_test
