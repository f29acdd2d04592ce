// The real window on a display of its own, driven by real events; measured by real workers on the software device.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "tests/gui/desktop.hpp"

namespace attnscope::gui {
namespace {

using namespace test;

class Window : public DesktopTest {
 protected:
  std::string problem = "1x4x64x32";

  void open(const std::string& script, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--problem", problem, "--variant", "tiled"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    open_window(script, arguments);
  }
  /// Another legal value of BLOCK_M than the present one.
  static int another_block_m(const json& s) {
    const int now = s["ask"]["config"]["BLOCK_M"];
    for (const auto& [id, w] : s["widgets"].items()) {
      const std::string prefix = "param.BLOCK_M.";
      if (!id.starts_with(prefix) || id.ends_with("label") || w["enabled"] == false) continue;
      if (const int value = std::stoi(id.substr(prefix.size())); value != now) return value;
    }
    return 0;
  }
};

TEST_F(Window, ADragWithTheMouseChangesBlockMWhichIsVerifiedAndSampledAnew) {
  open("dump state.json every=0.2\n");
  const json before = until([](const json& s) { return sampled(s, 20); });
  ASSERT_FALSE(before.is_null()) << said() << state().dump(1).substr(0, 3000);
  const int was = before["ask"]["config"]["BLOCK_M"], wanted = another_block_m(before);
  ASSERT_NE(wanted, 0);
  const std::string from = at(before, "param.BLOCK_M." + std::to_string(was)),
                    to = at(before, "param.BLOCK_M." + std::to_string(wanted));
  hand("mousemove " + from + " sleep 0.3 mousedown 1 sleep 0.3 mousemove " + to + " sleep 0.3 mouseup 1");
  const json after = until([&](const json& s) {
    return s["ask"]["config"]["BLOCK_M"] == wanted && s["live"]["config"]["BLOCK_M"] == wanted && sampled(s, 20);
  });
  ASSERT_FALSE(after.is_null()) << said() << state()["ask"] << state()["live"];
  EXPECT_EQ(after["live"]["verdict"]["pass"], true);
  EXPECT_EQ(after["tried"].size(), 1u) << "the config before went into the session log";

  hand("key ctrl+s");
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(dir / "attnscope-window.png") && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GT(fs::exists(dir / "attnscope-window.png") ? fs::file_size(dir / "attnscope-window.png") : 0, 20000u);
  hand("key ctrl+z");
  EXPECT_FALSE(until([&](const json& s) { return s["ask"]["config"]["BLOCK_M"] == was; }).is_null())
      << "Ctrl+Z takes it back";
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(15), 0) << said();
}

TEST_F(Window, AKilledWorkerIsSaidAndTheNextConfigIsMeasured) {
  open("dump state.json every=0.2\n");
  const json before = until([](const json& s) { return sampled(s, 20); });
  ASSERT_FALSE(before.is_null()) << said();
  const auto workers = children_of(window->pid(), "worker");
  ASSERT_EQ(workers.size(), 1u);
  ASSERT_EQ(::kill(workers[0], SIGKILL), 0);
  const json lost = until([](const json& s) { return s["live"]["failure"] != ""; });
  ASSERT_FALSE(lost.is_null()) << said();
  EXPECT_NE(lost["live"]["failure"].get<std::string>().find("signal 9"), std::string::npos) << lost["live"]["failure"];
  EXPECT_EQ(lost["log"].back()["level"], "error");
  const int wanted = another_block_m(lost);
  click("param.BLOCK_M." + std::to_string(wanted));
  const json next = until([&](const json& s) { return s["live"]["config"]["BLOCK_M"] == wanted && sampled(s, 20); });
  ASSERT_FALSE(next.is_null()) << said() << state()["live"];
  EXPECT_EQ(next["live"]["verdict"]["pass"], true);
  const auto now = children_of(window->pid(), "worker");
  ASSERT_EQ(now.size(), 1u);
  EXPECT_NE(now[0], workers[0]);
}

TEST_F(Window, AShaderThatNeverEndsIsEndedAndTheNextConfigIsMeasured) {
  // Not one endless loop, which llvmpipe leaves after 65,535 turns, but more work than anyone waits for.
  fs::create_directories(dir / "more" / "endless");
  std::ofstream(dir / "more" / "endless" / "manifest.toml") << R"(
title = "Endless"
summary = "Does not come back."
dtypes = ["f32"]
[[parameter]]
name = "ROUNDS"
meaning = "how long"
values = [1000]
[[pass]]
name = "spin"
shader = "spin.comp"
grid = ["total_q * ROUNDS", "heads_q"]
constants = { WORKGROUP = "1024" }
)";
  std::ofstream(dir / "more" / "endless" / "spin.comp") << R"(#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 1024;
layout(constant_id = 1) const uint ROUNDS = 1000;
#include "common/bindings.glsl"
OUTPUT(o, BINDING_O)
void main() {
    float x = float(gl_GlobalInvocationID.x);
    for (uint a = 0; a < ROUNDS; ++a)
        for (uint b = 0; b < ROUNDS; ++b)
            [[unroll]] for (uint c = 0; c < 64; ++c)
                x = sin(x + float(a ^ b) + float(c));
    if (gl_GlobalInvocationID.xy == uvec2(0))
        store4_o(0, 0, 4, vec4(x));
}
)";
  open(
      "dump state.json every=0.2\n"
      "wait samples 10 timeout=90\n"
      "variant endless\nwait failure timeout=120\n"
      "dump lost.json\n"
      "variant tiled\nwait verified timeout=90\nwait samples 20 timeout=90\n"
      "dump after.json\nquit\n",
      {"--shaders", (dir / "more").string(), "--deadline", "4"});
  EXPECT_EQ(window->wait(300), 0) << said();
  const json lost = read_json(dir / "lost.json"), after = read_json(dir / "after.json");
  ASSERT_TRUE(lost.is_object() && after.is_object()) << said();
  EXPECT_NE(lost["live"]["failure"].get<std::string>().find("deadline"), std::string::npos) << lost["live"]["failure"];
  EXPECT_EQ(lost["live"]["variant"], "endless");
  EXPECT_EQ(after["live"]["variant"], "tiled");
  EXPECT_EQ(after["live"]["verdict"]["pass"], true);
  EXPECT_GT(after["frames"]["count"].get<int>(), lost["frames"]["count"].get<int>());
}

