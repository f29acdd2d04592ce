// While a space is planned: who asks how far it is gets an answer, and who wants it to end is heard.

#include "engine/tune/drive.hpp"
#include "tests/has.hpp"
#include "tests/tune/replay.hpp"

namespace attnscope::tune::planning_test {

/// Long enough that it never passes where all is well.
constexpr auto kTooLong = std::chrono::minutes(2);

/// Whether it becomes true in time.
bool await(const std::atomic<bool>& what) {
  const auto end = std::chrono::steady_clock::now() + kTooLong;
  while (!what && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return what;
}

/// In which nothing is legal.
RecordedSpace barren_space() {
  RecordedSpace space{"barren", {}, {}};
  for (const char* name : {"A", "B", "C"})
    space.parameters.push_back({name, "", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1});
  return space;
}

/// A request decides on one config of that space, and waits for `cancel`.
class Barren : public Replay {
 public:
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
Result<TuneResult> driven(const TuneRequest& request, Measurer& device, const DriveOptions& options,
                          const std::atomic<bool>& cancel) {
  Tuner tuner(request);
  Measurer* one = &device;
  return drive(tuner, std::span(&one, 1), options, cancel);
}
const std::atomic<bool> kNever{false};

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
  DriveOptions options;
  options.tick = [&](const std::string&) {
    if (!await(planning)) return;
    (void)tuner.progress();
    told = true;
  };
  Measurer* one = &device;
  const auto result = must(drive(tuner, std::span(&one, 1), options, cancel));
  EXPECT_TRUE(answered) << "progress() waited for the plan";
  EXPECT_TRUE(device.heard);
  EXPECT_EQ(device.plans, 1u) << "nothing more is planned";
  EXPECT_TRUE(result->interrupted);
}

/// Its first trial ends when the space was planned.
class Patient final : public Replay {
 public:
  using Replay::Replay;
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    planned = true;
    return Replay::plan_space(problem, variant, request, cancel);
  }
  Result<TrialsReport> trials(const TrialsRequest& request, const std::function<void(const Trial&)>& done,
                              const std::atomic<bool>& cancel) override {
    if (tried.empty()) planned_meanwhile = await(planned);
    best_given.push_back(request.best_ns);
    return Replay::trials(request, done, cancel);
  }
  std::atomic<bool> planned{false};
  bool planned_meanwhile = false;
  std::vector<double> best_given;
};

TEST(Planning, WhatADeviceDoesNextIsChosenWhileItMeasures) {
  const RecordedSpace space = whole_space({{"A", "", {1, 2, 4, 8}, 1}, {"B", "", {16, 32, 64}, 16}});
  Patient device({space});
  TuneRequest request = request_of(space, {space.times.begin()->first});
  request.strategy = StrategyKind::random;
  ASSERT_TRUE(driven(request, device, {.finalists = 0}, kNever));
  EXPECT_TRUE(device.planned_meanwhile);
  EXPECT_EQ(device.tried.size(), space.times.size());
  ASSERT_EQ(device.best_given.size(), 2u);
  EXPECT_EQ(device.best_given[1], 300) << "the best when it began, not when it was chosen";
}

RecordedSpace ten_by_eight() {
  return whole_space({{"A", "", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1}, {"B", "", {1, 2, 3, 4, 5, 6, 7, 8}, 1}});
}

/// Keeps what it was asked.
class Listening final : public Replay {
 public:
  using Replay::Replay;
  Result<TrialsReport> trials(const TrialsRequest& request, const std::function<void(const Trial&)>& done,
                              const std::atomic<bool>& cancel) override {
    asked.push_back(request);
    return Replay::trials(request, done, cancel);
  }
  std::vector<TrialsRequest> asked;
};

TEST(Planning, ADeviceIsToldWhatComesAfterWhatItMeasures) {
  const RecordedSpace space = ten_by_eight();
  Listening device({space});
  const TuneRequest request = request_of(space, {space.times.begin()->first});
  ASSERT_TRUE(driven(request, device, {.finalists = 0, .compile_ahead = true}, kNever));
  EXPECT_EQ(device.tried.size(), space.times.size()) << "each once";
  ASSERT_GT(device.asked.size(), 2u);
  for (size_t i = 0; i + 1 < device.asked.size(); ++i) {
    const std::vector<ConfigsOfVariant>& next = device.asked[i].next;
    size_t configs = 0;
    for (size_t k = 0; k < next.size(); ++k) {
      ASSERT_LT(i + 1 + k, device.asked.size());
      const TrialsRequest& after = device.asked[i + 1 + k];
      EXPECT_EQ(next[k], (ConfigsOfVariant{after.problem, after.variant, after.configs}));
      configs += after.configs.size();
    }
    EXPECT_TRUE(configs >= 64 || i + 1 + next.size() == device.asked.size()) << "as many as there are threads for";
  }
  EXPECT_TRUE(device.asked.back().next.empty());
}

/// Leaves what is odd to later, once, where the request allows it.
class Postponing final : public Replay {
 public:
  using Replay::Replay;
  Result<TrialsReport> trials(const TrialsRequest& request, const std::function<void(const Trial&)>& done,
                              const std::atomic<bool>& cancel) override {
    TrialsRequest now = request;
    std::erase_if(now.configs,
                  [&](const Config& c) { return request.postpone && c.at("A") % 2 == 1 && late.insert(c).second; });
    if (now.configs.size() < request.configs.size()) ++postponed;
    return Replay::trials(
        now,
        [&](Trial t) {
          t.index = uint64_t(std::ranges::find(request.configs, t.config) - request.configs.begin());
          done(t);
        },
        cancel);
  }
  std::set<Config> late;
  int postponed = 0;
};

TEST(Planning, WhatADeviceLeavesUntilItIsCompiledIsAskedForLaterAndOnce) {
  const RecordedSpace space = ten_by_eight();
  Postponing device({space});
  const TuneRequest request = request_of(space, {space.times.begin()->first});
  Tuner tuner(request);
  Measurer* const devices[] = {&device};
  ASSERT_TRUE(drive(tuner, devices, {.finalists = 0, .compile_ahead = true}, kNever));
  EXPECT_GT(device.postponed, 1);
  EXPECT_EQ(device.tried.size(), space.times.size()) << "each once";
  EXPECT_EQ(tuner.progress().tried, space.times.size());
  EXPECT_EQ(tuner.progress().goal, space.times.size());
}

/// The first two requests have nothing ready until another one was measured.
class Slow final : public Replay {
 public:
  using Replay::Replay;
  Result<TrialsReport> trials(const TrialsRequest& request, const std::function<void(const Trial&)>& done,
                              const std::atomic<bool>& cancel) override {
    if (std::ranges::find(slow, request.configs) == slow.end()) {
      if (slow.size() == 2) other = true;
      slow.push_back(request.configs);
    }
    if (request.postpone && !other && ++visits < 20) return TrialsReport{};
    return Replay::trials(request, done, cancel);
  }
  std::vector<std::vector<Config>> slow;  ///< those that were asked for
  bool other = false;
  int visits = 0;
};

TEST(Planning, RequestsThatHaveNothingReadyDoNotHoldUpTheOthers) {
  const RecordedSpace space = ten_by_eight();
  Slow device({space});
  const TuneRequest request = request_of(space, {space.times.begin()->first});
  ASSERT_TRUE(driven(request, device, {.finalists = 0, .compile_ahead = true}, kNever));
  EXPECT_TRUE(device.other);
  EXPECT_LE(device.visits, 3);
  EXPECT_EQ(device.tried.size(), space.times.size()) << "each once";
}

TEST(Planning, ACancelIsHeardWhateverKeepsATick) {
  Barren device;
  std::atomic<bool> ticking{false}, ended{false}, cancel{false};
  bool stopped_first = false;
  device.first = [&] { cancel = await(ticking); };
  device.last = [&] { ended = true; };
  DriveOptions options{.finalists = 0};
  options.tick = [&](const std::string&) {
    ticking = true;
    stopped_first = await(ended);
  };
  ASSERT_TRUE(driven(barren_request(), device, options, cancel));
  EXPECT_TRUE(device.heard);
  EXPECT_TRUE(stopped_first);
}

}  // namespace attnscope::tune::planning_test
