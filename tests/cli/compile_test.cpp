// attnscope compile, isa and devices --all, on RADV's null winsys.
#include "tests/cli/run_binary.hpp"

namespace attnscope::compile_test {

const std::vector<std::string> kTiled =
    typed("--variant tiled --problem 1x4x64x64:f16 --no-history --config BLOCK_M=32,BLOCK_N=32,THREAD_M=4,THREAD_N=4");
const std::vector<std::string> kGpu{"--gpu", "RX 7900 XTX"};

struct Compile : testing::Test {
  void SetUp() override {
    static const bool have = run_binary(with({"compile"}, with(kGpu, kTiled))).code == 0;  // asked once
    if (!have) GTEST_SKIP() << "RADV's null winsys is not installed (mesa-vulkan-drivers)";
  }
};

TEST_F(Compile, ALineAConfigAndGpu) {
  const auto printed = run_json(with(typed("compile --json --gpu {}", "RX 7900 XTX,RX 6800 XT"), kTiled));
  ASSERT_EQ(printed.at("records").size(), 2u);
  for (const auto& r : printed.at("records")) {
    EXPECT_EQ(r.at("outcome"), "compiled");
    EXPECT_TRUE(r.at("statistics").is_null());
    EXPECT_GT(r.at("resources").at("registers"), 0);
    EXPECT_EQ(r.at("environment").at("device").at("use"), "compile");
  }
  EXPECT_EQ(printed.at("records")[1].at("environment").at("device").at("name"), "RX 6800 XT");
}

TEST_F(Compile, GatesAndTheMarkdownFile) {
  const TempDir dir;
  const std::string file = dir.path() / "base.json";
  const std::vector<std::string> base = with({"compile"}, with(kGpu, kTiled));
  EXPECT_TRUE(ends(run_binary(with(base, {"--fail-spill", "--output", file})), 0));
  EXPECT_TRUE(ends(run_binary(with(base, {"--fail-registers", "8"})), 1, "registers"));
  const std::string page = dir / "table.md";
  EXPECT_TRUE(ends(run_binary(with(base, {"--baseline", file, "--output", page})), 0));
  EXPECT_TRUE(has(read_file(page), "| RX 7900 XTX | tiled |"));
  EXPECT_FALSE(has(read_file(page), "\n##")) << "no table for each device besides";
  json less = json::parse(read_file(file));
  less["records"][0]["resources"]["registers"] = 1;
  write_file(dir.path() / "less.json", less.dump());
  EXPECT_TRUE(ends(run_binary(with(base, {"--baseline", dir.path() / "less.json"})), 1, "registers 1 →"));
}

TEST(CompileAnywhere, AGateThatCheckedNothingDoesNotPassAndAllGpusAreListedWithTheReason) {
  // This driver reports neither.
  for (const std::vector<std::string>& gate : {typed("--fail-spill"), typed("--fail-registers 1")})
    EXPECT_TRUE(ends(run_binary(with(typed("compile --device cpu --variant row --problem 1x1x8x16 --quiet"), gate)), 2,
                     "nothing was checked"));
  const auto printed = run_json({"devices", "--all", "--json"});
  ASSERT_GE(printed.at("gpus").size(), 30u);
  for (const auto& gpu : printed.at("gpus")) EXPECT_NE(gpu.at("device").is_null(), gpu.at("missing") == "");
}

TEST_F(Compile, NothingRunsOnIt) {
  for (const char* command : {"bench", "verify", "tune", "peaks"}) {
    std::vector<std::string> words{command, "--device", "gpu:RX 7900 XTX"};
    if (command != std::string("peaks")) words = with(words, typed("--problem 1x1x32x32 --variant tiled"));
    EXPECT_TRUE(ends(run_binary(words), 3, "compile")) << command;
  }
  // Nor does a variant that cannot, and one GPU is asked for as one device is.
  const std::vector<std::string> words = typed("--variant coopmat2 --problem 1x1x32x32:f16 --no-history");
  const Finished gpu = run_binary(with(with({"compile"}, kGpu), words)),
                 device = run_binary(with({"compile", "--device", "gpu:RX 7900 XTX"}, words));
  EXPECT_EQ(gpu.code, 3);
  EXPECT_EQ(gpu.err, device.err);
}

// What spills says why in its manifest (`no_spills`), which compile repeats.
TEST_F(Compile, NoShippedChoiceSpillsOnAmd) {
  constexpr uint64_t kFew = 4;
  const auto printed = run_json(
      typed("compile --json --quiet --no-history --variant all --problem 1x16x4096x128:f16 --problem 1x8x2048x256:f16 "
            "--problem 1x32x8192x128:q=1:kv=8:f16 --problem varlen=512,900:16x128:f16 --gpu {}",
            "RX 6800 XT,RX Vega 64"));
  std::set<std::string> compiled;
  size_t explained = 0;
  for (const auto& r : printed.at("records")) {
    const std::string what = r.at("variant").get<std::string>() + " on " + r.at("problem").get<std::string>();
    EXPECT_NE(r.at("outcome"), "error") << what << ": " << r.at("message");
    if (r.at("outcome") != "compiled") continue;
    compiled.insert(r.at("variant"));
    if (!r.at("resources").at("may_spill").get<std::string>().empty()) {
      explained += r.at("resources").at("spills").get<uint64_t>() > kFew;
      continue;
    }
    EXPECT_LE(r.at("resources").at("spills").get<uint64_t>(), kFew)
        << what << " on " << r.at("environment").at("device").at("name") << ": " << r.at("config");
  }
  EXPECT_GE(compiled.size(), 8u);
  EXPECT_GE(explained, 1u) << "dvtile at a head dim of 256";
}

TEST_F(Compile, TheNearestConfigWithoutSpillsIsNamed) {
  const std::vector<std::string> words =
      with({"compile", "--gpu", "RX Vega 64"}, typed("--variant tiled --problem 1x1x32x256:f16 --no-history --config "
                                                     "BLOCK_M=32,BLOCK_N=32,THREAD_M=4,THREAD_N=4"));
  const auto record = run_json(with(words, {"--json"})).at("records")[0];
  ASSERT_GT(record.at("resources").at("spills"), 0);
  EXPECT_EQ(record.at("advice")[0].at("rule"), "spills");
  EXPECT_TRUE(has(run_binary(words).out, "nothing spills with"));
}

TEST_F(Compile, Isa) {
  const std::vector<std::string> words =
      with({"isa"}, with(kGpu, typed("--variant tiled --problem 1x1x32x32 --config THREAD_M=4")));
  EXPECT_TRUE(has(run_ok(words).out, "s_endpgm"));
  EXPECT_TRUE(has(run_ok(with(words, {"--show", "spir-v"})).out, "EntryPoint"));
}

}  // namespace attnscope::compile_test