TEST_F(Window, AWorkerBehindAnotherCommandGivesTheSameVerdictAndSamples) {
  const std::string command = "sh -c 'exec " + std::string(ATTNSCOPE_EXECUTABLE) + " worker'";
  open("wait verified timeout=90\nwait samples 20 timeout=90\ndump state.json\nexport results.json\nquit\n",
       {"--worker", command});
  EXPECT_EQ(window->wait(200), 0) << said();
  const json s = state(), results = read_json(dir / "results.json");
  ASSERT_TRUE(s.is_object() && results.is_object()) << said();
  EXPECT_EQ(s["live"]["verdict"]["pass"], true);
  EXPECT_EQ(results["records"][0]["problem"], "1x4x64x32:f32");
  EXPECT_EQ(results["records"][0]["variant"], "tiled");
  EXPECT_GE(results["records"][0]["samples_ns"].size(), 20u);
}

// How many frames a second is for a benchmark to say; that they come, and that none falls into a batch, is for this
// test.
TEST_F(Window, WhyExplainsTheRunThatIsShownAndLeadsToTheParameterItNames) {
  // 100 queries and keys: much of the tiles is padding.
  problem = "1x2x100x64";
  open("dump state.json every=0.2\n");
  json s = until([](const json& j) { return sampled(j, 20); });
  ASSERT_FALSE(s.is_null()) << said();
  const auto click = [&](const json& j, const std::string& id) {
    hand("mousemove " + at(j, id) + " sleep 0.3 mousedown 1 sleep 0.2 mouseup 1");
  };
  click(s, "tab.why");
  s = until([](const json& j) { return j["why"].is_object() && !j["why"]["advice"].empty(); });
  ASSERT_FALSE(s.is_null()) << said() << state()["why"];
  EXPECT_FALSE(s["why"].contains("floor_us")) << "no ceilings are known yet";
  click(s, "why.peaks");
  s = until([](const json& j) { return j["peaks"] == true && j["why"].is_object() && j["why"].contains("floor_us"); });
  ASSERT_FALSE(s.is_null()) << said() << state()["why"];
  const json& first = s["why"]["advice"][0];
  ASSERT_NE(first["parameter"], "") << s["why"];
  const std::string parameter = first["parameter"];
  const int was = s["ask"]["config"][parameter];
  click(s, "why.take.0");
  s = until([&](const json& j) { return j["ask"]["config"][parameter] != was && sampled(j, 5); });
  ASSERT_FALSE(s.is_null()) << said() << state()["ask"];
  click(s, "tab.tiles");
  s = until([](const json& j) { return j["widgets"].contains("tiles.map") && j["tiles"].is_object(); });
  ASSERT_FALSE(s.is_null()) << said();
  EXPECT_GT(s["tiles"]["padded"], 0);
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(15), 0) << said();
}

