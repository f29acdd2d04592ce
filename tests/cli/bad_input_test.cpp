// Bad input of every sort: the documented exit code, one error, and a message that names what was given.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> says;  ///< each has to be in the message
};

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsExplained) {
  const Case& c = GetParam();
  const Finished f = run_binary(c.arguments);
  EXPECT_EQ(f.code, c.code) << f.out << f.err;
  for (const std::string& word : c.says)
    EXPECT_NE(f.err.find(word), std::string::npos) << "'" << word << "' is not in: " << f.err;
  size_t errors = 0;
  for (size_t at = 0; (at = f.err.find("attnscope", at)) != std::string::npos; ++at)
    errors += at == 0 || f.err[at - 1] == '\n';
  EXPECT_EQ(errors, 1u) << f.err;
}

const std::vector<std::string> kRun{"--device", "cpu", "--variant", "tiled", "--problem", "2x8x64x64"};
std::vector<std::string> verify(std::vector<std::string> more, const std::vector<std::string>& base = kRun) {
  std::vector<std::string> all{"verify"};
  all.insert(all.end(), base.begin(), base.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadInput,
    testing::Values(
        Case{"ZeroLength", {"verify", "--problem", "2x8x0x64"}, 2, {"--problem 2x8x0x64", "0"}},
        Case{"Banana", {"verify", "--problem", "banana"}, 2, {"--problem banana", "BxHxSxD"}},
        Case{"BenchBanana", {"bench", "--problem", "banana"}, 2, {"--problem banana"}},
        Case{"HeadsNotAMultiple", {"verify", "--problem", "1x7x8x64:kv=2"}, 2, {"--problem", "7", "2"}},
        Case{"ConfigValue", verify({"--config", "BLOCK_M=33"}), 2, {"BLOCK_M", "33", "32", "64"}},
        Case{"ConfigName", verify({"--config", "BLOCK_Q=32"}), 2, {"--config BLOCK_Q=32", "BLOCK_M"}},
        Case{"ConfigText", verify({"--config", "gigantic"}), 2, {"--config gigantic"}},
        Case{"Variant",
             {"verify", "--device", "cpu", "--variant", "nosuch", "--problem", "1x1x8x16"},
             2,
             {"--variant nosuch", "tiled"}},
        Case{"DeviceNumber",
             {"verify", "--device", "99", "--variant", "row", "--problem", "1x1x8x16"},
             2,
             {"--device 99", "0"}},
        Case{"DeviceNumberOfDevices", {"devices", "--device", "99"}, 2, {"--device 99"}},
        Case{"DeviceName", {"bench", "--device", "Voodoo2", "--problem", "1x1x8x16"}, 2, {"--device Voodoo2"}},
        Case{"Preset", {"bench", "--preset", "nosuch"}, 2, {"--preset nosuch", "quick"}},
        Case{"NothingToRun", {"bench"}, 2, {"--problem", "--preset"}},
        Case{"OutputFolder", verify({"--output", "/nowhere/at/all.json"}), 2, {"--output /nowhere/at/all.json"}},
        Case{"OutputFormat", verify({"--output", "/tmp/attnscope.xlsx"}), 2, {"--output", ".json", ".csv", ".md"}},
        Case{"ShadersFolder", verify({"--shaders", "/nowhere"}), 2, {"--shaders /nowhere"}},
        Case{"Worker", verify({"--worker", "/nowhere/attnscope worker"}), 2, {"/nowhere/attnscope"}},
        Case{"WorkerQuote", verify({"--worker", "sh -c 'x"}), 2, {"--worker", "quote"}},
        Case{"Option", {"verify", "--frobnicate"}, 2, {"--frobnicate", "--help"}},
        Case{"Command", {"frobnicate"}, 2, {"frobnicate"}},
        Case{"OptionValue", {"bench", "--min-samples", "many"}, 2, {"--min-samples", "many"}},
        Case{"NoTime", {"bench", "--preset", "quick", "--max-ms", "0"}, 2, {"--max-ms", "'0'", "0.001 to 86400000"}},
        Case{"NotANumber", {"bench", "--preset", "quick", "--min-ms", "nan"}, 2, {"--min-ms", "nan"}},
        Case{"Infinite", {"bench", "--preset", "quick", "--budget", "inf"}, 2, {"--budget", "inf"}},
        Case{"Deadline", {"verify", "--deadline", "nan"}, 2, {"--deadline", "nan"}},
        Case{"SeedBelow", verify({"--seed", "-1"}), 2, {"--seed", "-1", "0 to 18446744073709551615"}},
        Case{"SeedAbove", verify({"--seed", "18446744073709551616"}), 2, {"--seed", "18446744073709551616"}},
        Case{"Samples", {"verify", "--samples", "4294967304"}, 2, {"--samples", "4294967304"}},
        Case{"OutputEmpty", verify({"--output", ""}), 2, {"--output", "empty"}},
        Case{"Scale", {"screenshot", "x.png", "--scale", "0.02"}, 2, {"--scale", "0.5 to 8"}},
        Case{"ScaleAbove", {"screenshot", "x.png", "--scale", "1e9"}, 2, {"--scale", "0.5 to 8"}},
        Case{"Width", {"screenshot", "x.png", "--width", "2147483647"}, 2, {"--width", "160 to 8192"}},
        Case{"VariantsName", {"variants", "nosuch", "--device", "cpu"}, 2, {"nosuch", "row"}}),
    [](const auto& test) { return test.param.name; });

TEST(BadInputFiles, AConfigOverTheSharedMemoryLimitNamesBothNumbers) {
  // A variant of its own, since what the shipped ones need may change.
  const TempDir dir;
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "void main() {",
                    "shared vec4 hoard[ROWS * ROWS * ROWS * 4u];\nvoid main() {\n    hoard[0] = vec4(0.0);");
  write_file(dir.path() / "hoarder" / "row.comp", shader);
  write_file(dir.path() / "hoarder" / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
  const std::vector<std::string> base{"verify",    "--device", "cpu",       "--shaders", dir.path(),
                                      "--variant", "hoarder",  "--problem", "1x2x33x32", "--config"};
  std::vector<std::string> over = base, under = base;
  over.push_back("ROWS=16,LANES=4");  // 16^3 * 64 B = 262,144 B, and a few of the kernel's own
  under.push_back("ROWS=2,LANES=8");
  const Finished f = run_binary(over);
  EXPECT_EQ(f.code, 2) << f.out << f.err;
  EXPECT_NE(f.err.find("ROWS=16"), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("262,1"), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("32,768"), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("shared"), std::string::npos) << f.err;
  EXPECT_EQ(run_binary(under).code, 0);
}

TEST(BadInputFiles, AShaderThatDoesNotCompileNamesItsLine) {
  const TempDir dir;
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "void main() {", "void main() { int oops = banana;");
  const size_t line = 1 + static_cast<size_t>(std::count(
                              shader.begin(), shader.begin() + static_cast<long>(shader.find("banana")), '\n'));
  write_file(dir.path() / "typo" / "row.comp", shader);
  write_file(dir.path() / "typo" / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
  const Finished f =
      run_binary({"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "typo", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 2) << f.out << f.err;
  EXPECT_NE(f.err.find("row.comp:" + std::to_string(line)), std::string::npos) << f.err;
  EXPECT_NE(f.err.find("banana"), std::string::npos) << f.err;
  // The others still work beside it.
  const Finished other =
      run_binary({"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "row", "--problem", "1x2x33x32"});
  EXPECT_EQ(other.code, 0) << other.err;
}

TEST(BadInputFiles, AManifestThatNamesAConstantTheShaderLacksSaysSo) {
  const TempDir dir;
  write_file(dir.path() / "ghost" / "row.comp", read_file(shipped("shaders/row/row.comp")));
  write_file(dir.path() / "ghost" / "manifest.toml",
             read_file(shipped("shaders/row/manifest.toml")) +
                 "\n[[parameter]]\nname = \"GHOST\"\nmeaning = \"nothing\"\nvalues = [1, 2]\n");
  const Finished f = run_binary(
      {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "ghost", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 2) << f.out << f.err;
  EXPECT_NE(f.err.find("GHOST"), std::string::npos) << f.err;
}

TEST(BadInputJson, TheDocumentOnStdoutIsTheErrorAndNothingElse) {
  const Finished f = run_binary({"verify", "--problem", "banana", "--json"});
  EXPECT_EQ(f.code, 2);
  const auto document = nlohmann::json::parse(f.out);
  EXPECT_EQ(document.at("error").at("kind"), "bad_input");
  EXPECT_NE(document.at("error").at("message").get<std::string>().find("banana"), std::string::npos);
}

TEST(BadInputPlaces, ADataFolderWithoutKernelsIsNamed) {
  const Finished f = run_binary({"verify", "--problem", "1x1x8x16"}, "ATTNSCOPE_DATA=/nowhere");
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("/nowhere"), std::string::npos) << f.err;
}

TEST(NoDevice, IsExitCodeThree) {
  // A loader that is shown no driver.
  const Finished f = run_binary({"devices"}, "VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json");
  EXPECT_EQ(f.code, 3) << f.out << f.err;
  EXPECT_FALSE(f.err.empty());
  const Finished bench =
      run_binary({"bench", "--preset", "quick"}, "VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json");
  EXPECT_EQ(bench.code, 3) << bench.out << bench.err;
}

}  // namespace
}  // namespace attnscope
