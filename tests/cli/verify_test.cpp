// `attnscope verify` end to end on the software device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// A copy of the shipped `row` whose key loop stops one key early, as a user's variant folder.
void write_off_by_one(const std::filesystem::path& dir) {
  const std::string shader = read_file(shipped("shaders/row/row.comp"));
  write_file(dir / "row_short" / "row.comp",
             replaced(shader, "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u);",
                      "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u) - 1u;"));
  write_file(dir / "row_short" / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
}

/// The fenced block that follows `file` in a page.
std::string block_of(const std::string& page, const std::string& file) {
  const size_t fence = page.find("```", page.find("`" + file + "`"));
  const size_t first = page.find('\n', fence) + 1;
  return page.substr(first, page.find("```", first) - first);
}

TEST(Verify, AVariantOfOnesOwnIsAFolderAndNoRebuild) {
  const std::string page = read_file(shipped("docs/variants.md"));
  const TempDir dir;
  for (const char* file : {"manifest.toml", "mine.comp"})
    write_file(dir.path() / "mine" / file, block_of(page, std::string("mine/") + file));
  const std::vector<std::string> base{"--device", "cpu", "--shaders", dir.path()};
  const auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), base.begin(), base.end());
    return run_binary(args);
  };
  const Finished listed = with({"variants"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_NE(listed.out.find("mine "), std::string::npos) << listed.out;
  const Finished verified = with({"verify", "--variant", "mine", "--problem", "1x3x77x40:causal", "--problem",
                                  "2x6x33x20:kv=2:f16", "--config", "all", "--json"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  const json records = json::parse(verified.out).at("records");
  EXPECT_EQ(records.size(), 6u) << "three configs on two problems";
  for (const json& r : records) EXPECT_EQ(r.at("outcome"), "verified") << r.at("message");
  const Finished timed = with({"bench", "--variant", "mine", "--problem", "1x1x16x16", "--min-ms", "1", "--json"});
  EXPECT_EQ(timed.code, 0) << timed.out << timed.err;
  EXPECT_EQ(json::parse(timed.out).at("records").at(0).at("outcome"), "measured");
}

TEST(Verify, EveryVariantPassesOnTheStudyShapesAndOddOnes) {
  const Finished f = run_binary({"verify",
                                 "--device",
                                 "cpu",
                                 "--variant",
                                 "all",
                                 "--problem",
                                 "1x4x32x32",
                                 "--problem",
                                 "2x4x64x32",
                                 "--problem",
                                 "2x8x64x64",
                                 "--problem",
                                 "4x8x128x64",
                                 "--problem",
                                 "1x3x77x40",
                                 "--problem",
                                 "2x6x129x64:kv=2",
                                 "--problem",
                                 "1x2x100x80:q=33:causal",
                                 "--problem",
                                 "1x4x65x96:f16:causal",
                                 "--json"});
  EXPECT_EQ(f.code, 0) << f.out.substr(0, 4000) << f.err;
  const json document = json::parse(f.out);
  std::map<std::string, int> passed;
  for (const json& r : document.at("records")) {
    if (r.at("outcome") == "refused") continue;
    EXPECT_EQ(r.at("outcome"), "verified") << r.at("variant") << " " << r.at("problem") << " " << r.at("message");
    EXPECT_TRUE(r.at("verdict").at("pass"));
    EXPECT_EQ(r.at("verdict").at("nan_count"), 0);
    ++passed[r.at("variant")];
  }
  for (const char* name : {"naive", "row", "tiled", "fmha"}) EXPECT_EQ(passed[name], 8) << name;
}

TEST(Verify, AnOffByOneInTheKeyLoopFails) {
  const TempDir dir;
  write_off_by_one(dir.path());
  const Finished f = run_binary(
      {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "row_short", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 1) << f.out << f.err;
  EXPECT_NE(f.out.find("FAIL"), std::string::npos) << f.out;
  // The same folder as shipped passes: the test sees the off-by-one, not the copying.
  const Finished good = run_binary({"verify", "--device", "cpu", "--variant", "row", "--problem", "1x2x33x32"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("pass"), std::string::npos);
}

TEST(Verify, AFailingConfigIsNeverTimed) {
  const TempDir dir;
  write_off_by_one(dir.path());
  const Finished f = run_binary({"bench", "--device", "cpu", "--shaders", dir.path(), "--variant", "row_short",
                                 "--problem", "1x2x33x32", "--json"});
  EXPECT_EQ(f.code, 1) << f.err;
  const json record = json::parse(f.out).at("records").at(0);
  EXPECT_EQ(record.at("outcome"), "failed");
  EXPECT_TRUE(record.at("samples_ns").empty());
}

TEST(Verify, RandomProblemsAreTheSameForTheSameSeed) {
  const auto problems = [](const char* seed) {
    const Finished f = run_binary({"verify", "--device", "cpu", "--variant", "row", "--variant", "naive", "--samples",
                                   "6", "--seed", seed, "--json"});
    EXPECT_EQ(f.code, 0) << f.err << f.out.substr(0, 4000);
    std::vector<std::string> all;
    const json document = json::parse(f.out);
    for (const json& r : document.at("records"))
      all.push_back(r.at("variant").get<std::string>() + " " + r.at("problem").get<std::string>() +
                    r.at("config").dump());
    return all;
  };
  const auto first = problems("7");
  EXPECT_EQ(first.size(), 6u);
  EXPECT_EQ(first, problems("7"));
  EXPECT_NE(first, problems("8"));
}

TEST(Verify, WhatAVariantCannotTakeIsSkippedUnlessItWasNamed) {
  // row takes no packed sequences.
  const std::vector<std::string> problem{"--problem", "varlen=7,12:2x32"};
  std::vector<std::string> all{"verify", "--device", "cpu", "--variant", "all"},
      named{"verify", "--device", "cpu", "--variant", "row"};
  all.insert(all.end(), problem.begin(), problem.end());
  named.insert(named.end(), problem.begin(), problem.end());
  const Finished skipped = run_binary(all);
  EXPECT_EQ(skipped.code, 0) << skipped.out << skipped.err;
  EXPECT_NE(skipped.out.find("SKIP"), std::string::npos) << skipped.out;
  const Finished refused = run_binary(named);
  EXPECT_EQ(refused.code, 2) << refused.out << refused.err;
  EXPECT_NE(refused.err.find("packed sequences"), std::string::npos) << refused.err;
}

TEST(Verify, OfTheUsualProblemsWhatAVariantCannotTakeIsSkipped) {
  const Finished f = run_binary({"verify", "--device", "cpu", "--variant", "row", "--json"});
  EXPECT_EQ(f.code, 0) << f.err;
  const json document = json::parse(f.out);
  std::map<std::string, int> outcomes;
  for (const json& r : document.at("records")) {
    ++outcomes[r.at("outcome")];
    if (r.at("outcome") == "refused") {
      EXPECT_NE(r.at("message"), "");
    }
  }
  EXPECT_GE(outcomes["verified"], 25);
  EXPECT_EQ(outcomes["refused"], 4) << "packed sequences and paged caches";
  EXPECT_EQ(outcomes.size(), 2u);
  EXPECT_NE(f.err.find("0 failed, 4 skipped"), std::string::npos) << f.err;
  // A config that is legal on none of them is refused, not skipped everywhere.
  const Finished none = run_binary({"verify", "--device", "cpu", "--variant", "row", "--config", "LANES=33"});
  EXPECT_EQ(none.code, 2) << none.out << none.err;
  EXPECT_NE(none.err.find("33"), std::string::npos) << none.err;
}

TEST(Verify, AVerdictSaysWhichRowsItCompared) {
  const Finished f = run_binary({"verify", "--device", "cpu", "--variant", "row", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find(" all "), std::string::npos) << f.out;
  EXPECT_NE(f.err.find("all rows were compared"), std::string::npos) << f.err;
}

TEST(Verify, LargeScoresPassForEverySeed) {
  const Finished f = run_binary(
      {"verify", "--device", "cpu", "--variant", "row", "--problem", "1x4x129x64:scale=50:in=ramp", "--repeat", "5"});
  EXPECT_EQ(f.code, 0) << f.out << f.err;
}

TEST(Verify, ThroughAnotherCommandTheRecordsAreTheSame) {
  const std::vector<std::string> what{"verify", "--device",  "cpu",           "--variant",
                                      "row",    "--problem", "1x2x33x32:f16", "--json"};
  std::vector<std::string> through = what;
  through.insert(through.end(), {"--worker", std::string("sh -c \"exec '") + ATTNSCOPE_EXECUTABLE + "' worker\""});
  const Finished a = run_binary(what), b = run_binary(through);
  ASSERT_EQ(a.code, 0) << a.err;
  ASSERT_EQ(b.code, 0) << b.err;
  json left = json::parse(a.out).at("records"), right = json::parse(b.out).at("records");
  for (json* records : {&left, &right})
    for (json& r : *records) r.at("environment").erase("time_utc");
  EXPECT_EQ(left, right);
}

}  // namespace
}  // namespace attnscope
