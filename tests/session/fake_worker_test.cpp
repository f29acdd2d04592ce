// The window's side of the protocol, against shell scripts that play workers, good and bad.
#include <sys/wait.h>

#include "tests/session/cpu_session.hpp"

namespace attnscope::fake_worker_test {

/// Runs in `dir`. `cases` are the arms of a shell case over the request's method; $id is its id, `say` sends a line,
/// `result` a result, `record` one of the usual run, `failure` the code, message and kind of an error; `beats` for
/// ever.
std::string script(const TempDir& dir, const std::string& cases) {
  return "cd '" + dir.path().string() + R"('
say() { printf '%s\n' "$1"; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
failure() {
  say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":$1,\"message\":\"$2\",\"data\":{\"kind\":\"$3\"}}}"
}
record() { result "{\"record\":{\"problem\":\"1x1x8x16:f32\",\"variant\":\"row\"$1}}"; }
beats() { while :; do sleep 0.1; event heartbeat ''; done; }
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

struct FakeWorker : testing::Test {
  /// Whoever answers has time for it, however busy the machine is.
  WorkerOptions playing(const std::string& cases, double deadline_s = 120, double grace_s = 60) const {
    return {.command = {"sh", "-c", script(dir_, cases)},
            .deadline_s = deadline_s,
            .software_deadline_s = deadline_s,
            .cancel_grace_s = grace_s};
  }
  template <class... Times>
  std::unique_ptr<Session> play(const std::string& cases, Times... times) const {
    return make_worker_session(playing(cases, times...));
  }
  ~FakeWorker() override { EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a worker was not reaped"; }
  /// A run that has to give a record.
  Record run(Session& session, const EventSink& sink = {}) { return *must(session.run(request_, sink, cancel_)); }
  /// `what` becomes true as soon as the script has made that file.
  std::jthread once_there(const char* name, std::atomic<bool>& what) const {
    return std::jthread([&what, file = dir_ / name] {
      while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      what = true;
    });
  }

  const TempDir dir_;
  RunRequest request_ = small_run("1x1x8x16", "row");
  std::atomic<bool> cancel_{false};
};

TEST_F(FakeWorker, OfAnotherProtocolIsRefusedAndGreetingsOfAShellAreNotMessages) {
  for (const char* hello : {R"({"protocol":2,"version":"9.9"})", "{}", R"({"protocol":"1"})", "[]"}) {
    auto session = play(std::string(R"(*'"initialize"'*) result ')") + hello + "' ;;");
    EXPECT_TRUE(fails(session->devices(), ErrorKind::bad_input, "protocol 1")) << hello;
  }
  EXPECT_TRUE(play(R"(*'"devices"'*) say 'Welcome to gpu-box!'; say ''; result '{"devices":[]}' ;;)")->devices());
}

TEST_F(FakeWorker, EventsComeInOrderOnTheCallingThread) {
  auto session = play(R"(*'"run"'*)
    event progress ',"stage":"compile"'; event heartbeat ''; event samples ',"samples_ns":[1,2]'
    event samples ',"samples_ns":[3]'; record ;;)");
  std::vector<double> samples;
  const auto me = std::this_thread::get_id();
  run(*session, [&](const Event& e) {
    EXPECT_EQ(std::this_thread::get_id(), me);
    if (const auto* s = std::get_if<SampleBatch>(&e))
      samples.insert(samples.end(), s->samples_ns.begin(), s->samples_ns.end());
  });
  EXPECT_EQ(samples, (std::vector<double>{1, 2, 3}));
}

TEST_F(FakeWorker, APacedRunGoesOnWhenTheSinkIsDone) {
  auto session = play(R"(*'"run"'*) run=$id; event samples ',"samples_ns":[1]' ;;
    *'"proceed"'*) echo > proceeds; id=$run; record ;;)");
  request_.paced = true;
  run(*session, [&](const Event&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(fs::exists(dir_ / "proceeds"));
  });
  EXPECT_TRUE(fs::exists(dir_ / "proceeds"));
}

TEST_F(FakeWorker, WhatIsOfAnotherConfigThanAskedHasNoNumbers) {
  request_.config = {{"ROWS", 4}};
  for (const char* told :
       {R"("problem":"1x1x8x16:f32","variant":"row","config":{"ROWS":8})",
        R"("problem":"1x1x8x32:f32","variant":"row","config":{"ROWS":4})",
        R"("problem":"1x1x8x16:f32","variant":"tiled","config":{"ROWS":4})",
        R"("problem":"1x1x8x16:f32","variant":"row","config":{"ROWS":4},"protocol":{"cache":"cold"})",
        R"("problem":"1x1x8x16:f32","variant":"row")"}) {
    auto session = play(std::string(R"(*'"run"'*) result '{"record":{)") + told + R"(,"samples_ns":[5]}}' ;;)");
    const Record record = run(*session);
    EXPECT_TRUE(ended(record, Outcome::error, "ROWS=4")) << told;
    EXPECT_TRUE(record.samples_ns.empty() && !record.statistics) << told;
    EXPECT_EQ(record.config, request_.config);
  }
}

TEST_F(FakeWorker, ARunOfAnotherConfigIsEndedAsSoonAsItSaysSo) {
  request_.config = {{"ROWS", 4}};
  const std::string other = R"("record":{"problem":"1x1x8x16:f32","variant":"row","config":{"ROWS":8}})",
                    began = R"(*'"run"'*) run=$id; event began ',)" + other + "'";
  // It would go on for ever: one heeds a cancel, the other has to be ended.
  for (const auto& [goes_on, grace_s] :
       {std::pair{R"( ;; *'"cancel"'*) echo cancelled > heard; id=$run; result '{)" + other + "}' ;;", 60.0},
        {"; beats ;;", 0.3}}) {
    auto session = play(began + goes_on, 120, grace_s);
    int told = 0;
    const Record record = run(*session, [&](const Event&) { ++told; });
    EXPECT_TRUE(ended(record, Outcome::error, "ROWS=8"));
    EXPECT_EQ(record.config, request_.config);
    EXPECT_EQ(told, 0);
    EXPECT_TRUE(session->devices());
  }
  EXPECT_TRUE(fs::exists(dir_ / "heard"));
}

TEST_F(FakeWorker, OneThatDiesInARunCostsThatRunAlone) {
  // Dies over its first run, and its successor over the first request; what was opened and loaded is told to a third.
  auto session = play(R"(
    *'"run"'*) if [ ! -e died ]; then touch died; event progress ',"stage":"sample"'; echo 'kernel panic' >&2
      kill -9 $$; fi; record ',"samples_ns":[5]' ;;
    *'"open"'*) echo open >> log; if [ -e died ] && [ ! -e again ]; then touch again; kill -9 $$; fi
      result '{"device":{"name":"scripted"}}' ;;
    *'"load_variants"'*) echo load >> log; result '{"variants":[{"name":"row"}]}' ;;)");
  ASSERT_TRUE(session->open("cpu"));
  ASSERT_TRUE(session->load_variants({}));
  const Record lost = run(*session);
  EXPECT_EQ(std::tuple(lost.outcome, lost.variant, lost.environment.device.name),
            std::tuple(Outcome::error, "row", "scripted"));
  EXPECT_TRUE(has(lost.message, "killed by signal 9", "while measuring row", "1x1x8x16", "kernel panic",
                  "it was started again"));
  EXPECT_EQ(run(*session).samples_ns, std::vector<double>{5});
  EXPECT_EQ(read_file(dir_ / "log"), "open\nload\nopen\nopen\nload\n");
}

