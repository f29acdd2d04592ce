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
  std::vector<VariantInfo> variants(4);
  variants[0].name = "plain";
  variants[0].dtypes = {"f32"};
  variants[1].name = "shuffling";
  variants[1].features = {"subgroup_shuffle"};
  variants[2].name = "matrices";
  variants[2].features = {"coopmat", "subgroup_shuffle"};
  variants[2].dtypes = {"f16"};
  variants[3].name = "elsewhere";
  variants[3].features = {"coopmat"};
  variants[3].why_not = "the device lacks something";
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
