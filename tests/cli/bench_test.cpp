// `attnscope bench` end to end on the software device: its documents, its modes, and Ctrl-C.
#include <gtest/gtest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/record/units.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

std::vector<std::string> quick(std::vector<std::string> more) {
  std::vector<std::string> all{"bench",    "--device", "cpu",      "--variant", "row",         "--problem", "1x1x8x16",
                               "--min-ms", "5",        "--max-ms", "500",       "--warmup-ms", "2",         "--quiet"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Bench, TheRecordHasWhatTheSchemaPromises) {
  const Finished f = run_binary(quick({"--json"}));
  ASSERT_EQ(f.code, 0) << f.err;
  const json document = json::parse(f.out);
  EXPECT_EQ(document.at("schema"), 1);
  ASSERT_EQ(document.at("records").size(), 1u);
  const json& r = document.at("records")[0];
  EXPECT_EQ(r.at("problem"), "1x1x8x16:f32");
  EXPECT_EQ(r.at("variant"), "row");
  EXPECT_EQ(r.at("outcome"), "measured");
  EXPECT_TRUE(r.at("verdict").at("pass"));
  const json& samples = r.at("samples_ns");
  ASSERT_GE(samples.size(), 10u);
  double least = 1e300, most = 0;
  for (const json& s : samples) least = std::min(least, s.get<double>()), most = std::max(most, s.get<double>());
  const json& s = r.at("statistics");
  EXPECT_GT(least, 0);
  EXPECT_DOUBLE_EQ(s.at("min"), least);
  EXPECT_DOUBLE_EQ(s.at("max"), most);
  EXPECT_EQ(s.at("count"), samples.size());
  for (const char* name : {"median", "mean", "p20", "p80"}) {
    EXPECT_GE(s.at(name), least) << name;
    EXPECT_LE(s.at(name), most) << name;
  }
  EXPECT_DOUBLE_EQ(r.at("tflops"), r.at("flops").get<double>() / s.at("median").get<double>() / 1e3);
  EXPECT_EQ(r.at("protocol").at("cache"), "hot");
  const json& e = r.at("environment");
  EXPECT_FALSE(e.at("device").at("name").get<std::string>().empty());
  EXPECT_GT(e.at("device").at("limits").at("max_shared_bytes"), 0);
  EXPECT_EQ(e.at("shader_hash").get<std::string>().size(), 16u);
  EXPECT_EQ(e.at("time_utc").get<std::string>().back(), 'Z');
  // A number if and only if it is the time of a compile; llvmpipe compiles nothing until a pipeline runs.
  const json& resources = r.at("resources");
  EXPECT_EQ(resources.at("compile_ms").is_null(), resources.at("compile") != "measured");
  EXPECT_NE(resources.at("compile"), "not asked");
  if (e.at("device").at("name").get<std::string>().starts_with("llvmpipe")) {
    EXPECT_EQ(resources.at("compile"), "within the first dispatch");
  }
}

TEST(Bench, WritesTheFormatOfTheExtension) {
  const TempDir dir;
  for (const char* name : {"r.json", "r.csv", "r.md"}) {
    const Finished f = run_binary(quick({"--output", dir.path() / name}));
    ASSERT_EQ(f.code, 0) << f.err;
    const std::string text = read_file(dir.path() / name);
    EXPECT_NE(text.find("1x1x8x16"), std::string::npos) << name;
    for (const char* hole : {",nan,", ",-nan,", ",inf,", " nan ", ": nan"})
      EXPECT_EQ(text.find(hole), std::string::npos) << name;
    EXPECT_NE(f.out.find("row"), std::string::npos) << "the table is on stdout as well";
  }
}

TEST(Bench, ColdAndBackToBackAreStatedInTheRecord) {
  const Finished f = run_binary(quick({"--json", "--cold"}));
  ASSERT_EQ(f.code, 0) << f.err;
  const json cold = json::parse(f.out).at("records")[0];
  EXPECT_EQ(cold.at("protocol").at("cache"), "cold");
  EXPECT_EQ(cold.at("dispatches_per_sample"), 1) << "a second execution would find the cache warm";
  const Finished g = run_binary(quick({"--json", "--launch", "back-to-back"}));
  ASSERT_EQ(g.code, 0) << g.err;
  const json back = json::parse(g.out).at("records")[0];
  EXPECT_GT(back.at("dispatches_per_sample"), 1);
}

TEST(Bench, TheLogMarksTheBestSoFarAndNeverAFailure) {
  const Finished f = run_binary(quick({"--log", "--rank", "min", "--config", "LANES=8", "--config", "LANES=16"}));
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("  1*  pass"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("* best min for 1x1x8x16:f32"), std::string::npos) << f.out;
}

/// The widest line, in characters.
size_t widest(const std::string& text) {
  size_t most = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) most = std::max(most, display_width(line));
  return most;
}