// Who has to be ended goes on for longer than a test may last.

TEST_F(FakeWorker, ASilentOneIsEndedAndWhatItSaidLastIsPartOfTheError) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'
      echo 'GPU hang' >&2; printf 'reset \033[31mfailed\n' >&2; sleep 1000 ;;)",
                      2);
  EXPECT_TRUE(
      ended(run(*session), Outcome::error, "the deadline is 2 s", "its last output: GPU hang / reset \\x1b[31mfailed"));
}

/// A silent worker on a software device: what it uses of the CPU counts, unless it uses none.
TEST_F(FakeWorker, OneThatGetsLittleOfTheCpuIsAlive) {
  for (const bool works : {true, false}) {
    auto session = play(std::string(R"(*'"open"'*) result '{"device":{"name":"CPU","type":"software"}}' ;;
      *'"run"'*) event progress ',"stage":"sample"'; i=0; while [ $i -lt )") +
                            (works ? "400000" : "1") + R"( ]; do i=$((i + 1)); done; sleep 6
      result '{"record":{"problem":"1x1x8x16:f32","variant":"row"}}' ;;)",
                        3);
    ASSERT_TRUE(session->open(""));
    EXPECT_EQ(run(*session).outcome, works ? Outcome::measured : Outcome::error);
  }
}

TEST_F(FakeWorker, HeartbeatsKeepItAliveButForACompileAndWhatIsNoRun) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'
      for i in 1 2 3 4 5 6 7 8; do sleep 0.5; event heartbeat ''; done; record ;;)",
                      3);
  EXPECT_TRUE(ended(run(*session), Outcome::measured));
  for (const char* stage :
       {"event progress ',\"stage\":\"compile\"'", ":", "event progress ',\"stage\":\"resources\"'"}) {
    EXPECT_EQ(run(*play(std::string("*'\"run\"'*) ") + stage + "; beats ;;", 2)).outcome, Outcome::error) << stage;
  }
  session = play(R"(*'"inspect"'*) beats ;;)", 2);
  EXPECT_TRUE(fails(session->inspect(request_.problem, "row", {}), "did not answer within the deadline of 2 s"));
}

