// `attnscope bench` end to end on the software device: its documents, its modes, --variant auto, and the zoo's tools.
#include "engine/measure/units.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope::bench_test {

std::vector<std::string> quick(const std::vector<std::string>& more) {
  return with(
      typed("bench --device cpu --variant row --problem 1x1x8x16 --min-ms 5 --max-ms 500 --warmup-ms 2 --quiet"), more);
}

TEST(Bench, TheRecordHasWhatTheSchemaPromisesAndStatesColdAndBackToBack) {
  const Finished f = run_ok(quick({"--json", "--telemetry"}));
  EXPECT_TRUE(has(f.err, "does not report its power")) << "there are no sensors";
  const json document = json::parse(f.out);
  EXPECT_EQ(document.at("schema"), 1);
  const json& r = only(document.at("records"));
  EXPECT_EQ(std::tuple(r.at("problem"), r.at("variant"), r.at("outcome")),
            std::tuple("1x1x8x16:f32", "row", "measured"));
  EXPECT_TRUE(r.at("verdict").at("pass"));
  EXPECT_GE(r.at("samples_ns").size(), 10u);
  EXPECT_GT(r.at("statistics").at("min"), 0);
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
  const json cold = run_records(quick({"--json", "--cold"}))[0];
  EXPECT_EQ(cold.at("protocol").at("cache"), "cold");
  EXPECT_EQ(cold.at("dispatches_per_sample"), 1) << "a second execution would find the cache warm";
  EXPECT_GT(run_records(quick({"--json", "--launch", "back-to-back"}))[0].at("dispatches_per_sample"), 1);
}

TEST(Bench, TheLogMarksTheBestSoFarAndNeverAFailure) {
  EXPECT_TRUE(has(run_ok(quick(typed("--log --rank min --config LANES=8 --config LANES=16"))).out, "  1*  pass",
                  "* best min for 1x1x8x16:f32"));
}

/// The widest line, in characters.
size_t widest(const std::string& text) {
  size_t most = 0;
  for (const std::string& line : lines_of(text)) most = std::max(most, display_width(line));
  return most;
}

/// A data folder with the shipped kernels and one preset, `mine`, as the environment names it.
std::string with_preset(const TempDir& dir, const std::string& preset) {
  if (!fs::exists(dir / "shaders")) fs::create_directory_symlink(shipped("shaders"), dir / "shaders");
  write_file(dir / "assets/presets/mine.toml", "title = \"Mine\"\n" + preset);
  return "ATTNSCOPE_DATA=" + quoted(dir.path());
}

TEST(Bench, TheOutputFitsTheTerminalAndTheBestComesFirst) {
  const TempDir dir;
  const std::string data =
      with_preset(dir,
                  "problems = [\"1x1x8x16\", \"1x2x9x16:kv=1:causal:f16\"]\n"
                  "variants = [\"row\", \"tiled\", \"varlen\", \"coopmat2\"]\nconfigs = [\"default\", \"LANES=8\"]\n"
                  "software_budget_s = 600\n") +
      " COLUMNS=60";
  const Finished f =
      run_ok(typed("bench --device cpu --preset mine --min-ms 2 --max-ms 100 --warmup-ms 1 --quiet --log"), data);
  EXPECT_LE(widest(f.out), 60u) << f.out;
  const size_t best = f.out.find("Best of each problem on ");
  ASSERT_NE(best, std::string::npos) << f.out;
  EXPECT_LT(best, f.out.find("variant  ")) << f.out;
  EXPECT_TRUE(has(f.out, "LANES=8", "Not here: coopmat2 (", "Refused: 4 configs of varlen, the first"));
  EXPECT_FALSE(has(f.out, "BLOCK_N=")) << "what is at its default is not named";
  EXPECT_FALSE(has(f.out, "TFLOP/s")) << "such work is counted in MFLOP/s or GFLOP/s";
}

TEST(Bench, WhatIsNotBegunInTimeIsLeftOutAndSaid) {
  const Finished f = run_ok(quick(typed("--budget 0.001 --config LANES=8 --config LANES=16")));
  EXPECT_TRUE(has(f.out, "2 of 2 were left out. The 0.001 s of --budget were over.", "Everything on 1x1x8x16:f32."));
  const json record = run_records(quick({"--budget", "0.001", "--json"})).at(0);
  EXPECT_EQ(record.at("outcome"), "refused");
  EXPECT_EQ(record.at("message"), "The 0.001 s of --budget were over.");
  // Where the time may not do for all the likeliest comes first.
  const auto variants = [](std::vector<std::string> more) {
    std::vector<std::string> names;
    for (const json& r : run_records(with(typed("bench --device cpu --problem 1x1x8x16 --variant row --variant tiled "
                                                "--quiet --json --max-samples 2"),
                                          more)))
      names.push_back(r.at("variant"));
    return names;
  };
  EXPECT_EQ(variants({"--budget", "0.001"}), (std::vector<std::string>{"tiled", "row"}));
  EXPECT_EQ(variants({"--budget", "0"}), (std::vector<std::string>{"row", "tiled"})) << "as they were asked for";
}

