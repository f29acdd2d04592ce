// What problems ask beyond plain attention: whoever takes it is right, and whoever does not says so.
#include "engine/record/preset.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::options_test {

struct OptionsOnTheDevice : testing::Test {
  void SetUp() override {
    variants_ = *must(session_->load_variants(shipped_sources()));
    std::erase_if(variants_, [](const VariantInfo& v) { return !v.why_not.empty(); });
  }
  Record verify(const std::string& variant, const Problem& problem, const std::string& config = "default") {
    const auto choice = must(session_->choose_config(problem, variant, config));
    RunRequest request = small_run("1x1x1x1", variant, choice->config);
    request.problem = problem;
    request.measure = request.resources = false;
    return *must(session_->run(request, {}, kGoOn), variant);
  }
  const std::unique_ptr<Session> session_ = cpu_session({});
  std::vector<VariantInfo> variants_;
};

TEST_F(OptionsOnTheDevice, AreRightWhereTaken) {
  const auto preset = must(load_preset(fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/presets", "options"));
  for (const Problem& p : preset->problems) {
    size_t right = 0;
    for (const VariantInfo& v : variants_) {
      // Those of plain attention take none; Verify.OfTheUsualProblems… has row on all of these.
      if (v.options.empty() || v.name == "row") continue;
      const Record r = verify(v.name, p);
      if (r.outcome == Outcome::refused) continue;
      EXPECT_EQ(r.outcome, Outcome::verified) << v.name << " " << to_text(p) << ": " << reason_of(r);
      if (!r.verdict) continue;
      EXPECT_TRUE(r.verdict->all_on_device || r.verdict->rows_checked == r.verdict->rows_total) << to_text(p);
      right += r.verdict->pass;
    }
    // Packed sequences with options are for matrix units, and a window over pages for decode alone.
    EXPECT_GE(right, p.varlen.empty() ? 1u : 0u) << to_text(p);
  }
}

TEST_F(OptionsOnTheDevice, SplitsAreAddedByTheWorkgroupThatEndsLast) {
  for (const char* text :
       {"1x8x512x64:q=1:kv=2", "2x4x500x80:q=3:kv=2:causal:f16", "1x71x512x64:q=1:kv=1:f16",
        "1x8x600x64:q=1:kv=2:page=16", "1x8x700x64:q=2:kv=2:topk=600", "1x8x512x64:q=1:kv=2:sinks:softcap=30"}) {
    const Record r = verify("decode", *parse_problem(text), "MERGE=1,SPLITS=4");
    ASSERT_EQ(r.outcome, Outcome::verified) << text << ": " << reason_of(r);
    EXPECT_EQ(r.config.at("MERGE"), 1) << text;
    EXPECT_EQ(r.verdict->rows_checked, r.verdict->rows_total) << text;
  }
}

}  // namespace attnscope::options_test