TEST_F(FakeWorker, OneThatDoesNotHeedACancelIsEnded) {
  auto session = play(R"(*'"run"'*) event progress ',"stage":"sample"'; beats ;;)", 120, 0.3);
  const Record record = run(*session, [&](const Event&) { cancel_ = true; });
  EXPECT_TRUE(ended(record, Outcome::cancelled, "did not stop within 0.3 s")) << "no fault of what was run";
}

TEST_F(FakeWorker, ATrialThatIsBrokenOffIsNotCalledBroken) {
  auto session =
      play(R"(*'"trials"'*) event trial_began ',"index":0' ; event progress ',"stage":"sample"'; beats ;;)", 120, 0.3);
  const TrialsRequest request = trials_of("1x1x8x16", "row", {{}, {}});
  int told = 0, began = 0;
  const EventSink sink = [&](const Event& event) {
    if (std::holds_alternative<TrialDone>(event)) ++told;
    if (std::holds_alternative<Progress>(event)) ++began, cancel_ = true;
  };
  const auto report = must(session->trials(request, sink, cancel_));
  EXPECT_GE(began, 1);
  EXPECT_EQ(told, 0) << "it was asked to stop, and that it did not heed that in time is no fault of the config";
  EXPECT_EQ(report->done, 0u);
}

TEST_F(FakeWorker, ATrialOfAnotherConfigThanAskedHasNoTime) {
  const std::string trial = R"(event trial ',"trial":{"index":0,"config":{"LANES":2},"outcome":"measured",)"
                            R"("median_ns":5.0}' ; )";
  auto session = play(R"(*'"trials"'*) )" + trial + trial + R"(result '{"report":{"done":1}}' ;;)");
  const TrialsRequest request = trials_of("1x1x8x16", "row", {{{"LANES", 4}}});
  std::vector<TrialDone> told;
  ASSERT_TRUE(session->trials(request, keep(told), cancel_));
  ASSERT_EQ(told.size(), 1u) << "of each config one";
  const Trial& t = told[0].trial;
  EXPECT_EQ(std::tuple(t.config, t.median_ns), std::tuple(request.configs[0], 0));
  EXPECT_TRUE(has(t.message, "LANES=2"));
}

TEST_F(FakeWorker, AMessageThatCannotBeReadEndsIt) {
  auto session = play(R"(*'"run"'*) say '{"jsonrpc": broken' ;;)");
  EXPECT_TRUE(ended(run(*session), Outcome::error, "a message that cannot be read"));
  session = play(R"(*'"run"'*) result '{"record":{"problem":"banana","variant":"row"}}' ;;)");
  EXPECT_TRUE(fails(session->run(request_, {}, cancel_), "problem")) << "a record that is none";
  session = play(R"(*'"devices"'*) printf '{"a":%.0s' $(seq 60000); echo ;;)");
  EXPECT_TRUE(fails(session->devices(), "nested more than 64 deep"));
  session = play(R"(*'"devices"'*) printf '{'; tr '\\0' x < /dev/zero ;;)");
  EXPECT_TRUE(fails(session->devices(), "a message of more than 67108864 bytes"));
}

TEST_F(FakeWorker, OneThatLostItsDeviceIsReplacedAndOneThatCannotStartIsNamed) {
  auto session = play(R"(*'"run"'*) if [ ! -e lost ]; then touch lost; failure -32003 lost device_lost
      else record ',"samples_ns":[7]'; fi ;;)");
  EXPECT_EQ(run(*session).samples_ns, std::vector<double>{7});
  const auto devices = [](std::vector<std::string> command) {
    return make_worker_session({.command = std::move(command)})->devices();
  };
  EXPECT_TRUE(fails(devices({"/nowhere/attnscope", "worker"}), "/nowhere/attnscope"));
  EXPECT_TRUE(fails(devices({"sh", "-c", "echo 'no route' >&2; exit 255"}), "exited with code 255", "no route"));
}

TEST_F(FakeWorker, APlanIsCancelledByItsNumber) {
  auto session = play(R"(*'"plan_space"'*) plan=$id ;;
    *'"cancel"'*) case $line in *"\"id\":$plan"*)
      id=$plan; result '{"batch":{"size":9,"next":3,"done":false}}' ;; esac ;;)");
  cancel_ = true;
  const auto batch = must(session->plan_space(request_.problem, "row", {}, cancel_));
  EXPECT_EQ(batch->next, 3u);
  EXPECT_FALSE(batch->done);
}