TEST_F(Window, QuietModeDrawsBetweenBatchesAlone) {
  problem = "2x4x64x32";
  open(
      "wait samples 20 timeout=90\nreset-frames\nwait frames 60 timeout=90\nwait samples 60 timeout=90\ndump "
      "state.json\nquit\n");
  ASSERT_EQ(window->wait(300), 0) << said();
  const json s = state();
  EXPECT_EQ(s["quiet"], true);
  EXPECT_GE(s["frames"]["count"], 60);
  EXPECT_GE(s["live"]["samples"], 60) << "samples go on while frames come";
  EXPECT_EQ(s["live"]["disturbed"], 0) << "nobody touched the window, so no frame was drawn in a batch";
}

TEST_F(Window, NumbersTakeEffectByTabAndByAClickElsewhere) {
  open("measure off\ndump state.json every=0.2\n");
  const json before =
      until([](const json& s) { return s["widgets"].contains("problem.seq") && s["variants_known"] == true; });
  ASSERT_FALSE(before.is_null()) << said();
  hand("mousemove " + at(before, "problem.seq") + " click 1 sleep 0.3 key ctrl+a type 96");
  hand("sleep 0.3 key Tab");
  EXPECT_FALSE(until([](const json& s) { return s["ask"]["problem"] == "1x4x96x32:q=64:f32"; }).is_null())
      << state()["ask"];
  hand("mousemove " + at(before, "problem.q") + " click 1 sleep 0.3 key ctrl+a type 48");
  hand("sleep 0.3 mousemove " + at(before, "verdict.light") + " click 1");
  EXPECT_FALSE(until([](const json& s) { return s["ask"]["problem"] == "1x4x96x32:q=48:f32"; }).is_null())
      << state()["ask"];
  hand("mousemove " + at(before, "problem.q") + " click 1 sleep 0.3 key ctrl+a type 7");
  hand("sleep 0.3 key Escape sleep 0.3 key ctrl+q");
  EXPECT_EQ(window->wait(30), 0) << said();
  EXPECT_EQ(state()["ask"]["problem"], "1x4x96x32:q=48:f32") << "Escape takes an edit back";
}

TEST_F(Window, SelectingAllThenTypingReplacesHoweverFastOneTypes) {
  open("measure off\ndump state.json every=0.2\n");
  const json before =
      until([](const json& s) { return s["widgets"].contains("problem.text") && s["variants_known"] == true; });
  ASSERT_FALSE(before.is_null()) << said();
  const std::string field = at(before, "problem.text");
  for (const int seq : {40, 56, 72, 88, 104}) {
    const std::string text = "1x4x" + std::to_string(seq) + "x32:f32";
    hand("mousemove " + field + " click 1 sleep 0.2 key --delay 1 ctrl+a type --delay 1 " + text);
    hand("key --delay 1 Return");
    ASSERT_FALSE(until([&](const json& s) { return s["ask"]["problem"] == text; }, 15).is_null())
        << text << ": " << state()["ask"];
  }
}

