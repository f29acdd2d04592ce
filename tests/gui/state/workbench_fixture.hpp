// The workbench and its measuring thread together, with a fake session behind: no window, no device.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "app/gui/link_core.hpp"
#include "app/gui/workbench.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {

class WorkbenchTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  GuiOptions options;
  Workbench bench{options};
  Links links{test::fake_links(world)};

  void pump() {
    bench.tick(steady_seconds());
    for (const Heard& heard : links.take()) bench.apply(heard, false, steady_seconds());
    for (size_t worker = 0; worker < links.size(); ++worker)
      if (const auto wish = bench.wish(worker)) links.wish(worker, *wish);
    if (links.held()) links.resume();
  }

  /// Pumps until `done`; false after ten seconds.
  template <class F>
  bool until(F done) {
    const double limit = steady_seconds() + 10;
    while (steady_seconds() < limit) {
      pump();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool sampled(uint64_t count) {
    return until([&] { return bench.timed() && bench.timed()->series.taken() >= count; });
  }
  const Live& live() { return bench.running(); }
  bool lost() { return bench.shown() && !bench.shown()->failure.empty(); }
  double median() { return bench.timed() ? bench.timed()->series.statistics()->median : 0; }
};

}  // namespace attnscope::gui
