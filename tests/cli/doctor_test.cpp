// `attnscope doctor` on the software device, and which variants a fault rules out.
#include "app/cli/options.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope::cli::doctor_test {

TEST(Doctor, TellsOfTheDriverAndPassesOnTheSoftwareDevice) {
  EXPECT_TRUE(has(run_ok(typed("doctor --device cpu --quiet")).out, "attnscope doctor", "driver", "subgroup shuffle",
                  "timestamps", " passed, 0 failed"));
  const json j = run_json(typed("doctor --device cpu --json --quiet"));
  const json& checks = j.at("devices")[0].at("checks");
  EXPECT_GE(checks.size(), 16u);
  for (const json& c : checks) EXPECT_NE(c.at("outcome"), "FAIL") << c.dump();
}

TEST(Doctor, AFaultRulesOutWhatNeedsTheFeature) {
  const std::vector<VariantInfo> variants{
      {.name = "plain", .dtypes = {"f32"}},
      {.name = "shuffling", .features = {"subgroup_shuffle"}},
      {.name = "matrices", .features = {"coopmat", "subgroup_shuffle"}, .dtypes = {"f16"}},
      {.name = "elsewhere", .features = {"coopmat"}, .why_not = "the device lacks something"}};
  using Names = std::vector<std::string>;
  const auto out = [&](std::vector<std::string> needs, const char* dtype, CheckOutcome outcome = CheckOutcome::fail) {
    return ruled_out({"a check", outcome, "", std::move(needs), dtype}, variants);
  };
  EXPECT_EQ(out({}, ""), (Names{"plain", "shuffling", "matrices"}));
  EXPECT_EQ(out({"subgroup_shuffle"}, ""), (Names{"shuffling", "matrices"}));
  EXPECT_EQ(out({"coopmat"}, "f16"), Names{"matrices"});
  EXPECT_EQ(out({"coopmat"}, "s8"), Names{});
  EXPECT_EQ(out({}, "", CheckOutcome::pass), Names{});
}

}  // namespace attnscope::cli::doctor_test