TEST_F(FakeWorker, InspectsWhileARunGoesOn) {
  auto session = play(R"(*'"run"'*) run=$id; event progress ',"stage":"sample"' ;;
    *'"inspect"'*) result '{"inspection":{"why_not":"scripted"}}' ;;
    *'"cancel"'*) id=$run; record ',"outcome":"cancelled"' ;;)");
  std::atomic<bool> started{false}, ended{false};
  std::thread runner([&] {
    const Record record = run(*session, [&](const Event&) { started = true; });
    ended = true;
    EXPECT_EQ(record.outcome, Outcome::cancelled);
  });
  while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto inspection = session->inspect(request_.problem, "row", {});
  EXPECT_TRUE(inspection && inspection->why_not == "scripted");
  EXPECT_FALSE(ended) << "the run waits for its cancel";
  cancel_ = true;
  runner.join();
}

std::vector<VariantSource> three_variants() { return {{"good", {}, {}}, {"bomb", {}, {}}, {"fine", {}, {}}}; }

TEST_F(FakeWorker, AVariantThatEndsTheWorkerCostsItselfAlone) {
  // Dies whenever it is to load the bomb.
  auto session = play(R"(*'"load_variants"'*) echo load >> log
      case $line in *'"bomb"'*) echo 'compiling bomb took more than 3 s' >&2; exit 4 ;; esac
      result '{"variants":[{"name":"good","title":"Good"},{"name":"fine"}]}' ;;
    *'"inspect"'*) kill -9 $$ ;;)");
  const auto infos = must(session->load_variants(three_variants()));
  ASSERT_EQ(infos->size(), 3u);
  EXPECT_EQ(std::tuple((*infos)[0].title, (*infos)[0].error, (*infos)[1].name), std::tuple("Good", "", "bomb"));
  EXPECT_TRUE(has((*infos)[1].error, "exited with code 4", "took more than 3 s"));
  EXPECT_EQ((*infos)[2].name, "fine");
  // A worker that is started later is not told to load it.
  EXPECT_FALSE(session->inspect(request_.problem, "good", {}));
  EXPECT_TRUE(session->devices());
  EXPECT_EQ(read_file(dir_ / "log"), "load\nload\nload\nload\nload\nload\nload\n")
      << "all, each alone, all without it; again for two more workers";
  // One that loads nothing is an error.
  session = play(R"(*'"load_variants"'*) exit 5 ;;)");
  EXPECT_TRUE(fails(session->load_variants(three_variants()), "exited with code 5"));
}

TEST_F(FakeWorker, ACancelEndsWhatHasNoneOfItsOwn) {
  WorkerOptions options = playing(R"(*'"load_variants"'*) echo > loading; sleep 1000 ;;)", 120, 0.1);
  options.cancel = &cancel_;
  const std::jthread canceller = once_there("loading", cancel_);
  EXPECT_TRUE(fails(make_worker_session(options)->load_variants(three_variants()), ErrorKind::cancelled));
}

TEST_F(FakeWorker, WhatIsAbandonedEndsAtOnceAndTheNextRequestHasAFreshWorker) {
  std::atomic<bool> abandon = false;
  WorkerOptions options = playing(R"(*'"load_variants"'*) if [ ! -e loading ]; then echo > loading; sleep 1000; fi
      result '{"variants":[{"name":"row"}]}' ;;)");
  options.abandon = &abandon;
  auto session = make_worker_session(options);
  const std::jthread other = once_there("loading", abandon);
  EXPECT_TRUE(fails(session->load_variants(three_variants()), ErrorKind::cancelled));
  EXPECT_FALSE(abandon);
  EXPECT_TRUE(session->load_variants(three_variants()));
}

TEST_F(FakeWorker, ACancelWhileAWorkerIsStartedAgainEndsTheWait) {
  // The second worker hangs over what is replayed to it.
  auto session = play(R"(*'"load_variants"'*) if [ -e second ]; then echo > hangs; sleep 1000; fi
      result '{"variants":[{"name":"row"}]}' ;; *'"run"'*) echo > second; exit 3 ;;)",
                      120, 0.3);
  ASSERT_TRUE(session->open(""));
  ASSERT_TRUE(session->load_variants(three_variants()));
  const std::jthread canceller = once_there("hangs", cancel_);
  EXPECT_NE(run(*session).outcome, Outcome::measured);
}

TEST_F(FakeWorker, ACancelOfAllEndsARunThatCompilesToo) {
  WorkerOptions options = playing(R"(*'"run"'*) event progress ',"stage":"compile"'; sleep 1000 ;;)", 120, 2);
  std::atomic<bool> all{false};
  options.cancel = &all;
  options.cancel_ends_all = true;
  auto session = make_worker_session(options);
  const Record record = run(*session, [&](const Event&) { all = true; });
  EXPECT_TRUE(ended(record, Outcome::cancelled, "did not stop within 1 s")) << "the window closes in two seconds";
}

}  // namespace attnscope::fake_worker_test
