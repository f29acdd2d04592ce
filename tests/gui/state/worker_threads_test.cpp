// Links by themselves: wishes that overtake each other, workers that never answer.
#include <signal.h>

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::worker_threads_test {

uint64_t samples_in(const std::vector<DeviceEvent>& news) {
  uint64_t samples = 0;
  for (const DeviceEvent& heard : news)
    if (const auto* event = std::get_if<RunEvent>(&heard.news))
      if (const auto* batch = std::get_if<SampleBatch>(&event->event)) samples += batch->samples_ns.size();
  return samples;
}

TEST_F(Linked, AWishThatIsChangedAndChangedBackWhileItsRunEndsIsServedOnceMore) {
  uint64_t samples = 0;
  const auto take = [&] { return samples += samples_in(links.take()); };
  links.at(0)->request(wish_of(32));
  ASSERT_TRUE(soon([&] { return take() > 20; }));
  // The run is told to end, and takes its time.
  world->hold_end = true;
  links.at(0)->request(wish_of(64));
  links.at(0)->request(wish_of(32));
  const int runs = world->runs;
  world->hold_end = false;
  EXPECT_TRUE(soon([&] { return world->runs > runs; })) << "the very same wish was taken for served";
  const uint64_t before = take();
  EXPECT_TRUE(soon([&] { return take() > before + 20; }));
}

TEST(WorkerThreads, AWorkerThatNeverAnsweredEndsWithItsLinkAndNotAtItsDeadline) {
  const TempDir dir;
  const std::string told = dir / "told";
  WorkerThreadOptions options;
  options.ending = std::make_shared<std::atomic<bool>>(false);
  WorkerOptions worker;
  worker.command = {"/bin/sh", "-c", "echo $$ > " + told + ".part; mv " + told + ".part " + told + "; exec sleep 600"};
  worker.deadline_s = worker.software_deadline_s = 600;
  worker.cancel_grace_s = 0.1;
  worker.cancel = options.ending.get();
  options.session = [worker, ending = options.ending] { return make_worker_session(worker); };
  WorkerThreads links({});
  const size_t number = links.add(options);
  links.at(number)->request(wish_of(32));
  ASSERT_TRUE(soon([&] { return fs::exists(told); }));
  pid_t pid = 0;
  std::ifstream(told) >> pid;
  ASSERT_GT(pid, 0);
  ASSERT_EQ(::kill(pid, 0), 0);
  links.end(number);
  EXPECT_TRUE(soon([&] { return ::kill(pid, 0) != 0; })) << "it would sleep for ten minutes";
}

TEST(WorkerThreads, TheirThreadsEndBeforeTheyDoThoseToldToEndBeforeToo) {
  const auto world = std::make_shared<FakeWorld>();
  {
    WorkerThreads links(fake_links(world));
    const size_t beside = links.add(fake_links(world).front());
    links.at(0)->request(wish_of(32));
    links.at(beside)->request(wish_of(32));
    ASSERT_TRUE(soon([&] { return world->runs == 2; }));
    world->hold_end = true;
    links.end(beside);
    std::thread([world] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      world->hold_end = false;
    }).detach();
  }
  EXPECT_FALSE(world->hold_end);
  EXPECT_FALSE(threads_left());
}

TEST(WorkerThreads, OneThatNeverEndsIsLeftBehindAfterTwoSecondsAndThatIsKnown) {
  const auto world = std::make_shared<FakeWorld>();
  double began = 0;
  {
    WorkerThreads links(fake_links(world));
    links.at(0)->request(wish_of(32));
    ASSERT_TRUE(soon([&] { return world->runs == 1; }));
    world->hold_end = true;
    began = steady_seconds();
  }
  EXPECT_NEAR(steady_seconds() - began, 2, 0.7);
  EXPECT_TRUE(threads_left()) << "main must not return while it runs";
  world->hold_end = false;
  EXPECT_TRUE(soon([&] { return !threads_left(); }));
}

TEST_F(Linked, WhoeverIsWokenMayCallThem) {
  links.on_news([&] { links.resume(); });
  WorkerRequest request = wish_of(32);
  request.quiet = true;
  links.at(0)->request(request);
  // Each batch of a paced run waits to be let on.
  uint64_t samples = 0;
  EXPECT_TRUE(soon([&] { return (samples += samples_in(links.take())) > 60; }));
}

TEST_F(Linked, WhatIsCancelledBeforeItBeganWakesTheWindow) {
  std::atomic<int> woken = 0;
  links.on_news([&] { ++woken; });
  // Nothing was wished: neither begins.
  links.at(0)->submit({.id = 1});
  links.cancel_jobs();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(links.take().size(), 1u);
  links.at(0)->search({.id = 1, .problem = *parse_problem("1x4x32x32"), .variants = {"naive"}});
  links.at(0)->search({.id = 2, .problem = *parse_problem("1x4x32x32"), .variants = {"naive"}});
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(links.take().size(), 1u);
  links.at(0)->cancel_search();
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(links.take().size(), 1u);
}

}  // namespace attnscope::gui::worker_threads_test