TEST_F(Window, EscapeClosesTheListOfPresets) {
  open("measure off\ndump state.json every=0.2\n");
  const json before =
      until([](const json& s) { return s["widgets"].contains("problem.presets") && s["variants_known"] == true; });
  ASSERT_FALSE(before.is_null()) << said();
  hand("mousemove " + at(before, "problem.presets") + " click 1");
  ASSERT_FALSE(until([](const json& s) { return s["widgets"].contains("problem.preset.quick.0"); }).is_null())
      << "it opens";
  hand("key Escape");
  EXPECT_FALSE(until([](const json& s) { return !s["widgets"].contains("problem.preset.quick.0"); }, 15).is_null());
}

TEST_F(Window, AnEditedShaderIsMeasuredAnewAndNothingOfTheOldOneIsShown) {
  // The real thing: a shipped variant copied, edited to do its work many times, reloaded.
  const fs::path mine = dir / "more" / "mine";
  fs::create_directories(mine);
  fs::copy(fs::path(ATTNSCOPE_SOURCE_DIR) / "shaders" / "row", mine, fs::copy_options::recursive);
  open("variant mine\nwait samples 40 timeout=120\npin\ndump before.json\ndump state.json every=0.2\n",
       {"--shaders", (dir / "more").string()});
  ASSERT_FALSE(until([&](const json&) { return fs::exists(dir / "state.json"); }).is_null()) << said();
  const json before = read_json(dir / "before.json");
  ASSERT_NE(before["headline"], "");
  std::string shader;
  for (const auto& file : fs::directory_iterator(mine))
    if (file.path().extension() == ".comp") shader = file.path();
  const std::string whole = read_file(shader);
  std::ofstream(shader) << whole << "\nthis is no GLSL\n";
  hand("key F5");
  const json broken = until([](const json& s) {
    for (const json& v : s["variants"])
      if (v["name"] == "mine" && v["error"] != "") return true;
    return false;
  });
  ASSERT_FALSE(broken.is_null()) << said();
  EXPECT_EQ(broken["headline"], "") << "what the version before measured is not this one's";
  EXPECT_EQ(broken["ask"]["config"], before["ask"]["config"]) << "a syntax error resets nothing";
  EXPECT_EQ(broken["pins"].size(), 1u);
  std::ofstream(shader) << whole << "\n// edited\n";
  hand("key F5");
  const std::string old_hash = before["live"]["shader_hash"];
  const json after = until([&](const json& s) {
    return s["live"].contains("shader_hash") && s["live"]["shader_hash"] != old_hash && s["headline"] != "" &&
           s["live"]["timed"] == true;
  });
  ASSERT_FALSE(after.is_null()) << said() << state()["live"];
  EXPECT_EQ(after["pins"][0]["shader_hash"], old_hash) << "the pin stays what it was";
}

TEST_F(Window, WhatIsWrongRefusedOfAnotherModeOrWaitingShowsNobodysNumber) {
  fs::create_directories(dir / "more" / "zeros");
  std::ofstream(dir / "more" / "zeros" / "manifest.toml") << R"(
title = "Zeros"
summary = "Writes nothing but zeros: wrong for every input."
dtypes = ["f32"]
[[pass]]
name = "write"
shader = "zeros.comp"
grid = ["total_q", "heads_q"]
constants = { WORKGROUP = "32", ROWS_Q = "total_q", DIM_V = "v_dim" }
)";
  std::ofstream(dir / "more" / "zeros" / "zeros.comp") << R"(#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 32;
