// What the commands share, by itself; and `attnscope doctor`: what it tells, and which variants a fault rules out.
#include "app/cli/options.hpp"
#include "app/cli/random_problem.hpp"
#include "engine/input/text.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope::cli::words_test {

using Words = std::vector<std::string>;

TEST(ShellWords, SplitAsAShellWould) {
  EXPECT_EQ(*shell_words("ssh gpu-box attnscope worker"), (Words{"ssh", "gpu-box", "attnscope", "worker"}));
  EXPECT_EQ(*shell_words("  sh -c 'exec a  b' "), (Words{"sh", "-c", "exec a  b"}));
  EXPECT_EQ(*shell_words(R"(sh -c "say \"hi\" \$x \n")"), (Words{"sh", "-c", R"(say "hi" $x \n)"}));
  EXPECT_EQ(*shell_words(R"(a\ b c''d "" '')"), (Words{"a b", "cd", "", ""}));
  EXPECT_FALSE(shell_words("sh -c 'x"));
  EXPECT_FALSE(shell_words("sh \"x"));
  EXPECT_FALSE(shell_words("   "));
  EXPECT_FALSE(shell_words(std::string_view("false\0 worker", 13)));
}

TEST(ExitCode, TheMostSeriousWins) {
  EXPECT_EQ(worse(exit_ok, exit_failed), exit_failed);
  EXPECT_EQ(worse(exit_failed, exit_bad_input), exit_failed);
  EXPECT_EQ(worse(exit_failed, exit_lost), exit_lost);
  EXPECT_EQ(worse(exit_lost, exit_interrupted), exit_interrupted);
  EXPECT_EQ(worse(exit_ok, exit_ok), exit_ok);
}

TEST(RandomProblem, IsLegalVariedAndRepeatable) {
  VariantInfo info;
  info.dtypes = {"f32", "f16"};
  Random a(1), b(1);
  size_t legal = 0, causal = 0, grouped = 0, packed = 0, paged = 0, wide = 0, unseen_rows = 0;
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(a, info);
    EXPECT_EQ(p, random_problem(b, info));
    EXPECT_NE(p.dtype, DType::bf16);
    for (const ProblemOption& option : kProblemOptions) ASSERT_FALSE(option.asked(p)) << "the variant takes none";
    if (!check_problem(p)) continue;
    ++legal;
    EXPECT_LT(problem_flops(p), 2e9) << to_text(p);
    causal += p.causal;
    grouped += p.group() > 1;
    packed += !p.varlen.empty();
    paged += p.page_size > 0;
    wide += p.head_dim >= 512;
    unseen_rows += p.causal && p.seq_q > p.seq_kv;
  }
  EXPECT_GT(legal, 1800u);
  for (const size_t n : {causal, grouped, packed, paged, wide, unseen_rows}) EXPECT_GT(n, 50u);
}

TEST(RandomProblem, AsksForWhatTheVariantTakesAlone) {
  VariantInfo info;
  info.dtypes = {"f32", "f16"};
  Random a(1);
  for (const ProblemOption& option : kProblemOptions) info.options.emplace_back(option.name);
  std::map<std::string_view, size_t> times;
  size_t legal = 0;
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(a, info);
    if (!check_problem(p)) continue;
    ++legal;
    for (const ProblemOption& option : kProblemOptions) times[option.name] += option.asked(p);
  }
  EXPECT_GT(legal, 1800u);
  for (const ProblemOption& option : kProblemOptions) EXPECT_GT(times[option.name], 100u) << option.name;
}

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

}  // namespace attnscope::cli::words_test
