// `attnscope peaks` and `bench --why` end to end on the software device, with a cache of their own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

TEST(Why, PeaksAreMeasuredOnceAndThenEveryRecordHasAFloor) {
  const TempDir home;
  const std::string cache = "XDG_CACHE_HOME=" + quoted(home.path());
  const std::vector<std::string> bench{"bench",     "--device",    "cpu",      "--variant", "row",
                                       "--problem", "1x1x8x16",    "--min-ms", "5",         "--max-ms",
                                       "500",       "--warmup-ms", "2"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), bench.begin(), bench.end());
    return run_binary(more, cache);
  };
  Finished f = with({"--json", "--quiet"});
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_TRUE(json::parse(f.out).at("records")[0].at("environment").at("peaks").is_null()) << "nobody asked";

  f = with({"--why"});
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.err.find("they are measured now"), std::string::npos) << f.err;
  EXPECT_NE(f.out.find("Why row "), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("  floor    "), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("  tiles    "), std::string::npos) << f.out;

  // Now they are known: another process finds them, and tells the same.
  f = run_binary({"peaks", "--device", "cpu", "--json"}, cache);
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.err, "");
  const json peaks = json::parse(f.out).at("peaks");
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_GT(peaks[0].at("ceilings")[0].at("value").get<double>(), 0);
  f = with({"--why", "--json", "--quiet"});
  ASSERT_EQ(f.code, 0) << f.err;
  const json record = json::parse(f.out).at("records")[0];
  EXPECT_EQ(record.at("environment").at("peaks"), peaks[0]);
  EXPECT_GT(record.at("floor").at("us").get<double>(), 0);
  EXPECT_GT(record.at("floor").at("fraction").get<double>(), 0);
  EXPECT_TRUE(record.at("advice").is_array());
  EXPECT_EQ(record.at("fit").at("workgroups"), record.at("resources").at("workgroups"));
  for (const json& a : record.at("advice")) {
    EXPECT_FALSE(a.at("rule").get<std::string>().empty());
    EXPECT_FALSE(a.at("text").get<std::string>().empty());
  }

  f = run_binary({"peaks", "--device", "cpu"}, cache);
  EXPECT_NE(f.out.find("copy, device memory"), std::string::npos) << f.out;
}

}  // namespace
}  // namespace attnscope
