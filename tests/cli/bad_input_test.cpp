// Bad input of every sort: the documented exit code, one error, and a message that names what was given.
#include "tests/cli/run_binary.hpp"

namespace attnscope::bad_input_test {

struct Case {
  std::string line;
  std::vector<std::string> says;  ///< each has to be in the message
  int code = 2;
  std::vector<std::string> more = {};  ///< words that are empty or have spaces
};

void expect_explained(const std::vector<Case>& cases) {
  const TempDir dir;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    const Finished f =
        run_binary(with(typed(c.line), c.more), "ATTNSCOPE_HISTORY=" + quoted(dir.path() / "history.sqlite"));
    EXPECT_EQ(f.code, c.code) << f.out << f.err;
    for (const std::string& word : c.says) EXPECT_TRUE(has(f.err, word));
    EXPECT_EQ(count_of("\n" + f.err, "\nattnscope"), 1u) << f.err;
  }
}

const std::string kVerify = "verify --device cpu --variant tiled --problem 2x8x64x64 ",
                  kSpeed = ATTNSCOPE_SOURCE_DIR "/docs/results/2026-11-21-h200-speed.json";

TEST(BadInput, OfProblemsConfigsVariantsAndDevicesIsExplained) {
  expect_explained({
      {"verify --problem 2x8x0x64", {"--problem 2x8x0x64", "0"}},
      {kVerify + "--config BLOCK_M=33", {"BLOCK_M", "33", "32", "64"}},
      {"verify --device cpu --variant nosuch --problem 1x1x8x16", {"--variant nosuch", "tiled"}},
      {"verify --device cpu --variant coopmat2 --problem 1x1x8x16", {"--variant coopmat2: it cannot run on "}, 3},
      {"verify --device 99 --variant row --problem 1x1x8x16", {"--device 99", "0"}, 3},
      {"variants nosuch --device cpu", {"nosuch", "row"}},
      {kVerify + "--shaders /nowhere", {"--shaders /nowhere"}},
      {kVerify + "--shaders /etc", {"--shaders /etc", "manifest.toml"}},
      {kVerify + "--worker", {"/nowhere/attnscope"}, 2, {"/nowhere/attnscope worker"}},
      {kVerify + "--worker", {"--worker", "quote"}, 2, {"sh -c 'x"}},
      {"export x --device cpu --variant all --problem 1x1x8x8", {"one variant and one config"}},
      {"export x --device cpu --variant varlen --problem 1x1x8x8", {"packed sequences"}},
      {"bench --device cpu --problem 1x1x8x16 --ab LANES=8 LANES=16", {"a CONFIG alone needs one --variant"}},
      {"bench --device cpu --problem 1x1x8x16 --variant row --ab all LANES=16", {"--config all"}},
  });
  EXPECT_FALSE(fs::exists("x")) << "an export that is refused leaves nothing";
}

TEST(BadInput, OfOptionsIsExplained) {
  expect_explained({
      {"--device cpu bench --problem 1x1x8x16", {"--device before 'bench'", "attnscope bench --device"}},
      {"--idle devices", {"--idle", "devices"}},
      {"history --page 2 export /tmp/attnscope.json", {"--page before 'export'"}},
      {"bench --preset nosuch", {"--preset nosuch", "quick"}},
      {"bench", {"--problem", "--preset"}},
      {"compile --device cpu --problem 1x1x8x16 --random 5", {"--random", "--config all"}},
      {"verify --frobnicate", {"--frobnicate", "--help"}},
      {"frobnicate", {"frobnicate"}},
      {"bench --preset quick --max-ms 0", {"--max-ms", "'0'", "0.001 to 86400000"}},
      {"bench --preset quick --budget inf", {"--budget", "inf"}},
      {kVerify + "--seed -1", {"--seed", "-1", "0 to 18446744073709551615"}},
      {"screenshot x.png --scale 0.02", {"--scale", "0.5 to 8"}},
      {"bench --device cpu --problem 1x1x8x16 --ab row", {"--ab"}},
      {"bench --device cpu --problem 1x1x8x16 --ab row naive --log", {"--log"}},
      {"bench --device cpu --problem 1x1x8x16 --tolerance 1%", {"--ab"}},
      {"tune --problem 1x2x9x16 --budget soon", {"--budget soon"}},
      {"tune --problem 1x2x9x16 --strategy luck", {"surrogate, random, exhaustive"}},
      {"sweep --problem 1x2x9x16", {"--variant"}},
      {"history colour=red", {"head_dim"}},
      {"history --since yesterday", {"--since yesterday"}},
      {"history --limit 0", {"--limit"}},
      {kVerify + "--config", {"--config", "empty"}, 2, {""}},
  });
}

TEST(BadInput, OfFilesIsExplained) {
  const TempDir dir;
  write_file(dir.path() / "none.json", R"({"schema":1,"records":[]})");
  const std::string none = (dir.path() / "none.json").string(), compare = "compare " + kSpeed + " ";
  expect_explained({
      {kVerify + "--output /nowhere/at/all.json", {"--output /nowhere/at/all.json"}},
      {kVerify + "--output /tmp/attnscope.xlsx", {"--output", ".json", ".csv", ".md", ".xml"}},
      {"tuned --export x.txt", {"--export x.txt"}},
      {compare, {"B is required"}},
      {compare + none, {"no row of"}},
      {compare + kSpeed + " --fail-slower nan%", {"such as 3%"}},
      {compare + kSpeed + " --tolerance 5% --fail-slower 3%", {"--tolerance 5%"}},
      {compare + kSpeed + " --by nothing", {"--by nothing"}},
      {compare + kSpeed + " --show time", {"--by"}},
      {"history export", {"FILE"}},
      {"history export x.md", {".json or .csv"}},
      {"history import absent.json", {"absent.json"}},
      {"report --output r.html", {"--history"}},
      {"report a.json", {"--output"}},
  });
}

TEST(BadInputJson, TheDocumentOnStdoutIsTheErrorAndNothingElse) {
  const auto faulty = [](const std::vector<std::string>& words, const std::string& named) {
    const Finished f = run_binary(words);
    EXPECT_EQ(f.code, 2);
    const auto document = json::parse(f.out, nullptr, false);
    ASSERT_TRUE(document.contains("error")) << f.out;
    EXPECT_EQ(document.at("error").at("kind"), "bad_input");
    EXPECT_TRUE(has(document.at("error").at("message"), named));
  };
  faulty(typed("verify --problem banana --json"), "banana");
  faulty(typed("verify --frobnicate --json"), "--frobnicate");
  faulty(typed("bench --device cpu --variant row --problem 1x1x8x16 --ab default nosuch --json"), "nosuch");
}

TEST(BadInputPlaces, ADataFolderWithoutKernelsIsNamedAndNoDeviceIsExitCodeThree) {
  EXPECT_TRUE(ends(run_binary({"verify", "--problem", "1x1x8x16"}, "ATTNSCOPE_DATA=/nowhere"), 2, "/nowhere"));
  // A loader that is shown no driver.
  for (const char* line : {"devices", "bench --preset quick", "screenshot x.png --idle"}) {
    const Finished f = run_binary(typed(line), "VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json");
    EXPECT_TRUE(ends(f, 3, "No Vulkan driver was found")) << line;
    EXPECT_FALSE(has(f.err, "VkResult"));
  }
}

}  // namespace attnscope::bad_input_test
