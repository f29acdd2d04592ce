// While a space is planned: who asks how far it is gets an answer, and who wants it to end is heard.

#include "tests/tune/replay.hpp"

namespace attnscope::tune::planning_test {

/// Whether it becomes true in time.
bool await(const std::atomic<bool>& what) {
  return soon([&] { return bool(what); });
}

/// In which nothing is legal.
RecordedSpace barren_space() {
  RecordedSpace space{"barren", {}, {}};
  for (const char* name : {"A", "B", "C"})
    space.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1});
  return space;
}

/// A request decides on one config of that space, and waits for `cancel`.
struct Barren : Replay {
  Barren() : Replay({barren_space()}) { most_planned = 1; }
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    if (plans == 0) first();
    Result<SpaceBatch> batch = Replay::plan_space(problem, variant, request, cancel);
    heard |= await(cancel);
    if (heard) last();
    return batch;
  }
  bool heard = false;
  std::function<void()> first = [] {}, last = [] {};
};

/// Has trials made as a test says; Replay::trials makes them.
struct Measuring final : Replay {
  explicit Measuring(const RecordedSpace& space) : Replay({space}) {}
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    planned = true;
    return Replay::plan_space(problem, variant, request, cancel);
  }
  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink,
                              const std::atomic<bool>& cancel) override {
    return as_said(request, sink, cancel);
  }
  std::atomic<bool> planned{false};
  std::function<Result<TrialsReport>(const TrialsRequest&, const EventSink&, const std::atomic<bool>&)> as_said;
};

TuneRequest request_of(const RecordedSpace& space, std::vector<Config> seeds = {}) {
  TuneRequest request;
  request.problem = *parse_problem("1x2x64x32:f16");
  request.arms = {{space.variant, space.parameters, std::move(seeds)}};
  return request;
}
TuneRequest barren_request() {
  TuneRequest request = request_of(barren_space());
  request.strategy = StrategyKind::exhaustive;
  return request;
}
/// In which all is legal.
RecordedSpace whole_space(std::vector<Parameter> parameters) {
  RecordedSpace space{"one", std::move(parameters), {}};
  const ConfigProduct product(space.parameters);
  for (uint64_t i = 0; i < product.size(); ++i) space.times[product.at(i)] = 300 + double(i);
  return space;
}
Result<TuneResult> driven(const TuneRequest& request, Session& device, const DriveOptions& options,
                          const std::atomic<bool>& cancel = kGoOn) {
  Tuner tuner(request);
  Session* one = &device;
  return drive(tuner, std::span(&one, 1), options, cancel);
}

TEST(Planning, ProgressIsToldMeanwhileAndACancelIsHeard) {
  Tuner tuner(barren_request());
  Barren device;
  std::atomic<bool> planning{false}, told{false};
  std::atomic<bool> cancel{false};
  bool answered = false;
  device.first = [&] {
    planning = true;
    answered = await(told);
    cancel = true;
  };
  const auto tick = [&](const std::string&) {
    if (!await(planning)) return;
    (void)tuner.progress();
    told = true;
  };
  Session* one = &device;
  const auto result = must(drive(tuner, std::span(&one, 1), {.tick = tick}, cancel));
  EXPECT_TRUE(answered) << "progress() waited for the plan";
  EXPECT_TRUE(device.heard);
  EXPECT_EQ(device.plans, 1u) << "nothing more is planned";
  EXPECT_TRUE(result->interrupted);
}

/// The first trial ends when the space was planned.
TEST(Planning, WhatADeviceDoesNextIsChosenWhileItMeasures) {
  const RecordedSpace space = whole_space({{"A", "", {1, 2, 4, 8}, 1}, {"B", "", {16, 32, 64}, 16}});
  Measuring device(space);
  bool planned_meanwhile = false;
  std::vector<double> best_given;
  device.as_said = [&](const TrialsRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) {
    if (device.tried.empty()) planned_meanwhile = await(device.planned);
    best_given.push_back(request.best_ns);
    return device.Replay::trials(request, sink, cancel);
  };
  TuneRequest request = request_of(space, {space.times.begin()->first});
  request.strategy = StrategyKind::random;
  ASSERT_TRUE(driven(request, device, {.finalists = 0}));
  EXPECT_TRUE(planned_meanwhile);
  EXPECT_EQ(device.tried.size(), space.times.size());
  ASSERT_EQ(best_given.size(), 2u);
  EXPECT_EQ(best_given[1], 300) << "the best when it began, not when it was chosen";
}