TEST(Bench, APresetHasABudgetOfItsOwnOnASoftwareDevice) {
  const TempDir dir;
  std::string data;
  const auto write = [&](const std::string& budget_s) {
    data = with_preset(dir, "problems = [\"1x1x8x16\"]\nvariants = [\"row\"]\nsoftware_budget_s = " + budget_s);
  };
  const auto record = [&](std::vector<std::string> more) {
    return run_records(with(typed("bench --device cpu --preset mine --quiet --json --min-ms 3"), more), data).at(0);
  };
  write("600");
  const json alone = record({});
  EXPECT_EQ(alone.at("outcome"), "measured");
  EXPECT_EQ(alone.at("protocol").at("min_ms"), 3) << "the command line comes first";
  EXPECT_EQ(alone.at("protocol").at("max_ms"), 1000);
  // Named, it is a problem like any other.
  EXPECT_EQ(record({"--variant", "row", "--max-samples", "20"}).at("protocol").at("max_ms"), 2000);

  write("0.001");
  EXPECT_EQ(record({}).at("outcome"), "refused");
  EXPECT_TRUE(has(record({}).at("message"), "0.001 s that the preset has"));
  EXPECT_EQ(record({"--budget", "0"}).at("outcome"), "measured");
}

constexpr const char* kTable = R"(
problems = ["1x1x8x16"]
[table]
device = "Old GPU"
source = "a log"
problems = ["1x1x8x16", "1x1x9x16", "1x8x1024x64"]
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
)";
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
  const std::string data = with_preset(dir, std::string(kTable) + kRows);
  write_file(dir / "peer.json", R"({"schema": 1, "records": [
    {"problem": "1x1x8x16", "variant": "peer", "config_name": "graph", "statistics": {"median": 3600e9}},
    {"problem": "1x1x8x16", "variant": "other", "config_name": "graph", "statistics": {"median": 1}}]})");
  const std::vector<std::string> few =
      typed("bench --device cpu --preset mine --min-ms 5 --max-ms 300 --warmup-ms 2 --quiet");
  const Finished f = run_ok(with(few, {"--baseline", dir / "peer.json", "--output", dir / "r.md"}), data);
  EXPECT_TRUE(f.out.starts_with("Mine\nOurs: ")) << f.out;
  EXPECT_TRUE(has(f.out, "Published: Old GPU; a log.", "vs peer graph",
                  "too narrow on 1x1x8x16:f32, 1x1x9x16:f32: ", "0.1703"));
  EXPECT_TRUE(has(f.out, "1x8x1024x64:f32 (2.15 GFLOP)")) << "too large for a software device";
  EXPECT_TRUE(has(read_file(dir / "r.md"), "## Mine\n\nOurs: "));

  const json document = run_json(with(few, {"--json"}), data);
  EXPECT_EQ(document.at("records").size(), 6u) << "the rows on the two small problems and nothing else";
  const json& table = document.at("tables").at(0);
  EXPECT_EQ(table.at("columns"), (json{"version", "problem", "time", "vs wide", "then"}));
  ASSERT_EQ(table.at("rows").size(), 6u);
  const json& first = table.at("rows")[0];
  EXPECT_EQ(std::tuple(first[0], first[1], first[3]), std::tuple("wide", "1x1x8x16:f32", "1.00x"));

  // Naming a variant makes it a list of problems like any other.
  const json plain = run_json(with(few, {"--json", "--variant", "row"}), data);
  EXPECT_EQ(plain.at("records").size(), 1u);
  EXPECT_FALSE(plain.contains("tables"));
  // A row that cannot be is an error with its name.
  with_preset(dir, std::string(kTable) + "[[row]]\nname = \"wide\"\nvariant = \"row\"\nconfig = \"v99\"\n" +
                       "published = { ms = 1 }\n");
  EXPECT_TRUE(ends(run_binary(few, data), 2, "--preset mine, row 'wide'", "v99"));
}

TEST(Why, PeaksAreMeasuredOnceAndThenEveryRecordHasAFloor) {
  const TempDir home;
  const std::string cache = "XDG_CACHE_HOME=" + quoted(home.path());
  const std::vector<std::string> bench =
      typed("bench --device cpu --variant row --problem 1x1x8x16 --min-ms 5 --max-ms 500 --warmup-ms 2");
  EXPECT_TRUE(run_records(with(bench, {"--json", "--quiet"}), cache)[0].at("environment").at("peaks").is_null())
      << "nobody asked";

  Finished f = run_ok(with(bench, {"--why"}), cache);
  EXPECT_TRUE(has(f.err, "they are measured now"));
  EXPECT_TRUE(has(f.out, "Why row ", "  bound    ", "  tiles    "));

  // Now they are known: another process finds them, and tells the same.
  f = run_ok(typed("peaks --device cpu --json"), cache);
  EXPECT_EQ(f.err, "");
  const json peaks = json::parse(f.out).at("peaks");
  EXPECT_GT(only(peaks).at("ceilings")[0].at("value").get<double>(), 0);
  const json record = run_records(with(bench, {"--why", "--json", "--quiet"}), cache)[0];
  EXPECT_EQ(record.at("environment").at("peaks"), peaks[0]);
  EXPECT_GT(record.at("floor").at("us").get<double>(), 0);
  EXPECT_GT(record.at("floor").at("fraction").get<double>(), 0);
  EXPECT_TRUE(record.at("advice").is_array());
  EXPECT_EQ(record.at("fit").at("workgroups"), record.at("resources").at("workgroups"));

  EXPECT_TRUE(has(run_ok({"peaks", "--device", "cpu"}, cache).out, "copy, device memory"));
}

