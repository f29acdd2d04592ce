// `attnscope verify` end to end on the software device.
#include "tests/cli/run_binary.hpp"

namespace attnscope::verify_test {

TEST(Verify, AVariantOfOnesOwnIsAFolderAndNoRebuild) {
  const TempDir dir;
  for (const char* file : {"manifest.toml", "mine.comp"}) write_file(dir / "mine" / file, documented(file));
  const auto run = [&](const char* line) {
    return run_ok(with(typed(line), {"--device", "cpu", "--shaders", dir.path()}));
  };
  EXPECT_TRUE(has(run("variants").out, "mine "));
  const json records = json::parse(run("verify --variant mine --problem 1x3x77x40:causal --problem 2x6x33x20:kv=2:f16 "
                                       "--config all --json")
                                       .out)
                           .at("records");
  EXPECT_EQ(records.size(), 6u) << "three configs on two problems";
  for (const json& r : records) EXPECT_EQ(r.at("outcome"), "verified") << r.at("message");
  const json timed = json::parse(run("bench --variant mine --problem 1x1x16x16 --min-ms 1 --json").out);
  EXPECT_EQ(timed.at("records")[0].at("outcome"), "measured");
}

TEST(Verify, EveryVariantPassesOnAStudyShapeAndOddOnes) {
  std::map<std::string, int> passed;
  for (const json& r : run_records(typed("verify --device cpu --variant all --problem 2x6x65x64:kv=2 "
                                         "--problem 1x2x50x80:q=33:causal --problem 1x3x33x40:f16:causal --json"))) {
    if (r.at("outcome") == "refused") continue;
    EXPECT_EQ(r.at("outcome"), "verified") << r.at("variant") << " " << r.at("problem") << " " << r.at("message");
    EXPECT_TRUE(r.at("verdict").at("pass"));
    EXPECT_EQ(r.at("verdict").at("nan_count"), 0);
    ++passed[r.at("variant")];
  }
  for (const char* name : {"naive", "row", "tiled", "fmha"}) EXPECT_EQ(passed[name], 3) << name;
}

TEST(Verify, AnOffByOneInTheKeyLoopFails) {
  const TempDir dir;
  write_row(dir / "row_short", "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u);",
            "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u) - 1u;");
  const Finished f = run_binary(
      {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "row_short", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 1) << f.out << f.err;
  EXPECT_TRUE(has(f.out, "FAIL"));
  const Finished timed =
      run_binary(typed("bench --device cpu --shaders {} --variant row_short --problem 1x2x33x32 --json", dir.path()));
  EXPECT_EQ(timed.code, 1) << timed.err;
  EXPECT_TRUE(json::parse(timed.out).at("records").at(0).at("samples_ns").empty());
}

TEST(Verify, RandomProblemsAreTheSameForTheSameSeed) {
  const auto problems = [](const char* seed) {
    std::vector<std::string> all;
    for (const json& r : run_records(typed("verify --device cpu --variant row --samples 4 --seed {} --json", seed)))
      all.push_back(r.at("variant").dump() + r.at("problem").dump() + r.at("config").dump());
    return all;
  };
  const auto first = problems("7");
  EXPECT_EQ(first.size(), 4u);
  EXPECT_EQ(first, problems("7"));
  EXPECT_NE(first, problems("8"));
}

TEST(Verify, WhatAVariantCannotTakeIsSkippedUnlessItWasNamed) {
  // row takes no packed sequences.
  const std::vector<std::string> packed = typed("verify --device cpu --problem varlen=7,12:2x32 --variant");
  EXPECT_TRUE(has(run_ok(with(packed, {"all"})).out, "SKIP", "not packed sequences (requires varlen == 0)\n"));
  EXPECT_TRUE(ends(run_binary(with(packed, {"row"})), 2, "packed sequences"));
}

TEST(Verify, OfTheUsualProblemsWhatAVariantCannotTakeIsSkipped) {
  const Finished f = run_ok(typed("verify --device cpu --variant row --json"));
  const json document = json::parse(f.out);
  std::map<std::string, int> outcomes;
  for (const json& r : document.at("records")) {
    ++outcomes[r.at("outcome")];
    EXPECT_TRUE(r.at("outcome") != "refused" || r.at("message") != "");
  }
  EXPECT_GE(outcomes["verified"], 60) << "with options too";
  EXPECT_EQ(outcomes["refused"], 12) << "packed sequences and paged caches";
  EXPECT_EQ(outcomes.size(), 2u);
  EXPECT_TRUE(has(f.err, "0 failed, 12 skipped"));
  // A config that is legal on none of them is refused, not skipped everywhere.
  EXPECT_TRUE(ends(run_binary(typed("verify --device cpu --variant row --config LANES=33")), 2, "33"));
}

TEST(Verify, ThroughAnotherCommandTheRecordsAreTheSame) {
  const std::vector<std::string> what = typed("verify --device cpu --variant row --problem 1x2x33x32:f16 --json");
  const std::string worker = std::string("sh -c \"exec '") + ATTNSCOPE_EXECUTABLE + "' worker\"";
  json left = run_records(what), right = run_records(with(what, {"--worker", worker}));
  for (json* records : {&left, &right})
    for (json& r : *records) r.at("environment").erase("time_utc");
  EXPECT_EQ(left, right);
}

}  // namespace attnscope::verify_test
