// The window's side of the protocol, against shell scripts that play workers, good and bad.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/session/session.hpp"

namespace attnscope {
namespace {

/// `cases` are the arms of a shell case over the request's method; $id is its id, `say` sends a line, `result` a
/// result.
std::string script(const std::string& cases) {
  return R"(
say() { printf '%s\n' "$1"; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
event() { say "{\"jsonrpc\":\"2.0\",\"method\":\"$1\",\"params\":{\"id\":$id$2}}"; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
)" + cases +
         R"(
    *'"initialize"'*) result '{"protocol":1}' ;;
    *'"open"'*) result '{"device":{"name":"scripted"}}' ;;
    *'"devices"'*) result '{"devices":[{"name":"scripted"}]}' ;;
    *'"load_variants"'*) result '{"variants":[{"name":"row"}]}' ;;
    *'"shutdown"'*) exit 0 ;;
  esac
done)";
}

class FakeWorker : public testing::Test {
 protected:
  std::unique_ptr<Session> play(const std::string& cases, double deadline_s = 20) {
    WorkerOptions options;
    options.command = {"sh", "-c", script(cases)};
    options.deadline_s = deadline_s;
    options.cancel_grace_s = 0.3;
    return make_worker_session(options);
  }
  FakeWorker() : dir_(std::filesystem::temp_directory_path() / ("attnscope-fake-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(dir_);
    request_.problem = *parse_problem("1x1x8x16");
    request_.variant = "row";
  }
  ~FakeWorker() override {
    std::filesystem::remove_all(dir_);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker was not reaped";
  }
  std::string path(const char* name) const { return (dir_ / name).string(); }

  std::filesystem::path dir_;
  RunRequest request_;
  std::atomic<bool> cancel_{false};
};

TEST_F(FakeWorker, AnswersReachTheCaller) {
  auto session = play("");
  const auto device = session->open("cpu");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ(device->name, "scripted");
  EXPECT_EQ((*session->load_variants({}))[0].name, "row");
}

TEST_F(FakeWorker, GreetingsOfAShellAreNotMessages) {
  auto session = play(R"(*'"devices"'*) say 'Welcome to gpu-box!'; say ''; result '{"devices":[]}' ;;)");
  EXPECT_TRUE(session->devices());
}

TEST_F(FakeWorker, ErrorsKeepTheirKindAndText) {
  auto session = play(
      R"(*'"open"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32002,\"message\":\"no such GPU\",\"data\":{\"kind\":\"unsupported\"}}}" ;;)");
  const auto device = session->open("99");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(device.error().message, "no such GPU");
}

TEST_F(FakeWorker, EventsComeInOrderOnTheCallingThread) {
  auto session = play(R"(*'"run"'*)
    event progress ',"stage":"compile"'; event heartbeat ''; event samples ',"samples_ns":[1,2]'
    event samples ',"samples_ns":[3]'; result '{"record":{"problem":"1x1x8x16:f32","variant":"row"}}' ;;)");
  std::vector<double> samples;
  const auto me = std::this_thread::get_id();
  const auto record = session->run(
      request_,
      [&](const Event& e) {
        EXPECT_EQ(std::this_thread::get_id(), me);
        if (const auto* s = std::get_if<SampleBatch>(&e))
          samples.insert(samples.end(), s->samples_ns.begin(), s->samples_ns.end());
      },
      cancel_);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(samples, (std::vector<double>{1, 2, 3}));
}

TEST_F(FakeWorker, WhatIsOfAnotherConfigThanAskedHasNoNumbers) {
  request_.config = {{"ROWS", 4}};
  for (const char* told : {R"("problem":"1x1x8x16:f32","variant":"row","config":{"ROWS":8})",
                           R"("problem":"1x1x8x32:f32","variant":"row","config":{"ROWS":4})",
                           R"("problem":"1x1x8x16:f32","variant":"tiled","config":{"ROWS":4})",
                           R"("problem":"1x1x8x16:f32","variant":"row")"}) {
    auto session = play(std::string(R"(*'"run"'*) result '{"record":{)") + told + R"(,"samples_ns":[5]}}' ;;)");
    const auto record = session->run(request_, {}, cancel_);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->outcome, Outcome::error) << told;
    EXPECT_TRUE(record->samples_ns.empty() && !record->statistics) << told;
    EXPECT_EQ(record->config, request_.config);
    EXPECT_NE(record->message.find("ROWS=4"), std::string::npos) << record->message;
  }
}