std::vector<std::string> brief(const std::vector<std::string>& more) {
  return with(typed("bench --device cpu --quiet --no-history --min-ms 1 --max-ms 20 --warmup-ms 0"), more);
}

TEST(Auto, IsWhatBenchDoesAndItSaysWhy) {
  const TempDir dir;
  const Finished f = run_ok(brief({"--problem", "1x2x9x16", "--json"}), data_in(dir));
  const json one = only(json::parse(f.out).at("records"));
  const std::string variant = one.at("variant"), chosen = one.at("chosen");
  EXPECT_EQ(one.at("outcome"), "measured");
  EXPECT_TRUE(chosen.starts_with("auto: " + variant + ", by its manifest (rank ")) << chosen;
  EXPECT_EQ(f.err, "");
  EXPECT_TRUE(has(run_binary(brief({"--problem", "1x2x9x16"}), data_in(dir)).out, "1x2x9x16:f32: auto: " + variant));
  // Who names variants gets them, and a config that is named is whose it is.
  const auto records = [&](const char* more) {
    return run_records(brief(typed(std::string("--problem 1x1x8x8 --json ") + more)), data_in(dir)).size();
  };
  EXPECT_EQ(records("--variant row --variant naive"), 2u);
  EXPECT_GT(records("--config LANES=8"), 1u);
}

/// A baseline file of made-up times.
json baseline(const std::string& variant, const std::string& problem, double ns) {
  return {{"problem", problem},    {"variant", variant}, {"config_name", "graph"},
          {"outcome", "measured"}, {"samples_ns", {ns}}, {"statistics", {{"count", 1}, {"median", ns}}}};
}

TEST(Zoo, AnyBaselineGetsMeansOfSeveralProblems) {
  const TempDir dir;
  json file{{"schema", 1}, {"records", {baseline("peer", "1x1x8x8:f32", 1e6), baseline("peer", "1x1x9x8:f32", 4e6)}}};
  write_file(dir / "peer.json", file.dump());
  const Finished f = run_ok(
      brief({"--problem", "1x1x8x8", "--problem", "1x1x9x8", "--baseline", dir / "peer.json", "--variant", "row"}));
  EXPECT_TRUE(has(f.out, "geometric mean"));
  const Finished one = run_binary(
      brief(typed("--problem 1x1x8x8 --baseline {} --variant row --output {}", dir / "peer.json", dir / "one.md")));
  EXPECT_TRUE(has(read_file(dir / "one.md"), "vs peer")) << "the file has the table as well";
  EXPECT_FALSE(has(one.out, "geometric mean"));
}

TEST(Zoo, ThePeersScriptReadsItsShapesWithoutTorch) {
  if (std::system("python3 -c 'import sys; assert sys.version_info >= (3, 11)' 2>/dev/null") != 0)
    GTEST_SKIP() << "there is no python3 of 3.11 or newer";
  const TempDir dir;
  const std::string command = "python3 -B " + quoted(shipped("tools/peers/torch_sdpa.py")) + " --list --preset " +
                              quoted(shipped("assets/presets/zoo.toml")) +
                              " 1x2x9x16:q=3:causal 1x2x9x16:q=1:causal:bf16 >" + quoted(dir / "out") + " 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read_file(dir / "out");
  const std::vector<std::string> listed = lines_of(read_file(dir / "out"));
  const std::set<std::string> all(listed.begin(), listed.end());
  EXPECT_EQ(all.size(), 34u);
  for (const char* line :
       {"1x32x8192x128:q=4:kv=8:causal:f16 b=1 h=32 kv=8 q=4 s=8192 d=128 dv=128 dtype=f16 mask=lower right",
        "1x16x4096x192:dv=128:causal:f16 b=1 h=16 kv=16 q=4096 s=4096 d=192 dv=128 dtype=f16 mask=square",
        "2x10x77x64:q=4096:f16 b=2 h=10 kv=10 q=4096 s=77 d=64 dv=64 dtype=f16 mask=none",
        "1x2x9x16:q=3:causal b=1 h=2 kv=2 q=3 s=9 d=16 dv=16 dtype=f32 mask=lower right",
        "1x2x9x16:q=1:causal:bf16 b=1 h=2 kv=2 q=1 s=9 d=16 dv=16 dtype=bf16 mask=none"})
    EXPECT_TRUE(all.contains(line)) << line << "\n" << read_file(dir / "out");
}

}  // namespace attnscope::bench_test
