// A workbench with its link, its files and a fake session behind: searches as a person begins them.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/gui/link_core.hpp"
#include "app/gui/workbench.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {

class SearchTest : public testing::Test {
 protected:
  std::shared_ptr<test::FakeWorld> world = std::make_shared<test::FakeWorld>();
  std::filesystem::path dir;
  std::unique_ptr<Workbench> bench;
  std::unique_ptr<Links> links;

  void SetUp() override {
    dir = std::filesystem::temp_directory_path() / ("attnscope-search-" + std::to_string(::getpid()) + "-" +
                                                    testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(dir);
    open();
  }
  void TearDown() override {
    links.reset();
    std::filesystem::remove_all(dir);
  }
  /// A window anew, with the files of the one before.
  void open() {
    links.reset();
    bench = std::make_unique<Workbench>(GuiOptions{});
    std::vector<LinkOptions> options = test::fake_links(world);
    options.front().tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
    links = std::make_unique<Links>(std::move(options));
  }
  void pump() {
    for (const Heard& heard : links->take()) bench->apply(heard, false, steady_seconds());
    bench->tick(steady_seconds());
    if (const auto wish = bench->wish(0)) links->wish(0, *wish);
    if (links->held()) links->resume();
  }
  template <class F>
  bool until(F done) {
    const double limit = steady_seconds() + 20;
    while (steady_seconds() < limit) {
      pump();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  bool sampled() {
    return until([&] { return bench->timed() && bench->timed()->series.taken() >= 20; });
  }
  bool over() {
    return until([&] { return !bench->searched.running(); });
  }
  void start(const std::optional<Search>& search) {
    ASSERT_TRUE(search);
    links->search(0, *search);
  }
  const Searched& searched() { return bench->searched; }
  bool said(const std::string& words) {
    for (const LogLine& line : bench->messages.lines())
      if (line.text.find(words) != std::string::npos) return true;
    return false;
  }
};

}  // namespace attnscope::gui