/// A space of 80 configs of which each is to be tried once, however the device goes about it.
struct Ahead : testing::Test {
  void search() {
    Tuner tuner(request);
    Session* const devices[] = {&device};
    ASSERT_TRUE(drive(tuner, devices, {.finalists = 0, .compile_ahead = true}, kGoOn));
    EXPECT_EQ(device.tried.size(), space.times.size()) << "each once";
    EXPECT_EQ(tuner.progress().tried, space.times.size());
    EXPECT_EQ(tuner.progress().goal, space.times.size());
  }
  const RecordedSpace space =
      whole_space({{"A", "", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1}, {"B", "", {1, 2, 3, 4, 5, 6, 7, 8}, 1}});
  const TuneRequest request = request_of(space, {space.times.begin()->first});
  Measuring device{space};
};

TEST_F(Ahead, ADeviceIsToldWhatComesAfterWhatItMeasures) {
  std::vector<TrialsRequest> asked;
  device.as_said = [&](const TrialsRequest& now, const EventSink& sink, const std::atomic<bool>& cancel) {
    asked.push_back(now);
    return device.Replay::trials(now, sink, cancel);
  };
  search();
  ASSERT_GT(asked.size(), 2u);
  for (size_t i = 0; i + 1 < asked.size(); ++i) {
    const std::vector<ConfigsOfVariant>& next = asked[i].next;
    size_t configs = 0;
    for (size_t k = 0; k < next.size(); ++k) {
      ASSERT_LT(i + 1 + k, asked.size());
      const TrialsRequest& after = asked[i + 1 + k];
      EXPECT_EQ(next[k], (ConfigsOfVariant{after.problem, after.variant, after.configs}));
      configs += after.configs.size();
    }
    EXPECT_TRUE(configs >= 64 || i + 1 + next.size() == asked.size()) << "as many as there are threads for";
  }
  EXPECT_TRUE(asked.back().next.empty());
}

/// It leaves what is odd to later, once, where the request allows it.
TEST_F(Ahead, WhatADeviceLeavesUntilItIsCompiledIsAskedForLaterAndOnce) {
  std::set<Config> late;
  int postponed = 0;
  device.as_said = [&](const TrialsRequest& asked, const EventSink& sink, const std::atomic<bool>& cancel) {
    TrialsRequest now = asked;
    std::erase_if(now.configs,
                  [&](const Config& c) { return asked.postpone && c.at("A") % 2 == 1 && late.insert(c).second; });
    if (now.configs.size() < asked.configs.size()) ++postponed;
    const EventSink told = each_trial([&](Trial t) {
      t.index = uint64_t(std::ranges::find(asked.configs, t.config) - asked.configs.begin());
      sink(TrialDone{t});
    });
    return device.Replay::trials(now, told, cancel);
  };
  search();
  EXPECT_GT(postponed, 1);
}

/// The first two requests have nothing ready until another one was measured.
TEST_F(Ahead, RequestsThatHaveNothingReadyDoNotHoldUpTheOthers) {
  std::vector<std::vector<Config>> asked;
  int visits = 0;
  device.as_said = [&](const TrialsRequest& now, const EventSink& sink, const std::atomic<bool>& cancel) {
    if (std::ranges::find(asked, now.configs) == asked.end()) asked.push_back(now.configs);
    if (now.postpone && asked.size() < 3 && ++visits < 20) return Result<TrialsReport>(TrialsReport{});
    return device.Replay::trials(now, sink, cancel);
  };
  search();
  EXPECT_GE(asked.size(), 3u);
  EXPECT_LE(visits, 3);
}

TEST(Planning, ACancelIsHeardWhateverKeepsATick) {
  Barren device;
  std::atomic<bool> ticking{false}, ended{false}, cancel{false};
  bool stopped_first = false;
  device.first = [&] { cancel = await(ticking); };
  device.last = [&] { ended = true; };
  const auto tick = [&](const std::string&) {
    ticking = true;
    stopped_first = await(ended);
  };
  ASSERT_TRUE(driven(barren_request(), device, {.finalists = 0, .tick = tick}, cancel));
  EXPECT_TRUE(device.heard);
  EXPECT_TRUE(stopped_first);
}

}  // namespace attnscope::tune::planning_test