TEST_F(FakeWorker, OneThatDiesInARunCostsThatRunAlone) {
  // Dies over its first run; what was opened and loaded is told to its successor.
  auto session = play("*'\"run\"'*) if [ ! -e " + path("died") + " ]; then touch " + path("died") +
                      R"(; event progress ',"stage":"sample"'; echo 'kernel panic' >&2; kill -9 $$; fi
      result '{"record":{"problem":"1x1x8x16:f32","variant":"row","samples_ns":[5]}}' ;;
    *'"open"'*) echo open >> )" +
                      path("log") + R"(; result '{"device":{"name":"scripted"}}' ;;
    *'"load_variants"'*) echo load >> )" +
                      path("log") + R"(; result '{"variants":[{"name":"row"}]}' ;;)");
  ASSERT_TRUE(session->open("cpu"));
  ASSERT_TRUE(session->load_variants({}));
  const auto lost = session->run(request_, {}, cancel_);
  ASSERT_TRUE(lost) << lost.error().message;
  EXPECT_EQ(lost->outcome, Outcome::error);
  EXPECT_EQ(lost->variant, "row");
  EXPECT_EQ(lost->environment.device.name, "scripted");
  for (const char* part :
       {"killed by signal 9", "while measuring row", "1x1x8x16", "kernel panic", "it was started again"})
    EXPECT_NE(lost->message.find(part), std::string::npos) << part << " is not in: " << lost->message;
  const auto next = session->run(request_, {}, cancel_);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->samples_ns, std::vector<double>{5});
  std::ifstream log(path("log"));
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(text, "open\nload\nopen\nload\n");
}

TEST_F(FakeWorker, ASilentOneIsEnded) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'; sleep 1000 ;;)", 0.5);
  const auto begin = std::chrono::steady_clock::now();
  const auto record = session->run(request_, {}, cancel_);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->outcome, Outcome::error);
  EXPECT_NE(record->message.find("the deadline is 0.5 s"), std::string::npos) << record->message;
}

TEST_F(FakeWorker, WhatASilentOneSaidLastIsPartOfTheError) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'
      echo 'GPU hang' >&2; printf 'reset \033[31mfailed\n' >&2; sleep 1000 ;;)",
                      0.5);
  const auto record = session->run(request_, {}, cancel_);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_NE(record->message.find("the deadline is 0.5 s"), std::string::npos) << record->message;
  EXPECT_NE(record->message.find("it last said: GPU hang / reset \\x1b[31mfailed"), std::string::npos)
      << record->message;
}

TEST_F(FakeWorker, HeartbeatsKeepItAlive) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'
      for i in 1 2 3 4 5 6 7 8; do sleep 0.25; event heartbeat ''; done
      result '{"record":{"problem":"1x1x8x16:f32","variant":"row"}}' ;;)",
                      1.2);
  const auto record = session->run(request_, {}, cancel_);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::measured) << record->message;
}

TEST_F(FakeWorker, OneThatDoesNotHeedACancelIsEnded) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'
      while :; do sleep 0.1; event heartbeat ''; done ;;)");
  const auto begin = std::chrono::steady_clock::now();
  const auto record = session->run(
      request_, [&](const Event&) { cancel_ = true; }, cancel_);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->outcome, Outcome::cancelled) << "no fault of what was run";
  EXPECT_NE(record->message.find("did not stop within 0.3 s"), std::string::npos) << record->message;
}

TEST_F(FakeWorker, ATrialThatIsBrokenOffIsNotCalledBroken) {
  auto session = play(R"(*'"trials"'*) event trial_began ',"index":0' ; event progress ',"stage":"sample"'
      while :; do sleep 0.1; event heartbeat ''; done ;;)");
  TrialsRequest request;
  request.problem = request_.problem;
  request.variant = request_.variant;
  request.configs = {request_.config, request_.config};
  int told = 0, began = 0;
  const auto report = session->trials(
      request,
      [&](const Event& event) {
        if (std::holds_alternative<TrialDone>(event)) ++told;
        if (std::holds_alternative<Progress>(event)) ++began, cancel_ = true;
      },
      cancel_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(began, 1);
  EXPECT_EQ(told, 0) << "it was asked to stop, and that it did not heed that in time is no fault of the config";
  EXPECT_EQ(report->done, 0u);
}

TEST_F(FakeWorker, AMessageThatCannotBeReadEndsIt) {
  auto session = play(R"(*'"run"'*) say '{"jsonrpc": broken' ;;)");
  const auto record = session->run(request_, {}, cancel_);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->outcome, Outcome::error);
  EXPECT_NE(record->message.find("a message that cannot be read"), std::string::npos) << record->message;
}

