// Links by themselves: wishes that overtake each other, workers that never answer.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "app/gui/link_core.hpp"
#include "app/gui/links.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {
namespace {

template <class F>
bool until(F done) {
  for (const double limit = steady_seconds() + 30; steady_seconds() < limit;) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

Wish wish_of(int64_t rows) {
  Wish w;
  w.ask = Ask{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", rows}, {"BLOCK_N", 32}}};
  return w;
}

TEST(Link, AWishThatIsChangedAndChangedBackWhileItsRunEndsIsServedOnceMore) {
  const auto world = std::make_shared<test::FakeWorld>();
  Links links(test::fake_links(world));
  uint64_t samples = 0;
  const auto take = [&] {
    for (const Heard& heard : links.take())
      if (const auto* event = std::get_if<RunEvent>(&heard.news))
        if (const auto* batch = std::get_if<SampleBatch>(&event->event)) samples += batch->samples_ns.size();
    return samples;
  };
  links.wish(0, wish_of(32));
  ASSERT_TRUE(until([&] { return take() > 20; }));
  // The run is told to end, and takes its time.
  world->hold_end = true;
  links.wish(0, wish_of(64));
  links.wish(0, wish_of(32));
  const int runs = world->runs;
  world->hold_end = false;
  EXPECT_TRUE(until([&] { return world->runs > runs; })) << "the very same wish was taken for served";
  const uint64_t before = take();
  EXPECT_TRUE(until([&] { return take() > before + 20; }));
}

TEST(Links, AWorkerThatNeverAnsweredEndsWithItsLinkAndNotAtItsDeadline) {
  const std::filesystem::path told =
      std::filesystem::temp_directory_path() / ("attnscope-silent-" + std::to_string(::getpid()));
  LinkOptions options;
  options.ending = std::make_shared<std::atomic<bool>>(false);
  WorkerOptions worker;
  worker.command = {
      "/bin/sh", "-c",
      "echo $$ > " + told.string() + ".part; mv " + told.string() + ".part " + told.string() + "; exec sleep 600"};
  worker.deadline_s = worker.software_deadline_s = 600;
  worker.cancel_grace_s = 0.1;
  worker.cancel = options.ending.get();
  options.session = [worker, ending = options.ending] { return make_worker_session(worker); };
  Links links({});
  const size_t number = links.add(options);
  links.wish(number, wish_of(32));
  ASSERT_TRUE(until([&] { return std::filesystem::exists(told); }));
  pid_t pid = 0;
  std::ifstream(told) >> pid;
  std::filesystem::remove(told);
  ASSERT_GT(pid, 0);
  ASSERT_EQ(::kill(pid, 0), 0);
  links.end(number);
  EXPECT_TRUE(until([&] { return ::kill(pid, 0) != 0; })) << "it would sleep for ten minutes";
}

}  // namespace
}  // namespace attnscope::gui
