// The real panels drawn off screen by scripts, with a fake session behind: no display, no worker.

#include <cmath>

#include "app/gui/charts/across_chart.hpp"
#include "tests/gui/offscreen_fixture.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

class Offscreen : public OffscreenTest {
 protected:
  std::pair<int, int> png_size(const std::string& name) {
    std::ifstream file(dir / name, std::ios::binary);
    unsigned char head[24]{};
    file.read(reinterpret_cast<char*>(head), 24);
    if (!file || head[1] != 'P') return {0, 0};
    return {head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19],
            head[20] << 24 | head[21] << 16 | head[22] << 8 | head[23]};
  }
};

TEST_F(Offscreen, DraggingAParameterChangesItAndMeasuresTheNewConfig) {
  const auto done =
      run("wait samples 40\n"
          "dump " +
          path("before.json") +
          "\n"
          "drag param.BLOCK_M.32 param.BLOCK_M.16\n"
          "wait verified\nwait samples 40\n"
          "dump " +
          path("state.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(state("before.json")["ask"]["config"]["BLOCK_M"], 32);
  const Json after = state();
  EXPECT_EQ(after["ask"]["config"]["BLOCK_M"], 16);
  EXPECT_EQ(after["live"]["config"]["BLOCK_M"], 16);
  EXPECT_TRUE(after["live"]["verdict"]["pass"]);
  EXPECT_GE(after["live"]["samples"], 40);
  EXPECT_EQ(png_size("out.png"), std::pair(1280, 800));
}

TEST_F(Offscreen, ASearchIsStartedWatchedCancelledResumedAndAcceptedInItsPanel) {
  options.tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
  world->trials_allowed = 4;
  const auto begun =
      run("wait samples 20\ntab tuning\nclick search.more\nwait frames 3\nclick tuning.budget\nkey Ctrl+A\ntype "
          "soon\nkey Enter\nclick search.custom\n"
          "wait frames 3\ndump " +
          path("wrong.json") +
          "\nclick tuning.budget\nkey Ctrl+A\ntype 200\nkey Enter\nclick tuning.strategy\n"
          "click tuning.strategy.random\nclick tuning.variants.one\nclick search.custom\nwait trials 4\ndump " +
          path("running.json") + "\npicture " + path("running.png") +
          "\nclick search.cancel\nwait search\nwait samples 20\ndump " + path("cancelled.json") + "\n");
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_EQ(state("wrong.json")["search"]["measuring"], false) << "'soon' is no budget";
  const Json running = state("running.json");
  EXPECT_EQ(running["search"]["measuring"], true);
  EXPECT_EQ(running["search"]["strategy"], "random");
  EXPECT_EQ(running["state"], "waiting: a search") << "the window says why nothing is sampled";
  EXPECT_EQ(state("cancelled.json")["search"]["running"], false);

  world->trials_allowed = 1000;
  const auto done =
      run("wait samples 20\ntab tuning\nwait trials 4\nwait search\nclick search.more\nwait frames 3\nclick "
          "search.custom\nwait frames 2\nwait search\n"
          "wait samples 20\ndump " +
          path("done.json") + "\nclick raced.1\nwait samples 20\ndump " + path("row.json") +
          "\nclick search.save\nwait samples 20\nwait frames 10\ndump " + path("accepted.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json over = state("done.json");
  EXPECT_EQ(over["search"]["recalled"], 4) << "resumed";
  ASSERT_GE(over["tuning"]["raced"].size(), 2u);
  EXPECT_EQ(over["tuning"]["raced"][0]["word"], "FASTER");
  EXPECT_EQ(over["search"]["can_accept"], true);
  EXPECT_EQ(state("row.json")["ask"]["config"], over["tuning"]["raced"][1]["config"]) << "a row is clicked";
  const Json accepted = state("accepted.json");
  EXPECT_EQ(accepted["ask"]["config"], over["tuning"]["raced"][0]["config"]);
  EXPECT_EQ(accepted["search"]["kept"], true);
  EXPECT_EQ(accepted["tuned_caption"], "tuned here, just now");
  EXPECT_TRUE(accepted["widgets"].contains("config.provenance"));
  EXPECT_TRUE(fs::exists(dir / "tuned.json"));
}

TEST_F(Offscreen, TheSweepMapShowsLinesAxesAndSlicesAndACellIsTaken) {
  options.tuning = {dir / "tuned.json", dir / "shipped", dir / "trials"};
  const auto done =
      run("wait samples 20\nkey S\nwait trials 10\nwait search\nwait samples 20\nclick map.others.slice\n"
          "click map.x\nclick map.x.BLOCK_N\nwait frames 2\nhover map.cell.64.128\nwait frames 40\npicture " +
          path("refused.png") + "\ndump " + path("slice.json") +
          "\nclick map.cell.16.16\nwait samples 20\nclick view_of.search.lines\nwait frames 3\ndump " +
          path("lines.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json slice = state("slice.json");
  EXPECT_EQ(slice["tab"], "map");
  EXPECT_EQ(slice["sweep_map"]["variant"], "tiled");
  EXPECT_EQ(slice["sweep_map"]["x"], "BLOCK_N");
  EXPECT_EQ(slice["sweep_map"]["y"], "BLOCK_M") << "the axes changed places";
  EXPECT_EQ(slice["sweep_map"]["best_of"], false);
  int refused = 0;
  for (const Json& cell : slice["sweep_map"]["cells"]) refused += cell["state"] == "refused";
  EXPECT_EQ(refused, 3);
  const Json lines = state("lines.json");
  EXPECT_EQ(lines["ask"]["config"]["BLOCK_M"], 16);
  EXPECT_EQ(lines["ask"]["config"]["BLOCK_N"], 16);
  EXPECT_TRUE(lines["widgets"].contains("map.lines"));
}

TEST_F(Offscreen, EveryControlAnswersToItsName) {
  const auto done =
      run("wait samples 20\n"
          "click problem.text\nkey Ctrl+A\ntype 2x4x64x32:causal\nkey Enter\n"
          "wait samples 20\n"
          "click metric.tflops\nclick pin\n"
          "click variant.naive\nwait samples 20\nclick pin\n"
          "click tab.across\nclick across.measure\nwait seconds 0.1\nwait job\n"
          "click cache.cold\nwait samples 20\n"
          "key Ctrl+Z\nwait samples 20\n"
          "dump " +
          path("state.json") +
          "\n"
          "picture-of across.plot " +
          path("chart.png") +
          "\n"
          "export " +
          path("results.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json s = state();
  EXPECT_EQ(s["ask"]["problem"], to_text(*parse_problem("2x4x64x32:causal")));
  EXPECT_EQ(s["ask"]["variant"], "tiled") << "undone";
  EXPECT_EQ(s["metric"], "tflops");
  EXPECT_EQ(s["cache"], "cold");
  EXPECT_EQ(s["pins"].size(), 2u);
  EXPECT_EQ(s["results"].size(), 4u) << "two pins on two problems";
  EXPECT_EQ(s["pins"][0]["scratch_bytes"], 0);
  EXPECT_EQ(s["pins"][1]["scratch_bytes"], 4096) << "what the algorithms allocate is compared too";
  EXPECT_EQ(s["pins"][1]["moved_bytes"].get<double>(), s["pins"][0]["moved_bytes"].get<double>() + 8192);
  EXPECT_GT(png_size("chart.png").first, 300);
  const auto results = read_results(dir / "results.json");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_GE(results->records.size(), 5u);
}

TEST_F(Offscreen, IllegalValuesDoNotAnswerToClicks) {
  const auto done =
      run("wait samples 20\nclick param.BLOCK_M.128\nwait frames 5\nclick variants.not_here\nclick "
          "variant.matrix\nwait frames 5\n"
          "dump " +
          path("state.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json s = state();
  EXPECT_EQ(s["ask"]["config"]["BLOCK_M"], 32);
  EXPECT_EQ(s["ask"]["variant"], "tiled");
  EXPECT_EQ(s["widgets"]["param.BLOCK_M.128"]["enabled"], false);
  EXPECT_EQ(s["widgets"]["variant.matrix"]["enabled"], false);
}

TEST_F(Offscreen, TheTimingPlotIsZoomedMovedAndReadByMouse) {
  const auto dumped = [&](const std::string& name) { return "wait frames 3\ndump " + path(name) + "\n"; };
  const auto done = run("wait samples 650\n" + dumped("0.json") +                      //
                        "scroll timing.data 4\n" + dumped("1.json") +                  //
                        "wait samples 1200\n" + dumped("2.json") +                     //
                        "drag timing.data 80 0\n" + dumped("3.json") +                 //
                        "hover timing.data 20 -10\n" + dumped("4.json") +              //
                        "double-click timing.data\n" + dumped("5.json") +              //
                        "scroll timing.y 2\n" + dumped("6.json") +                     //
                        "click timing.follow\n" + dumped("7.json") +                   //
                        "scroll timing.x -2\nclick timing.log\n" + dumped("8.json") +  //
                        "hover param.BLOCK_M.16\n" + dumped("state.json"));
  ASSERT_TRUE(done) << done.error().message;
  std::vector<Json> view;
  for (int i = 0; i < 9; ++i) view.push_back(state(std::to_string(i) + ".json")["view"]);
  const auto wide = [](const Json& v) { return v["last"].get<double>() - v["first"].get<double>(); };
  EXPECT_TRUE(view[0]["follow"]);
  EXPECT_FALSE(state("0.json")["widgets"]["timing.follow"]["enabled"]);
  EXPECT_FALSE(view[1]["follow"]);
  EXPECT_EQ(wide(view[0]), 600);
  EXPECT_NEAR(wide(view[1]), 600 * std::pow(0.85, 4), 0.01);
  EXPECT_EQ(view[1], view[2]) << "new samples do not move a view that was chosen";
  EXPECT_NEAR(wide(view[3]), wide(view[2]), 1e-6);
  EXPECT_LT(view[3]["first"].get<double>(), view[2]["first"].get<double>() - 1)
      << "dragged to the right: older samples";
  EXPECT_DOUBLE_EQ(view[3]["low"].get<double>(), view[2]["low"].get<double>());
  EXPECT_TRUE(state("4.json")["widgets"].contains("timing.nearest")) << "the sample under the mouse is told";
  EXPECT_FALSE(state()["widgets"].contains("timing.nearest"));
  EXPECT_TRUE(view[5]["follow"]) << "double click";
  EXPECT_EQ(wide(view[5]), 600);
  EXPECT_FALSE(view[6]["follow"]);
  EXPECT_EQ(wide(view[6]), 600) << "over the value axis only that one is zoomed";
  EXPECT_TRUE(view[7]["follow"]);
  EXPECT_FALSE(view[7]["log"]);
  EXPECT_GT(wide(view[8]), 600);
  EXPECT_TRUE(view[8]["log"]);
  EXPECT_GT(view[8]["low"].get<double>(), 0);
}

TEST_F(Offscreen, TheLegendLiesBesideTheDataAndSwitchesPins) {
  const auto done =
      run("wait samples 60\npin\nset BLOCK_M 16\nwait samples 60\npin\nwait frames 3\n"
          "dump " +
          path("before.json") +
          "\n"
          "click timing.legend.1\nwait frames 3\n"
          "dump " +
          path("state.json") +
          "\n"
          "click tab.across\nwait frames 4\nhover across.bar.2.0\nwait frames 2\nclick across.legend.2\nwait frames 3\n"
          "dump " +
          path("across.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json before = state("before.json")["widgets"];
  for (const char* id : {"timing.legend.live", "timing.legend.1", "timing.legend.2"}) {
    ASSERT_TRUE(before.contains(id)) << id;
    EXPECT_LE(before[id]["y"].get<double>() + before[id]["h"].get<double>(), before["timing.data"]["y"].get<double>())
        << id;
  }
  EXPECT_FALSE(state()["pins"][0]["shown"]);
  EXPECT_TRUE(state()["pins"][1]["shown"]);
  EXPECT_TRUE(state()["widgets"].contains("timing.legend.1")) << "hidden, and there to be shown again";
  EXPECT_FALSE(state("across.json")["pins"][1]["shown"]);
}

TEST_F(Offscreen, TwentyPinsLeaveThePlotItsRoomOnASmallWindow) {
  options.width = 1024;
  options.height = 640;
  std::string script = "wait samples 40\n";
  for (int i = 0; i < 20; ++i) script += "pin\nwait frames 1\n";
  const auto done = run(script + "wait frames 3\ndump " + path("state.json") + "\n");
  ASSERT_TRUE(done) << done.error().message;
  const Json s = state();
  ASSERT_EQ(s["pins"].size(), 20u);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(s["pins"][i]["slot"], i);
  const Json& w = s["widgets"];
  ASSERT_TRUE(w.contains("timing.legend.more")) << "what has no room is counted";
  EXPECT_GE(w["timing.data"]["h"].get<double>(), 24);
  for (const auto& [id, r] : w.items()) {
    if (!id.starts_with("timing.") || id == "timing.plot" || id == "timing.x") continue;
    EXPECT_LE(r["x"].get<double>() + r["w"].get<double>(), w["splitter.right"]["x"].get<double>() + 1) << id;
  }
}

TEST_F(Offscreen, SettingsAndLayoutAreRemembered) {
  options.settings_path = path("settings.json");
  auto first =
      run("wait ready\nvariant naive\ntab log\nmetric gbps\nwait frames 5\nclick timing.log\ndrag splitter.left 60 "
          "0\nwait frames 3\n");
  ASSERT_TRUE(first) << first.error().message;
  auto second = run("wait ready\ndump " + path("state.json") + "\n");
  ASSERT_TRUE(second) << second.error().message;
  const Json s = state();
  EXPECT_EQ(s["ask"]["variant"], "naive");
  EXPECT_EQ(s["tab"], "log");
  EXPECT_EQ(s["metric"], "gbps");
  EXPECT_TRUE(s["view"]["log"]);
  EXPECT_GT(s["widgets"]["splitter.left"]["x"].get<double>(), 292 + 40);
}

TEST_F(Offscreen, AWaitThatCannotEndSaysSoWithItsLine) {
  auto gave_up = run("wait ready\nwait failure timeout=0.3\n");
  ASSERT_FALSE(gave_up);
  EXPECT_EQ(gave_up.error().kind, ErrorKind::bad_input);
  EXPECT_NE(gave_up.error().message.find("line 2"), std::string::npos) << gave_up.error().message;
  auto refused = run("wait ready\nconfig BLOCK_M=128,BLOCK_N=64\nwait samples 5\n");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("32768"), std::string::npos) << refused.error().message;
  auto unknown = run("wait ready\nclick param.NOSUCH\n");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("param.BLOCK_M"), std::string::npos) << unknown.error().message;
}

TEST_F(Offscreen, AnUnwritablePictureIsRefusedFirst) {
  const auto done = render_offscreen(options, test::fake_links(world), "/nonexistent/folder/out.png");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(world->runs, 0);
}

TEST_F(Offscreen, TenThousandRecordsCostAFrameNoMoreThanWhatIsSeen) {
  Record r;
  r.variant = "tiled";
  r.config = {{"BLOCK_M", 64}, {"BLOCK_N", 64}};
  r.samples_ns = {1e6, 1.1e6, 1.2e6};
  r.statistics = summarize(r.samples_ns);
  r.outcome = Outcome::measured;
  r.flops = r.bytes = 1e9;
  constexpr uint32_t kMany = 10000;
  std::vector<Record> records;
  for (uint32_t i = 0; i < kMany; ++i) {
    r.problem = *parse_problem("1x4x32x32");
    r.problem.seq_q = r.problem.seq_kv = i + 1;
    r.seed = i + 1;
    records.push_back(r);
  }
  ASSERT_TRUE(write_results(dir / "given.json", {.records = records}));
  options.results = {dir / "given.json"};
  options.measure = false;
  std::string script = "wait ready\n";
  for (const char* tab : {"compare", "across", "log"})
    script += fmt::format("tab {0}\nwait frames 3\nreset-frames\nwait frames 5\ndump {1}\n", tab,
                          path(std::string(tab) + ".json"));
  const auto done = run(script);
  ASSERT_TRUE(done) << done.error().message;
  for (const char* tab : {"compare", "across", "log"}) {
    const Json s = state(std::string(tab) + ".json");
    EXPECT_EQ(s["pins"].size(), kMany);
    // What is drawn has a name, so this counts it; a group of bars has one for each of 24 pins.
    EXPECT_LT(s["widgets"].size(), 300 + 24 * kChartProblems) << tab;
    RecordProperty(std::string(tab) + "_mean_ms", s["frames"]["mean_ms"].dump());
  }
  EXPECT_EQ(world->runs, 0) << "pictures of result files dispatch nothing";
  EXPECT_GE(state("across.json")["bar_problems"].size(), kMany) << "all are kept, and measured when asked";
}

}  // namespace
}  // namespace attnscope::gui
