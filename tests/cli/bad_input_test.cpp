// Bad input of every sort: the documented exit code, one error, and a message that names what was given.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
    EXPECT_TRUE(has(f.err, word)) << "'"
                                  << "' is not in: ";
  size_t errors = 0;
  for (size_t at = 0; (at = f.err.find("attnscope", at)) != std::string::npos; ++at)
    errors += at == 0 || f.err[at - 1] == '\n';
  EXPECT_EQ(errors, 1u) << f.err;
}

const std::vector<std::string> kRun = typed("--device cpu --variant tiled --problem 2x8x64x64");
std::vector<std::string> verify(std::vector<std::string> more, const std::vector<std::string>& base = kRun) {
  return with(with({"verify"}, base), more);
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
             3,
             {"--device 99", "0"}},
        Case{"DeviceNumberOfDevices", {"devices", "--device", "99"}, 3, {"--device 99"}},
        Case{"DeviceName", {"bench", "--device", "Voodoo2", "--problem", "1x1x8x16"}, 3, {"--device Voodoo2"}},
        Case{"OptionBeforeTheCommand",
             {"--device", "cpu", "bench", "--problem", "1x1x8x16"},
             2,
             {"--device before 'bench'", "attnscope bench --device"}},
        Case{"FlagBeforeTheCommand", {"--idle", "devices"}, 2, {"--idle", "devices"}},
        Case{"OptionOfTheListBeforeItsCommand",
             {"history", "--page", "2", "export", "/tmp/attnscope.json"},
             2,
             {"--page before 'export'"}},
        Case{"Preset", {"bench", "--preset", "nosuch"}, 2, {"--preset nosuch", "quick"}},
        Case{"NothingToRun", {"bench"}, 2, {"--problem", "--preset"}},
        Case{"OutputFolder", verify({"--output", "/nowhere/at/all.json"}), 2, {"--output /nowhere/at/all.json"}},
        Case{"OutputFormat", verify({"--output", "/tmp/attnscope.xlsx"}), 2, {"--output", ".json", ".csv", ".md"}},
        Case{"ShadersFolder", verify({"--shaders", "/nowhere"}), 2, {"--shaders /nowhere"}},
        Case{"Worker", verify({"--worker", "/nowhere/attnscope worker"}), 2, {"/nowhere/attnscope"}},
        Case{"WorkerQuote", verify({"--worker", "sh -c 'x"}), 2, {"--worker", "quote"}},
        Case{"RandomOfOne",
             typed("compile --device cpu --problem 1x1x8x16 --random 5"),
             2,
             {"--random", "--config all"}},
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

TEST(BadInputJson, TheDocumentOnStdoutIsTheErrorAndNothingElse) {
  const auto faulty = [](const std::vector<std::string>& words, const std::string& named) {
    const Finished f = run_binary(words);
    EXPECT_EQ(f.code, 2);
    const auto document = nlohmann::json::parse(f.out, nullptr, false);
    ASSERT_TRUE(document.contains("error")) << f.out;
    EXPECT_EQ(document.at("error").at("kind"), "bad_input");
    EXPECT_TRUE(has(document.at("error").at("message"), named));
  };
  faulty(typed("verify --problem banana --json"), "banana");
  faulty(typed("verify --frobnicate --json"), "--frobnicate");
  faulty(typed("bench --device cpu --variant row --problem 1x1x8x16 --ab default nosuch --json"), "nosuch");
}

TEST(BadInputPlaces, ADataFolderWithoutKernelsIsNamed) {
  EXPECT_TRUE(ends(run_binary({"verify", "--problem", "1x1x8x16"}, "ATTNSCOPE_DATA=/nowhere"), 2, "/nowhere"));
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