layout(constant_id = 1) const uint ROWS_Q = 1;
layout(constant_id = 2) const uint DIM_V = 4;
#include "common/bindings.glsl"
OUTPUT(o, BINDING_O)
void main() {
    const uint row = gl_WorkGroupID.y * ROWS_Q + gl_WorkGroupID.x;
    for (uint d = 4 * gl_LocalInvocationID.x; d < DIM_V; d += 4 * WORKGROUP)
        store4_o(row * DIM_V + d, 0, 4, vec4(0));
}
)";
  std::string pins;
  for (int i = 0; i < 14; ++i) pins += "pin\n";
  open("wait samples 40 timeout=120\n" + pins +
           "wait seconds 4\ndump pins.json\n"
           "variant zeros\ndump switched.json\nwait verified timeout=120\nwait seconds 1\ndump wrong.json\nexport "
           "wrong-results.json\n"
           "variant tiled\nset V_ROWS 64\nwait frames 20\ndump refused.json\n"
           "config default\nwait samples 20 timeout=120\n"
           "cache cold\ndump cold-at-once.json\nwait samples 10 timeout=120\ndump cold.json\ncache hot\nwait samples "
           "10 timeout=120\n"
           "add-problem 1x4x64x32\nmeasure-all\nset BLOCK_M 16\ndump job.json\ncancel\nquit\n",
       {"--shaders", (dir / "more").string()});
  ASSERT_EQ(window->wait(400), 0) << said();
  const auto dumped = [&](const char* name) { return read_json(dir / (std::string(name) + ".json")); };
  const json all = dumped("pins");
  ASSERT_EQ(all["pins"].size(), 14u);
  EXPECT_NE(all["headline"], "");
  for (const json& pin : all["pins"]) {
    EXPECT_NE(pin["live_is"], "") << "every pin has its word";
    EXPECT_EQ(pin["live_is"], all["pins"][0]["live_is"]) << "and equal pins have equal words";
  }
  EXPECT_EQ(dumped("switched")["headline"], "") << "the tiled number does not stand under another variant's name";
  const json wrong = dumped("wrong");
  EXPECT_EQ(wrong["verdict_word"], "Wrong");
  EXPECT_EQ(wrong["headline"], "");
  EXPECT_EQ(wrong["widgets"]["pin"]["enabled"], false) << "what is wrong cannot be pinned";
  for (const json& pin : wrong["pins"]) EXPECT_EQ(pin["live_is"], "") << "nor is it the same as anything";
  size_t failed = 0;
  const json results = dumped("wrong-results");
  for (const json& r : results["records"]) {
    if (r["variant"] != "zeros") continue;
    ++failed;
    EXPECT_EQ(r["outcome"], "failed");
    EXPECT_TRUE(r["samples_ns"].empty());
    EXPECT_TRUE(r["statistics"].is_null());
  }
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(dumped("refused")["headline"], "");
  EXPECT_EQ(dumped("refused")["verdict_word"], "Refused");
  EXPECT_EQ(dumped("cold-at-once")["headline"], "") << "hot samples are not called cold";
  EXPECT_EQ(dumped("cold")["live"]["cache"], "cold");
  EXPECT_NE(dumped("cold")["headline"], "");
  const json cold = dumped("cold");
  for (const json& pin : cold["pins"]) EXPECT_EQ(pin["cache"], "hot") << "a pin stays what it was";
  EXPECT_EQ(dumped("job")["job"]["running"], true);
  EXPECT_EQ(dumped("job")["headline"], "") << "while all is measured the config asked for has no number yet";
}

TEST_F(Window, PinsAndLogAreBackAfterClosing) {
  const std::string settings = (dir / "window.json").string();
  const std::vector<std::string> keep = {"--settings", settings};
  open("wait samples 20 timeout=90\npin\nset BLOCK_M 16\nwait samples 20 timeout=90\npin\ndump state.json\nquit\n",
       keep);
  ASSERT_EQ(window->wait(300), 0) << said();
  const json first = state();
  open("measure off\nwait ready\ndump state.json\nquit\n", keep);
  ASSERT_EQ(window->wait(120), 0) << said();
  const json second = state();
  ASSERT_EQ(second["pins"].size(), 2u) << said();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second["pins"][i]["statistics"], first["pins"][i]["statistics"]);
    EXPECT_EQ(second["pins"][i]["slot"], first["pins"][i]["slot"]);
    EXPECT_EQ(second["pins"][i]["samples"], first["pins"][i]["samples"]);
  }
  EXPECT_GE(second["tried"].size(), 1u);
  std::ofstream(dir / "window.session.json") << "{\"schema\": 1, \"pins\": [";
  open("measure off\nwait ready\ndump state.json\nquit\n", keep);
  ASSERT_EQ(window->wait(120), 0) << said();
  EXPECT_TRUE(state()["pins"].empty());
  EXPECT_TRUE(fs::exists(dir / "window.session.json.bad")) << "set aside, not lost and not in the way";
}

