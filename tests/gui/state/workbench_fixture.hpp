// The workbench and its measuring thread together, with a fake session behind: no window, no device.
#pragma once

#include "app/gui/workbench/workbench.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {

inline WorkerRequest wish_of(int64_t rows) {
  return {.selection = Selection{*parse_problem("1x4x32x32"), "tiled", {{"BLOCK_M", rows}, {"BLOCK_N", 32}}}};
}

inline uint64_t samples_in(const std::vector<DeviceEvent>& news) {
  uint64_t samples = 0;
  for (const DeviceEvent& heard : news)
    if (const auto* event = std::get_if<RunEvent>(&heard.news))
      if (const auto* batch = std::get_if<SampleBatch>(&event->event)) samples += batch->samples_ns.size();
  return samples;
}

/// What a window does between frames.
inline void turn(Workbench& bench, WorkerThreads& links) {
  for (const DeviceEvent& heard : links.take()) bench.apply(heard, false, steady_seconds());
  bench.tick(steady_seconds());
  for (size_t worker = 0; worker < links.size(); ++worker)
    if (const auto request = bench.request_of(worker); request && links.at(worker)) links.at(worker)->request(*request);
  if (links.held()) links.resume();
}

/// Links with a fake session behind.
struct Linked : testing::Test {
  const TempDir dir;
  const std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  WorkerThreads links{fake_links(world)};
};

struct WorkbenchTest : Linked {
  GuiOptions options;
  Workbench bench{options};

  virtual void pump() { turn(bench, links); }
  /// Turns enough for whatever is asked for to have been dispatched, and to be inspected with the others.
  void settle() {
    for (int i = 0; i < 30; ++i) {
      pump();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  template <class F>
  bool until(F done) {
    return soon([&] {
      pump();
      return done();
    });
  }
  bool said(const std::string& words) {
    return std::ranges::any_of(bench.messages.lines(), [&](const LogLine& l) { return bool(has(l.text, words)); });
  }
  bool sampled(uint64_t count = 20) {
    return until([&] { return bench.live.timed() && bench.live.timed()->series.taken() >= count; });
  }
  /// With another BLOCK_M.
  bool sampled(uint64_t count, int64_t block_m) {
    bench.request.set_value("BLOCK_M", block_m);
    return sampled(count);
  }
  /// The shader is another, and that is known.
  bool edited(int version) {
    world->shader = version;
    bench.reload_shaders();
    return until(
        [&] { return bench.request.variant() && bench.request.variant()->hash == fmt::format("tiled-{}", version); });
  }
  const Live& live() { return bench.live.newest; }
  bool lost() { return bench.live.shown() && !bench.live.shown()->failure.empty(); }
};

/// Samples have come before a test begins.
struct Sampled : WorkbenchTest {
  void SetUp() override { ASSERT_TRUE(sampled(60)); }
};

}  // namespace attnscope::gui