TEST_F(FakeWorker, ARecordThatIsNoneIsAnError) {
  auto session = play(R"(*'"run"'*) result '{"record":{"problem":"banana","variant":"row"}}' ;;)");
  const auto record = session->run(request_, {}, cancel_);
  ASSERT_FALSE(record);
  EXPECT_NE(record.error().message.find("problem"), std::string::npos) << record.error().message;
}

TEST_F(FakeWorker, OneThatCannotStartIsNamed) {
  WorkerOptions options;
  options.command = {"/nowhere/attnscope", "worker"};
  const auto devices = make_worker_session(options)->devices();
  ASSERT_FALSE(devices);
  EXPECT_NE(devices.error().message.find("/nowhere/attnscope"), std::string::npos);

  options.command = {"sh", "-c", "echo 'gpu-box: no route' >&2; exit 255"};
  const auto again = make_worker_session(options)->devices();
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("exited with code 255"), std::string::npos) << again.error().message;
  EXPECT_NE(again.error().message.find("no route"), std::string::npos) << again.error().message;
}

TEST_F(FakeWorker, OneThatLostItsDeviceIsReplaced) {
  auto session = play(
      "*'\"run\"'*) if [ ! -e " + path("lost") + " ]; then touch " + path("lost") +
      R"(; say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32003,\"message\":\"lost\",\"data\":{\"kind\":\"device_lost\"}}}"
      else result '{"record":{"problem":"1x1x8x16:f32","variant":"row","samples_ns":[7]}}'; fi ;;)");
  const auto record = session->run(request_, {}, cancel_);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->samples_ns, std::vector<double>{7});
}

TEST_F(FakeWorker, ChoosesAndPlans) {
  auto session = play(R"(*'"choose_config"'*)
      result '{"choice":{"config":{"A":4},"name":"wide","how":"suited","because":"it is for this"}}' ;;
    *'"plan_space"'*) result '{"batch":{"size":9,"next":9,"done":true,"legal":[{"A":4}],"pruned":[{"reason":"A < 3","count":8}]}}' ;;)");
  const auto choice = session->choose_config(request_.problem, "row", "default");
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->name, "wide");
  EXPECT_EQ(choice->how, ConfigChoice::How::suited);
  const auto batch = session->plan_space(request_.problem, "row", {}, cancel_);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->legal, (std::vector<Config>{{{"A", 4}}}));
  EXPECT_EQ(batch->pruned.at(0).count, 8u);
}

TEST_F(FakeWorker, APlanIsCancelledByItsNumber) {
  auto session = play(R"(*'"plan_space"'*) plan=$id ;;
    *'"cancel"'*) case $line in *"\"id\":$plan"*) id=$plan; result '{"batch":{"size":9,"next":3,"done":false}}' ;; esac ;;)");
  cancel_ = true;
  const auto batch = session->plan_space(request_.problem, "row", {}, cancel_);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->next, 3u);
  EXPECT_FALSE(batch->done);
}

TEST_F(FakeWorker, InspectsWhileARunGoesOn) {
  auto session = play(
      "*'\"run\"'*) run=$id; event progress ',\"stage\":\"sample\"' ;;"
      R"(
    *'"inspect"'*) result '{"inspection":{"why_not":"scripted"}}' ;;
    *'"cancel"'*) id=$run; result '{"record":{"problem":"1x1x8x16:f32","variant":"row","outcome":"cancelled"}}' ;;)");
  std::atomic<bool> started{false}, ended{false};
  std::thread runner([&] {
    const auto record = session->run(
        request_, [&](const Event&) { started = true; }, cancel_);
    ended = true;
    EXPECT_TRUE(record);
    if (record) {
      EXPECT_EQ(record->outcome, Outcome::cancelled) << record->message;
    }
  });
  while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto inspection = session->inspect(request_.problem, "row", {});
  EXPECT_TRUE(inspection);
  if (inspection) {
    EXPECT_EQ(inspection->why_not, "scripted");
  }
  EXPECT_FALSE(ended) << "the run waits for its cancel";
  cancel_ = true;
  runner.join();
}