TEST(Bench, TheOutputFitsTheTerminalAndTheBestComesFirst) {
  const TempDir dir;
  std::filesystem::create_directories(dir.path() / "assets/presets");
  std::filesystem::create_directory_symlink(shipped("shaders"), dir.path() / "shaders");
  write_file(dir.path() / "assets/presets/mine.toml",
             "title = \"Mine\"\nproblems = [\"1x1x8x16\", \"1x2x9x16:kv=1:causal:f16\"]\n"
             "variants = [\"row\", \"tiled\", \"varlen\", \"coopmat2\"]\nconfigs = [\"default\", \"LANES=8\"]\n"
             "[software]\nprotocol = { warmup_cap_ms = 20, min_samples = 2 }\n");
  const std::string data = "ATTNSCOPE_DATA=" + quoted(dir.path()) + " COLUMNS=";
  for (const size_t columns : {60, 100, 160}) {
    const Finished f = run_binary({"bench", "--device", "cpu", "--preset", "mine", "--min-ms", "2", "--max-ms", "100",
                                   "--warmup-ms", "1", "--quiet", "--log"},
                                  data + std::to_string(columns));
    ASSERT_EQ(f.code, 0) << f.err;
    EXPECT_LE(widest(f.out), columns) << f.out;
    const size_t best = f.out.find("Best of each problem on ");
    ASSERT_NE(best, std::string::npos) << f.out;
    EXPECT_LT(best, f.out.find("variant  ")) << f.out;
    EXPECT_NE(f.out.find("LANES=8"), std::string::npos) << f.out;
    EXPECT_EQ(f.out.find("BLOCK_N="), std::string::npos) << "what is at its default is not named\n" << f.out;
    EXPECT_NE(f.out.find("Not here: coopmat2 ("), std::string::npos) << f.out;
    EXPECT_NE(f.out.find("Refused: 4 configs of varlen, the first"), std::string::npos) << f.out;
    EXPECT_EQ(f.out.find("TFLOP/s"), std::string::npos) << "such work is counted in MFLOP/s or GFLOP/s\n" << f.out;
  }
}

TEST(Bench, WhatIsNotBegunInTimeIsLeftOutAndSaid) {
  const Finished f = run_binary(quick({"--budget", "0.001", "--config", "LANES=8", "--config", "LANES=16"}));
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("2 of 2 were left out. The 0.001 s of --budget were over."), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("Everything on 1x1x8x16:f32."), std::string::npos) << f.out;
  const Finished g = run_binary(quick({"--budget", "0.001", "--json"}));
  ASSERT_EQ(g.code, 0) << g.err;
  const json record = json::parse(g.out).at("records").at(0);
  EXPECT_EQ(record.at("outcome"), "refused");
  EXPECT_EQ(record.at("message"), "The 0.001 s of --budget were over.");
}

