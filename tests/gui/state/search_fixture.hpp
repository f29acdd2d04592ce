// A workbench with its link, its files and a fake session behind: searches as a person begins them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/files.hpp"
#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui {

class SearchTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  TempDir dir;
  std::unique_ptr<Workbench> bench;
  std::unique_ptr<WorkerThreads> links;

  void SetUp() override {
    open();
    ASSERT_TRUE(sampled());
  }
  /// A window anew, with the files of the one before.
  void open() {
    links.reset();
    bench = std::make_unique<Workbench>(GuiOptions{});
    std::vector<WorkerThreadOptions> options = test::fake_links(world);
    options.front().tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
    links = std::make_unique<WorkerThreads>(std::move(options));
  }
  void pump() { turn(*bench, *links); }
  template <class F>
  bool until(F done) {
    return repeat_until([&] { pump(); }, done, 20);
  }
  bool sampled() {
    return until([&] { return bench->timed() && bench->timed()->series.taken() >= 20; });
  }
  bool over() {
    return until([&] { return !bench->search.running(); });
  }
  void start(const std::optional<Search>& search) {
    ASSERT_TRUE(search);
    links->at(0)->search(*search);
  }
  const SearchState& searched() { return bench->search; }
  bool said(const std::string& words) {
    for (const LogLine& line : bench->messages.lines())
      if (line.text.find(words) != std::string::npos) return true;
    return false;
  }
};

}  // namespace attnscope::gui
