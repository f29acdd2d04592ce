// A kernel of another engine through the real binary: its sources reach a worker that has no files of the caller's.
#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

const std::string kForeign = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/foreign";

std::vector<std::string> with_engine_x(std::vector<std::string> arguments) {
  for (const std::string& more :
       {std::string("--shaders"), kForeign + "/adapters", std::string("--sources"), kForeign + "/sources",
        std::string("--variant"), std::string("engine_x"), std::string("--device"), std::string("cpu")})
    arguments.push_back(more);
  return arguments;
}

TEST(ForeignCli, IsVerifiedInAWorker) {
  const Finished done =
      run_binary(with_engine_x({"verify", "--problem", "1x4x33x16:kv=2:f16", "--config", "all", "--json"}));
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["records"].size(), 9u) << "three values of each parameter";
  for (const auto& record : json["records"]) EXPECT_EQ(record["outcome"], "verified");
}

TEST(ForeignCli, WithoutItsSourcesItSaysWhatItNeeds) {
  const Finished done = run_binary({"verify", "--shaders", kForeign + "/adapters", "--variant", "engine_x", "--problem",
                                    "1x1x8x8:f16", "--device", "cpu"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("give --sources DIR, the sources of Engine X"), std::string::npos) << done.err;
  const Finished nowhere = run_binary({"variants", "--sources", kForeign + "/nosuch"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.err.find("--sources " + kForeign + "/nosuch: there is no such folder"), std::string::npos)
      << nowhere.err;
}

TEST(ForeignCli, IsTunedAndExported) {
  const TempDir dir;
  const std::string home = "XDG_DATA_HOME=" + quoted(dir.path().string());
  const Finished tuned = run_binary(with_engine_x({"tune", "--problem", "1x2x33x16:f16", "--budget", "9", "--min-ms",
                                                   "1", "--warmup-ms", "1", "--min-samples", "4", "--quiet"}),
                                    home);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const std::string header = (dir.path() / "tuned.h").string();
  const Finished exported = run_binary({"tuned", "--export", header}, home);
  ASSERT_EQ(exported.code, 0) << exported.err;
  const std::string text = read_file(header);
  for (const char* part :
       {"\"kernels/attend.comp\"", "\"kernels/combine.comp\"", "\"lanes\"", "\"v_dim\"", "\"seq_q * parts\""})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const Finished used = run_binary(with_engine_x({"bench", "--problem", "1x2x33x16:f16", "--config", "tuned",
                                                  "--min-ms", "1", "--warmup-ms", "1", "--min-samples", "4", "--json"}),
                                   home);
  EXPECT_EQ(used.code, 0) << used.err;
}

}  // namespace
}  // namespace attnscope
