// --variant auto with the real binary, and the zoo's tools.
#include "tests/cli/run_binary.hpp"

namespace attnscope::auto_test {

std::vector<std::string> bench(const std::vector<std::string>& more) {
  return with(typed("bench --device cpu --quiet --no-history --min-ms 1 --max-ms 20 --warmup-ms 0"), more);
}

TEST(Auto, IsWhatBenchDoesAndItSaysWhy) {
  const TempDir dir;
  const Finished f = run_ok(bench({"--problem", "1x2x9x16", "--json"}), data_in(dir));
  const json one = only(json::parse(f.out).at("records"));
  const std::string variant = one.at("variant"), chosen = one.at("chosen");
  EXPECT_EQ(one.at("outcome"), "measured");
  EXPECT_TRUE(chosen.starts_with("auto: " + variant + ", by its manifest (rank ")) << chosen;
  EXPECT_EQ(f.err, "");
  EXPECT_TRUE(has(run_binary(bench({"--problem", "1x2x9x16"}), data_in(dir)).out, "1x2x9x16:f32: auto: " + variant));
  // Who names variants gets them, and a config that is named is whose it is.
  const auto records = [&](const char* more) {
    return run_records(bench(typed(std::string("--problem 1x1x8x8 --json ") + more)), data_in(dir)).size();
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
      bench({"--problem", "1x1x8x8", "--problem", "1x1x9x8", "--baseline", dir / "peer.json", "--variant", "row"}));
  EXPECT_TRUE(has(f.out, "geometric mean"));
  const Finished one = run_binary(
      bench(typed("--problem 1x1x8x8 --baseline {} --variant row --output {}", dir / "peer.json", dir / "one.md")));
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

}  // namespace attnscope::auto_test