TEST(Bench, WhereTheTimeMayNotDoForAllTheLikeliestComesFirst) {
  const auto variants = [](std::vector<std::string> more) {
    std::vector<std::string> words{"bench",     "--device", "cpu",     "--problem", "1x1x8x16",      "--variant", "row",
                                   "--variant", "tiled",    "--quiet", "--json",    "--max-samples", "2"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished f = run_binary(words);
    std::vector<std::string> names;
    const json document = json::parse(f.out);
    for (const json& r : document.at("records")) names.push_back(r.at("variant"));
    return names;
  };
  EXPECT_EQ(variants({"--budget", "0.001"}), (std::vector<std::string>{"tiled", "row"}));
  EXPECT_EQ(variants({"--budget", "0"}), (std::vector<std::string>{"row", "tiled"})) << "as they were asked for";
}

TEST(Bench, APresetHasTermsOfItsOwnOnASoftwareDevice) {
  const TempDir dir;
  std::filesystem::create_directories(dir.path() / "assets/presets");
  std::filesystem::create_directory_symlink(shipped("shaders"), dir.path() / "shaders");
  const auto write = [&](const std::string& terms) {
    write_file(dir.path() / "assets/presets/mine.toml",
               "title = \"Mine\"\nproblems = [\"1x1x8x16\"]\nvariants = [\"row\"]\n[software]\n" + terms);
  };
  const auto record = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"bench",   "--device", "cpu",      "--preset", "mine",
                                   "--quiet", "--json",   "--min-ms", "3"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished f = run_binary(words, "ATTNSCOPE_DATA=" + quoted(dir.path()));
    EXPECT_EQ(f.code, 0) << f.err;
    return json::parse(f.out).at("records").at(0);
  };
  write("protocol = { min_ms = 1, max_ms = 50, min_samples = 3 }\n");
  const json alone = record({});
  EXPECT_EQ(alone.at("outcome"), "measured");
  EXPECT_EQ(alone.at("protocol").at("min_ms"), 3) << "the command line comes first";
  EXPECT_EQ(alone.at("protocol").at("max_ms"), 50);
  EXPECT_EQ(alone.at("protocol").at("min_samples"), 3);
  EXPECT_EQ(alone.at("protocol").at("warmup_ms"), 25) << "what nobody asks for is as usual";
  // Named, it is a problem like any other.
  EXPECT_EQ(record({"--variant", "row", "--max-samples", "20"}).at("protocol").at("max_ms"), 2000);

  write("budget_s = 0.001\nprotocol = { max_ms = 50 }\n");
  EXPECT_EQ(record({}).at("outcome"), "refused");
  EXPECT_NE(record({}).at("message").get<std::string>().find("0.001 s that the preset has"), std::string::npos);
  EXPECT_EQ(record({"--budget", "0"}).at("outcome"), "measured");
}

/// A data folder with the shipped kernels and one preset, `mine`.
void write_preset(const std::filesystem::path& dir, const std::string& rows) {
  std::filesystem::create_directories(dir);
  std::filesystem::create_directory_symlink(shipped("shaders"), dir / "shaders");
  write_file(dir / "assets/presets/mine.toml", R"(
title = "Mine"
problems = ["1x1x8x16"]
[table]
device = "Old GPU"
source = "a log"
problems = ["1x1x8x16", "1x1x9x16", "1x8x1024x64"]
lines = "problem"
software_gflop = 0.1
baselines = ["peer"]
columns = [
  { title = "version", value = "name" },
  { title = "problem", value = "problem" },
  { title = "time", value = "median" },
  { title = "vs wide", value = "speedup", over = "wide" },
  { title = "vs", value = "baseline" },
  { title = "then", published = "ms" },
]
)" + rows);
}
constexpr const char* kRows = R"(
[[row]]
name = "wide"
variant = "row"
config = "v1"
published = { ms = "0.1703" }
[[row]]
name = "narrow"
variant = "row"
config = "LANES=8"
[[row]]
name = "too narrow"
variant = "wide_row"
config = "WORKGROUP=256,BLOCK_N=8"
)";