std::vector<VariantSource> three_variants() { return {{"good", {}, {}}, {"bomb", {}, {}}, {"fine", {}, {}}}; }

TEST_F(FakeWorker, AVariantThatEndsTheWorkerCostsItselfAlone) {
  // Dies whenever it is to load the bomb; one by one it says first where it is.
  auto session = play("*'\"load_variants\"'*) echo load >> " + path("log") + R"(
      case $line in *'"one_by_one"'*) event progress ',"stage":"load good"' ;; esac
      case $line in *'"bomb"'*)
        case $line in *'"one_by_one"'*) event progress ',"stage":"load bomb"' ;; esac
        echo 'compiling bomb took more than 3 s' >&2; exit 4 ;; esac
      result '{"variants":[{"name":"good","title":"Good"},{"name":"fine"}]}' ;;
    *'"inspect"'*) kill -9 $$ ;;)");
  const auto infos = session->load_variants(three_variants());
  ASSERT_TRUE(infos) << infos.error().message;
  ASSERT_EQ(infos->size(), 3u);
  EXPECT_EQ((*infos)[0].title, "Good");
  EXPECT_EQ((*infos)[0].error, "");
  EXPECT_EQ((*infos)[1].name, "bomb");
  for (const char* part : {"exited with code 4", "took more than 3 s"})
    EXPECT_NE((*infos)[1].error.find(part), std::string::npos) << (*infos)[1].error;
  EXPECT_EQ((*infos)[2].name, "fine");
  // A worker that is started later is not told to load it.
  EXPECT_FALSE(session->inspect(request_.problem, "good", {}));
  EXPECT_TRUE(session->devices());
  std::ifstream log(path("log"));
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(text, "load\nload\nload\nload\nload\n") << "all, one by one, without it; again for two more workers";
}

TEST_F(FakeWorker, OneThatLoadsNothingIsAnError) {
  auto session = play(R"(*'"load_variants"'*) exit 5 ;;)");
  const auto infos = session->load_variants(three_variants());
  ASSERT_FALSE(infos);
  EXPECT_NE(infos.error().message.find("exited with code 5"), std::string::npos) << infos.error().message;
}

TEST_F(FakeWorker, HeartbeatsDoNotStretchTheDeadlineOfWhatIsNoRun) {
  auto session = play(R"(*'"inspect"'*) while :; do sleep 0.1; event heartbeat ''; done ;;)", 0.5);
  const auto inspection = session->inspect(request_.problem, "row", {});
  ASSERT_FALSE(inspection);
  EXPECT_NE(inspection.error().message.find("did not answer within the deadline of 0.5 s"), std::string::npos)
      << inspection.error().message;
}

TEST_F(FakeWorker, ACancelEndsWhatHasNoneOfItsOwn) {
  WorkerOptions options;
  options.command = {"sh", "-c", script(R"(*'"load_variants"'*) echo > )" + path("loading") + "; sleep 1000 ;;")};
  options.cancel_grace_s = 0.1;
  options.cancel = &cancel_;
  auto session = make_worker_session(options);
  std::thread canceller([&] {
    while (!std::filesystem::exists(path("loading"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cancel_ = true;
  });
  const auto infos = session->load_variants(three_variants());
  canceller.join();
  ASSERT_FALSE(infos);
  EXPECT_EQ(infos.error().kind, ErrorKind::cancelled) << infos.error().message;
}

TEST_F(FakeWorker, DeepAndEndlessMessagesAreFaultsOfTheWorker) {
  auto deep = play(R"(*'"devices"'*) printf '{"a":%.0s' $(seq 60000); echo ;;)");
  const auto a = deep->devices();
  ASSERT_FALSE(a);
  EXPECT_NE(a.error().message.find("nested more than 64 deep"), std::string::npos) << a.error().message;
  auto endless = play(R"(*'"devices"'*) printf '{'; tr '\\0' x < /dev/zero ;;)");
  const auto b = endless->devices();
  ASSERT_FALSE(b);
  EXPECT_NE(b.error().message.find("a message of more than 67108864 bytes"), std::string::npos)
      << b.error().message.substr(0, 300);
}

}  // namespace
}  // namespace attnscope
