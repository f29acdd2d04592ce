// `attnscope compare`, `bench --ab` and the JUnit file of `verify`, with the real binary.
#include "tests/cli/run_binary.hpp"

namespace attnscope::compare_test {

std::string recorded() { return shipped("docs/results/2026-11-21-h200-speed.json"); }

/// The recorded runs, `factor` times as long.
std::string slowed(const TempDir& dir, const char* name, double factor) {
  Results results = *read_results(recorded());
  for (Record& r : results.records)
    for (double& ns : r.samples_ns) ns *= factor;
  const fs::path path = dir.path() / name;
  EXPECT_TRUE(write_results(path, results));
  return path;
}

/// The recorded runs, and as much as a tenth longer.
struct CompareCommand : testing::Test {
  /// `more` after the two files.
  static Finished compare(const std::string& a, const std::string& b, const std::string& more = "") {
    return run_binary(with(typed("compare {} {}", a, b), typed(more)));
  }
  const TempDir dir;
  const std::string slow = slowed(dir, "slow.json", 1.1);
};

TEST_F(CompareCommand, IsAGate) {
  Finished f = compare(recorded(), recorded(), "--fail-slower 3%");
  EXPECT_TRUE(ends(f, 0, "0 of 65 rows are surely slower by more than 3 %"));
  EXPECT_TRUE(has(f.out, "65 SAME, 0 UNSURE"));
  f = compare(recorded(), slow);
  EXPECT_EQ(f.code, 0) << "without a gate it tells, and no more";
  EXPECT_TRUE(has(f.out, "SLOWER"));
  EXPECT_TRUE(ends(compare(recorded(), slow, "--fail-slower 3%"), 1,
                   "slower by more than 3 %: coopmat default on 1x16x4096x128:f16: 1.1000 ("));
  f = run_binary({"compare", slow, recorded(), "--fail-slower", "3 %", "--json"});
  EXPECT_EQ(f.code, 0) << "faster is fine";
  EXPECT_EQ(json::parse(f.out).at("counts").at("SLOWER"), 0);
  EXPECT_GT(json::parse(f.out).at("counts").at("FASTER"), 50);
  // What is no longer there, or right, does not pass either.
  Results results = *read_results(recorded());
  results.records.pop_back();
  ASSERT_TRUE(write_results(slow, results));
  EXPECT_TRUE(ends(compare(recorded(), slow, "--fail-slower 3%"), 1, "1 no longer pass"));
}

TEST_F(CompareCommand, DoesNotWriteOverWhatItReads) {
  fs::create_symlink(slow, dir / "link.json");
  const std::string before = read_file(slow);
  for (const std::string& output : {slow, (dir / "link.json").string()}) {
    EXPECT_TRUE(
        ends(compare(recorded(), slow, "--output " + output), 2, "--output " + output + ": it is also the input"));
    EXPECT_EQ(read_file(slow), before);
  }
  EXPECT_TRUE(ends(
      run_binary(typed("bench --device cpu --problem 1x1x8x16 --variant row --baseline {} --output {}", slow, slow)), 2,
      "it is also the input"));
  EXPECT_EQ(read_file(slow), before);
}

TEST_F(CompareCommand, WritesTheFormatOfTheExtensionAndCannotReadCsv) {
  for (const char* name : {"c.json", "c.md"}) {
    EXPECT_TRUE(ends(compare(recorded(), slow, "--output " + (dir / name).string()), 0));
    const std::string text = read_file(dir / name);
    EXPECT_TRUE(has(text, "SLOWER"));
    EXPECT_FALSE(has(text, "nan"));
  }
  const std::string grid = dir / "grid.md";
  const Finished f = compare(recorded(), slow, "--by head_dim,seq_kv --show time,registers --output " + grid);
  EXPECT_EQ(f.out, read_file(grid));
  EXPECT_TRUE(has(f.out, "| head_dim ↓ seq_kv → |", "+10 % \\| "));
  ASSERT_TRUE(write_results(dir / "r.csv", *read_results(recorded())));
  EXPECT_TRUE(ends(compare(recorded(), dir / "r.csv"), 2, "is CSV, which has no samples"));
}

std::vector<std::string> ab(std::vector<std::string> more) {
  return with(typed("bench --device cpu --problem 1x1x8x16 --quiet --min-ms 5 --max-ms 100 --warmup-ms 2 --json"),
              more);
}

TEST(BenchAb, MeasuresTwoConfigsInTurn) {
  const TempDir dir;
  run_ok(ab(typed("--variant row --ab LANES=8 LANES=8 --output {}", dir / "r.md")));
  EXPECT_TRUE(has(read_file(dir / "r.md"), "B / A", "1 of 1 rows compare a config with itself"));
  const json document = run_json(ab(typed("--variant row --ab LANES=8 LANES=16 --output {}", dir / "r.json")));
  ASSERT_EQ(document.at("records").size(), 2u);
  const json& c = only(document.at("comparisons"));
  EXPECT_EQ(std::tuple(c.at("a").at("config").at("LANES"), c.at("b").at("config").at("LANES"), c.at("interleaved"),
                       document.at("records")[0].at("config").at("LANES")),
            std::tuple(8, 16, true, 8));
  EXPECT_GE(c.at("a").at("samples"), 32);
  EXPECT_GT(c.at("comparison").at("ratio"), 0);
  EXPECT_LE(c.at("comparison").at("low"), c.at("comparison").at("ratio"));
  EXPECT_NE(c.at("comparison").at("reason").get<std::string>(),
            "not taken interleaved, on a device that shares its CPU");
  EXPECT_EQ(must(read_results(dir / "r.json"))->comparisons.size(), 1u);

  EXPECT_EQ(run_json(ab({"--ab", "row", "naive"})).at("comparisons")[0].at("b").at("variant"), "naive");
  EXPECT_TRUE(ends(run_binary(ab({"--ab", "row:LANES=8", "row:LANES=17"})), 2));
}

TEST(BenchAb, OfTwoShaderFoldersMeasuresBeforeAndAfterTheEdit) {
  const TempDir dir;
  fs::create_directories(dir / "after");
  fs::copy(shipped("shaders/row"), dir / "after/row", fs::copy_options::recursive);
  const auto shader = dir / "after/row/row.comp";
  // Much more work, so that even a busy machine shows it.
  write_file(shader, replaced(read_file(shader), "void main() {",
                              "void main() {\n    float slow = float(gl_LocalInvocationID.x) * 0.001;\n"
                              "    for (uint i = 0u; i < 20000u; ++i) slow = fma(slow, 0.999, 0.001);\n"
                              "    if (slow > 1e30) return;\n"));
  const json document = run_json(ab({"--ab-shaders", shipped("shaders"), dir / "after"}));
  const json& c = only(document.at("comparisons"));  // the one that is in both
  EXPECT_EQ(c.at("a").at("variant"), "row");
  EXPECT_EQ(c.at("b").at("variant"), "row@B");
  EXPECT_NE(c.at("a").at("shader_hash"), c.at("b").at("shader_hash"));
  EXPECT_GT(c.at("comparison").at("ratio"), 1.5);

  EXPECT_TRUE(ends(run_binary(ab({"--ab-shaders", shipped("shaders"), shipped("shaders")})), 2,
                   "no variant is in both and differs"));
  EXPECT_TRUE(ends(run_binary(ab(typed("--ab-shaders {} {} --variant row", shipped("shaders"), shipped("shaders")))), 2,
                   "row is the same in both"))
      << "with itself";
  EXPECT_TRUE(ends(run_binary(ab(typed("--ab-shaders {} {} --variant naive", shipped("shaders"), dir / "after"))), 2,
                   "--variant naive"));
}

TEST(VerifyJUnit, HasACaseForEachRecord) {
  const TempDir dir;
  const fs::path file = dir / "r.xml";
  run_ok(typed("verify --device cpu --problem 1x1x8x16 --variant row --variant naive --quiet --output {}", file));
  const std::string xml = read_file(file);
  EXPECT_TRUE(has(xml, "<testcase classname=\"row\" name=\"default 1x1x8x16:f32 seed=1\" time=\""));
  if (std::system("python3 -c 'import xml.etree' 2>/dev/null") == 0) {
    const std::string script = "import sys, xml.etree.ElementTree as E; E.parse(sys.argv[1])";
    EXPECT_EQ(std::system(("python3 -c " + quoted(script) + " " + quoted(file)).c_str()), 0) << "by a real parser";
  }
  EXPECT_TRUE(ends(run_binary(typed("bench --device cpu --problem 1x1x8x16 --variant row --output {}", file)), 2))
      << "only verdicts are test cases";
}

TEST(BenchAb, TwoCheckoutsMakeThePageOfAPullRequest) {
  const TempDir dir;
  const fs::path foreign = fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/foreign";
  for (const char* side : {"main", "branch"})
    fs::copy(foreign / "sources", dir.path() / side, fs::copy_options::recursive);
  const auto bench = [&](const std::string& more) {
    return run_binary(typed("bench --device cpu --shaders {} --ab-sources {} {} --no-history " + more,
                            foreign / "adapters", dir / "main", dir / "branch"));
  };
  EXPECT_TRUE(ends(bench("--problem 1x1x8x8"), 2, "no variant is in both and differs"));
  const fs::path changed = dir / "branch/kernels/combine.comp";
  write_file(changed, replaced(read_file(changed), "float highest = -1e30", "float highest = -1e29"));
  write_file(dir / "branch/.git/HEAD", "ref: refs/heads/faster\n");
  write_file(dir / "branch/.git/packed-refs", "0123456789abcdef0123456789abcdef01234567 refs/heads/faster\n");
  const fs::path page = dir / "pr.md";
  EXPECT_TRUE(ends(bench("--problem 1x2x16x8 --problem 1x2x9x8:f16 --output " + page.string()), 0));
  const std::string text = read_file(page);
  EXPECT_TRUE(text.starts_with("## Attention kernels: faster against main\n")) << text;
  EXPECT_TRUE(has(text, "driver ", "hot cache, isolated launches", "main: ", "faster: ", "commit 0123456789ab",
                  "variant: engine_x.", "faster / main", "faster is", "1x2x16x8:f32", "1x2x9x8:f16"));
  EXPECT_TRUE(has(text, "Command: `attnscope bench --device cpu --shaders ", "geometric mean of 2"));
  EXPECT_FALSE(has(text, "@B"));
  EXPECT_FALSE(has(text, "| engine_x")) << "the heading has it";
}

TEST(BenchAb, DefaultAgainstTunedNeedsNoVariant) {
  const TempDir dir;
  const std::string quick = " --max-ms 20 --min-ms 1 --warmup-ms 0 --no-history --problem 1x1x8x16";
  run_ok(typed("tune --device cpu --variant row --budget 3 --quiet" + quick), data_in(dir));
  for (const char* variant : {"", " --variant row"}) {
    const json document =
        run_json(typed("bench --device cpu --ab default tuned --json" + quick + variant), data_in(dir));
    EXPECT_EQ(document.at("comparisons").size(), 1u);
  }
}

}  // namespace attnscope::compare_test