TEST_F(Window, AServerThatGoesAwayIsNoFailedVerdictAndCostsNoPins) {
  const std::string settings = (dir / "window.json").string();
  open("wait samples 20 timeout=90\npin\ndump state.json every=0.05\nwait seconds 300 timeout=400\n",
       {"--settings", settings});
  ASSERT_FALSE(until([](const json& s) { return s["pins"].size() == 1; }).is_null()) << said();
  display.reset();
  EXPECT_EQ(window->wait(30), 4) << said();
  EXPECT_NE(said().find("The display went away"), std::string::npos) << said();
  EXPECT_EQ(read_json(dir / "window.session.json")["pins"].size(), 1u) << said();
}

TEST_F(Window, ASignalClosesItAndKeepsThePins) {
  const std::string settings = (dir / "window.json").string();
  open("wait samples 20 timeout=90\npin\ndump state.json every=0.05\nwait seconds 300 timeout=400\n",
       {"--settings", settings});
  ASSERT_FALSE(until([](const json& s) { return s["pins"].size() == 1; }).is_null()) << said();
  ::kill(window->pid(), SIGHUP);
  EXPECT_EQ(window->wait(30), 130) << said();
  EXPECT_EQ(read_json(dir / "window.session.json")["pins"].size(), 1u) << said();
}

TEST_F(Window, SettingsThatAreNoFileAreRefusedAndLeftWhereTheyAre) {
  fs::create_symlink("/dev/zero", dir / "zero.json");
  window = std::make_unique<Child>(
      std::vector<std::string>{ATTNSCOPE_EXECUTABLE, "--settings", (dir / "zero.json").string()},
      std::vector<std::pair<std::string, std::string>>{{"DISPLAY", display->name()}}, dir, dir / "window.log");
  EXPECT_EQ(window->wait(30), 2) << said();
  EXPECT_NE(said().find("zero.json is no regular file"), std::string::npos) << said();
  EXPECT_TRUE(fs::is_symlink(dir / "zero.json"));
}

TEST_F(Window, WithoutADisplayItSaysWhatToDoInstead) {
  window = std::make_unique<Child>(
      std::vector<std::string>{ATTNSCOPE_EXECUTABLE, "--settings", "-"},
      std::vector<std::pair<std::string, std::string>>{{"DISPLAY", ":nosuch"}, {"WAYLAND_DISPLAY", ""}}, dir,
      dir / "window.log");
  EXPECT_EQ(window->wait(30), 3) << said();
  EXPECT_NE(said().find("attnscope screenshot"), std::string::npos) << said();
}

int measured_cells(const json& s) {
  int count = 0;
  for (const json& cell : s["sweep_map"]["cells"]) count += cell["state"] == "measured";
  return count;
}

/// Lines of trials in the journals of a folder.
size_t kept_trials(const fs::path& data) {
  size_t count = 0;
  if (!fs::exists(data / "attnscope" / "trials")) return 0;
  for (const auto& entry : fs::directory_iterator(data / "attnscope" / "trials")) {
    std::stringstream in(read_file(entry.path()));
    for (std::string line; std::getline(in, line);) count += line.find("\"outcome\"") != std::string::npos;
  }
  return count;
}

