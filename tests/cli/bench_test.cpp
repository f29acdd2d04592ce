// `attnscope bench` end to end on the software device: its documents, its modes, and Ctrl-C.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

std::vector<std::string> quick(std::vector<std::string> more) {
  std::vector<std::string> all{"bench",    "--device", "cpu", "--variant", "row", "--problem",   "1x1x8x16",
                               "--min-ms", "5",        "--max-ms", "500",   "--warmup-ms", "2",         "--quiet"};
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
  EXPECT_GT(r.at("resources").at("compile_ms"), 0);
}

TEST(Bench, WritesTheFormatOfTheExtension) {
  const TempDir dir;
  for (const char* name : {"r.json", "r.csv", "r.md"}) {
    const Finished f = run_binary(quick({"--output", dir.path() / name}));
    ASSERT_EQ(f.code, 0) << f.err;
    const std::string text = read_file(dir.path() / name);
    EXPECT_NE(text.find("1x1x8x16"), std::string::npos) << name;
    for (const char* hole : {",nan,", ",-nan,", ",inf,", " nan ", ": nan"}) EXPECT_EQ(text.find(hole), std::string::npos) << name;
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
  EXPECT_NE(f.out.find("  1* pass"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("* best min for 1x1x8x16:f32"), std::string::npos) << f.out;
}

TEST(Bench, AnInterruptKeepsWhatIsDone) {
  const TempDir dir;
  const std::string output = dir.path() / "partial.json";
  // Far more than two seconds' work; the shell interrupts it when the first record is done.
  std::string command = quoted(ATTNSCOPE_EXECUTABLE) +
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