TEST(Bench, APresetWithATableRunsItsRowsAndShowsIt) {
  const TempDir dir;
  write_preset(dir.path() / "data", kRows);
  write_file(dir.path() / "peer.json", R"({"schema": 1, "records": [
    {"problem": "1x1x8x16", "variant": "peer", "config_name": "graph", "statistics": {"median": 3600e9}},
    {"problem": "1x1x8x16", "variant": "other", "config_name": "graph", "statistics": {"median": 1}}]})");
  const std::string data = "ATTNSCOPE_DATA=" + quoted(dir.path() / "data");
  const std::vector<std::string> few{"bench", "--device", "cpu", "--preset",    "mine", "--min-ms",
                                     "5",     "--max-ms", "300", "--warmup-ms", "2",    "--quiet"};
  auto words = few;
  words.insert(words.end(), {"--baseline", dir.path() / "peer.json", "--output", dir.path() / "r.md"});
  const Finished f = run_binary(words, data);
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_TRUE(f.out.starts_with("Mine\nOurs: ")) << f.out;
  EXPECT_NE(f.out.find("Published: Old GPU; a log."), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("vs peer graph"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("too narrow on 1x1x8x16:f32, 1x1x9x16:f32: "), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("0.1703"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("1x8x1024x64:f32 (2.15 GFLOP)"), std::string::npos) << "too large for a software device\n"
                                                                           << f.out;
  EXPECT_NE(read_file(dir.path() / "r.md").find("## Mine\n\nOurs: "), std::string::npos);

  words = few;
  words.insert(words.end(), {"--json"});
  const Finished g = run_binary(words, data);
  ASSERT_EQ(g.code, 0) << g.err;
  const json document = json::parse(g.out);
  std::vector<std::string> ran;
  for (const json& r : document.at("records"))
    ran.push_back(r.at("variant").get<std::string>() + " " + r.at("problem").get<std::string>() + " " +
                  r.at("outcome").get<std::string>());
  EXPECT_EQ(ran.size(), 6u) << "the rows on the two small problems and nothing else";
  const json& table = document.at("tables").at(0);
  EXPECT_EQ(table.at("columns"), (json{"version", "problem", "time", "vs wide", "then"}));
  ASSERT_EQ(table.at("rows").size(), 6u);
  const json& first = table.at("rows")[0];
  EXPECT_EQ(first[0], "wide");
  EXPECT_EQ(first[1], "1x1x8x16:f32");
  const double median_ms = document.at("records")[0].at("statistics").at("median").get<double>() / 1e6;
  EXPECT_NEAR(std::stod(first[2].get<std::string>()), median_ms, 1e-3 * std::max(1.0, median_ms)) << "four digits";
  EXPECT_EQ(first[3], "1.00x");
  const double ratio = document.at("records")[0].at("statistics").at("median").get<double>() /
                       document.at("records")[1].at("statistics").at("median").get<double>();
  EXPECT_NEAR(std::stod(table.at("rows")[1][3].get<std::string>()), ratio, 0.006);

  // Naming a variant makes it a list of problems like any other.
  words = few;
  words.insert(words.end(), {"--json", "--variant", "row"});
  const Finished h = run_binary(words, data);
  ASSERT_EQ(h.code, 0) << h.err;
  const json plain = json::parse(h.out);
  EXPECT_EQ(plain.at("records").size(), 1u);
  EXPECT_FALSE(plain.contains("tables"));
}

TEST(Bench, ARowThatCannotBeIsAnErrorWithItsName) {
  const TempDir dir;
  write_preset(dir.path() / "data",
               "[[row]]\nname = \"r1\"\nvariant = \"row\"\nconfig = \"v99\"\n[[row]]\nname = \"wide\"\n"
               "variant = \"row\"\npublished = { ms = 1 }\n");
  const Finished f = run_binary({"bench", "--device", "cpu", "--preset", "mine", "--quiet"},
                                "ATTNSCOPE_DATA=" + quoted(dir.path() / "data"));
  EXPECT_EQ(f.code, 2) << f.out;
  EXPECT_NE(f.err.find("--preset mine, row 'r1'"), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("v99"), std::string::npos) << f.err;
}

TEST(Bench, AnInterruptKeepsWhatIsDone) {
  const TempDir dir;
  const std::string output = dir.path() / "partial.json";
  // Far more than two seconds' work; the shell interrupts it when the first record is done.
  std::string command =
      quoted(ATTNSCOPE_EXECUTABLE) +
      " bench --device cpu --variant row --config all --problem 1x2x33x32 --min-ms 5 --max-ms 300 --output " +
      quoted(output) + " 2>" + quoted(dir.path() / "err") + " >/dev/null & pid=$!; " +
      "for i in $(seq 600); do grep -q '^.3/' " + quoted(dir.path() / "err") + " && break; sleep 0.1; done; " +
      "kill -INT $pid; wait $pid";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130) << read_file(dir.path() / "err");
  const json document = json::parse(read_file(output));
  EXPECT_GE(document.at("records").size(), 2u);
  EXPECT_LT(document.at("records").size(), 100u);
}

}  // namespace
}  // namespace attnscope
