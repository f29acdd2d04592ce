// A pick for any shape: fitted to made-up choices, and as C that is compiled and run.

#include "engine/tune/header.hpp"
#include "engine/tune/random.hpp"
#include "tests/files.hpp"
#include "tests/has.hpp"

namespace attnscope::tune::pick_test {

/// "decode" for up to 16 queries; else "wide" from 4,096 rows, "narrow" below; f32 has one that runs nothing else.
size_t right(const Problem& p) {
  if (p.dtype == DType::f32) return 3;
  return p.seq_q <= 16 ? 0 : uint64_t{p.batch} * p.heads_q * p.seq_q >= 4096 ? 1 : 2;
}
std::vector<PickSample> samples(uint64_t seed, size_t count) {
  Random random(seed);
  const auto power = [&](uint64_t most) { return uint32_t(1) << random.below(most); };
  std::vector<PickSample> out;
  for (size_t i = 0; i < count; ++i) {
    PickSample s;
    s.problem = *parse_problem(fmt::format("{}x{}x{}x{}:q={}:{}", power(3), power(6), power(14), 32 * power(4),
                                           power(13), i % 10 == 0 ? "f32" : "f16"));
    const size_t best = right(s.problem);
    s.losses[best] = 0;
    for (size_t c = 0; c < 3 && best < 3; ++c) s.losses.try_emplace(c, 0.3);
    out.push_back(s);
  }
  return out;
}
std::vector<CostConfig> choices() {
  return {{"decode", "d1", {{"SPLITS", 4}}},
          {"flash", "f1", {{"M", 128}}},
          {"flash", "f1", {{"M", 32}}},
          {"tiled", "t1", {}}};
}

TEST(Pick, IsThatOfAutoOnProblemsItWasNotFittedTo) {
  const PickTree tree = fit_pick(choices(), samples(1, 400), 16);
  EXPECT_LE(tree.nodes.size(), 31u);
  const PickRegret r = regret_of(tree, samples(2, 200));
  EXPECT_EQ(r.problems, 200u);
  EXPECT_EQ(r.unknown, 0u);
  EXPECT_LT(r.mean, 1.01);
  EXPECT_LE(r.worst, std::exp(0.3) + 1e-9);
  const PickTree one = fit_pick(choices(), samples(1, 400), 1);
  EXPECT_EQ(one.nodes.size(), 1u);
  const PickRegret blunt = regret_of(one, samples(2, 200));
  EXPECT_GT(blunt.mean, 1.05);
  EXPECT_EQ(blunt.unknown, 20u) << "f32, which runs something else alone";
}

TEST(Pick, IsTheSameInCAndInCpp) {
  const PickTree tree = fit_pick(choices(), samples(1, 400), 16);
  const std::vector<std::string> heading{"Made up */ for a test.", "Regret 1.00."};
  const TempDir dir;
  const auto path = [&](const char* name) { return (dir / name).string(); };
  write_file(path("pick.h"), pick_source(tree, heading));
  std::string calls;
  for (const PickSample& s : samples(3, 50)) {
    const CostConfig& c = tree.choices[tree.pick(s.problem)];
    const auto f = features_of(s.problem);
    calls += fmt::format("  wrong += is(attnscope_pick({}, {}, {}, {}, {}, {}, {}), \"{}\", \"{}\");\n", f[0], f[1],
                         f[2], f[3], f[4], f[5], f[6], c.variant, to_text(c.config));
  }
  const std::string use =
      "#include \"pick.h\"\n#include <string.h>\nstatic int is(unsigned i, const char *v, const char *c) {\n"
      "  return strcmp(attnscope_choices[i].variant, v) != 0 || strcmp(attnscope_choices[i].config, c) != 0;\n}\n"
      "int main(void) {\n  int wrong = 0;\n" +
      calls + "  return wrong;\n}\n";
  write_file(path("use.c"), use);
  for (const char* compiler : {"cc -std=c11 -x c", "c++ -std=c++20 -x c++"})
    EXPECT_EQ(std::system((std::string(compiler) + " -pedantic -Wall -Wextra -Werror -o " + path("use") + " " +
                           path("use.c") + " && " + path("use"))
                              .c_str()),
              0)
        << compiler;
}

}  // namespace attnscope::tune::pick_test