TEST_F(Window, OneKeyFillsTheMapAndAClickOnACellMakesItTheCurrentConfig) {
  problem = "1x2x16x16";
  open("dump state.json every=0.2\n");
  const json before = until([](const json& s) { return sampled(s, 10); });
  ASSERT_FALSE(before.is_null()) << said();
  hand("key s");
  const json filling = until([](const json& s) { return s["search"]["measuring"] == true && measured_cells(s) >= 2; });
  ASSERT_FALSE(filling.is_null()) << said() << state()["search"];
  EXPECT_EQ(filling["tab"], "map");
  EXPECT_EQ(filling["live"]["stage"], "") << "live sampling pauses";
  const json more = until([&](const json& s) { return s["search"]["trials"] > filling["search"]["trials"]; });
  ASSERT_FALSE(more.is_null()) << "it goes on filling: " << state()["search"];

  // A measured cell that is not the current config.
  const json s = until([](const json& now) { return measured_cells(now) >= 3; });
  ASSERT_FALSE(s.is_null()) << state()["search"];
  json wanted;
  const json& map = s["sweep_map"];
  for (const json& cell : map["cells"])
    if (cell["state"] == "measured" && cell["config"] != s["ask"]["config"]) wanted = cell;
  ASSERT_FALSE(wanted.is_null());
  std::string id = "map.cell." + std::to_string(wanted["config"][map["x"].get<std::string>()].get<int>());
  if (map["rows"] > 1) id += "." + std::to_string(wanted["config"][map["y"].get<std::string>()].get<int>());
  click(id);
  const auto here = [&](const json& now) {
    return now["ask"]["variant"] == map["variant"] &&
           now["ask"]["config"][map["x"].get<std::string>()] == wanted["config"][map["x"].get<std::string>()];
  };
  const json taken = until(here);
  ASSERT_FALSE(taken.is_null()) << state()["ask"];
  EXPECT_EQ(taken["search"]["running"], true) << "a click ends no search";

  click("map.cancel");
  const json over = until([](const json& now) { return now["search"]["running"] == false; }, 20);
  ASSERT_FALSE(over.is_null()) << state()["search"];
  EXPECT_EQ(over["search"]["other"], "");
  EXPECT_FALSE(until([](const json& now) { return sampled(now, 10); }).is_null()) << "and live sampling goes on";
}

TEST_F(Window, AWorkerKilledInASearchIsSaidAndTheSearchGoesOn) {
  problem = "1x2x16x16";
  open("dump state.json every=0.2\n");
  ASSERT_FALSE(until([](const json& s) { return sampled(s, 10); }).is_null()) << said();
  hand("key s");
  const json before = until([](const json& s) { return s["search"]["trials"] >= 3; });
  ASSERT_FALSE(before.is_null()) << said() << state()["search"];
  const auto workers = children_of(window->pid(), "worker");
  ASSERT_EQ(workers.size(), 1u);
  ASSERT_EQ(::kill(workers[0], SIGKILL), 0);
  const auto told = [](const json& s) {
    for (const json& line : s["log"])
      if (line["text"].get<std::string>().find("signal 9") != std::string::npos) return true;
    return false;
  };
  const json said_so = until(told);
  ASSERT_FALSE(said_so.is_null()) << state()["log"];
  const int then = said_so["search"]["trials"];
  const json after = until([&](const json& s) { return s["search"]["trials"] >= then + 3 || !s["search"]["running"]; });
  ASSERT_FALSE(after.is_null()) << state()["search"];
  EXPECT_EQ(after["search"]["error"], "") << "it goes on with the others";
}

TEST_F(Window, ClosedInASweepItHasTheMapBackAndGoesOnFromThere) {
  problem = "1x2x16x16";
  const std::vector<std::string> settings = {"--settings", (dir / "window.json").string()};
  open("dump state.json every=0.2\n", settings);
  ASSERT_FALSE(until([](const json& s) { return sampled(s, 10); }).is_null()) << said();
  hand("key s");
  ASSERT_FALSE(until([](const json& s) { return s["search"]["trials"] >= 5; }).is_null()) << state()["search"];
  // As a crash would end it.
  ASSERT_EQ(::kill(window->pid(), SIGKILL), 0);
  EXPECT_EQ(window->wait(20), 128 + SIGKILL);
  const size_t kept = kept_trials(dir / "data");
  EXPECT_GE(kept, 5u);

  fs::remove(dir / "state.json");
  open("tab map\ndump state.json every=0.2\n", settings);
  const json back = until([&](const json& s) { return s["search"]["recalled"] == kept && !s["search"]["running"]; });
  ASSERT_FALSE(back.is_null()) << said() << state()["search"] << kept;
  EXPECT_GE(measured_cells(back), 1) << "before anything is measured";
  hand("key s");
  const json on = until([&](const json& s) { return s["search"]["trials"] > kept; });
  ASSERT_FALSE(on.is_null()) << state()["search"];
  EXPECT_EQ(on["search"]["recalled"], kept) << "what was tried is not tried again";
  hand("key ctrl+q");
  EXPECT_EQ(window->wait(20), 0) << said();
}

}  // namespace
}  // namespace attnscope::gui
