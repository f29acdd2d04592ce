// The real panels drawn off screen by scripts, with a fake session behind: no display, no worker.
#pragma once

#include "app/gui/shell/app.hpp"
#include "tests/gui/fake_session.hpp"

namespace attnscope::gui {

/// The folder stays when the test fails.
struct OffscreenTest : testing::Test {
  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  fs::path dir;
  GuiOptions options;

  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir = fs::temp_directory_path() /
          fmt::format("attnscope-{}-{}-{}", test->test_suite_name(), ::getpid(), test->name());
    fs::create_directories(dir);
    options.data_dir = fs::path(ATTNSCOPE_EXECUTABLE).parent_path().parent_path() / "assets";
    options.presets = {{"quick", "small ones", {*parse_problem("1x4x32x32"), *parse_problem("2x4x64x32")}}};
    options.script_timeout_s = 120;
    options.tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(dir);
  }

  /// `{}` in the script stands for the folder, "@NAME" for a dump that state(NAME) reads.
  Result<void> run(std::string script) {
    for (size_t at = script.find('@'); at != std::string::npos; at = script.find('@', at)) {
      const size_t end = script.find('\n', at);
      script.replace(at, end - at, "wait frames 4\ndump {}/" + script.substr(at + 1, end - at - 1) + ".json");
    }
    for (size_t at = script.find("{}"); at != std::string::npos; at = script.find("{}"))
      script.replace(at, 2, dir.string());
    std::ofstream(dir / "script.txt") << script;
    options.script = (dir / "script.txt").string();
    std::vector<WorkerThreadOptions> links = fake_links(world);
    links.front().tuning = options.tuning;
    return render_offscreen(options, std::move(links), dir / "out.png");
  }
  /// The same; a script that fails ends the test.
  void play(const std::string& script) {
    if (const auto done = run(script); !done) throw std::runtime_error(done.error().message);
  }
  /// The state at the end.
  Json state_after(const std::string& script) {
    play(script + "@state\n");
    return state();
  }
  Json state(const std::string& name = "state") { return *parse_json(*read_text(dir / (name + ".json")), name); }
  /// Whether a dump has all of `part`; a failure says what differs.
  testing::AssertionResult holds(const std::string& dump, const Json& part) {
    const Json all = state(dump);
    Json wanted = all;
    wanted.merge_patch(part);
    return wanted == all ? testing::AssertionSuccess() : testing::AssertionFailure() << dump << Json::diff(all, wanted);
  }
  /// What each of some dumps has at a JSON pointer.
  Json at(const char* pointer, const std::string& dumps) {
    return mapped(words(dumps), [&](const std::string& name) { return state(name).at(Json::json_pointer(pointer)); });
  }
};

}  // namespace attnscope::gui
