// Records of other programs, or of an editor, that say what cannot be.
#include <gtest/gtest.h>

#include "engine/record/csv.hpp"
#include "engine/record/results.hpp"

namespace attnscope {
namespace {

std::string file_with(const std::string& fields) {
  return R"({"schema": 1, "records": [{"problem": "1x1x8x16", "variant": "row", )" + fields + "}]}";
}

TEST(SoundRecords, HaveNoTimeBelowZero) {
  const auto sample = results_from_json(file_with(R"("samples_ns": [3, -5])"), "'x'");
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "'x' is not a result file: .records[0].samples_ns[1]: a time of -5 ns cannot be");
  const auto median = results_from_json(file_with(R"("statistics": {"median": -1})"), "'x'");
  ASSERT_FALSE(median);
  EXPECT_NE(median.error().message.find("statistics.median"), std::string::npos) << median.error().message;
  EXPECT_TRUE(results_from_json(file_with(R"("samples_ns": [0, 0])"), "'x'")) << "a timer may have such steps";
  const auto csv = records_from_csv("problem,variant,median_ns\n1x1x8x16,row,-5\n", "'x'");
  ASSERT_FALSE(csv);
  EXPECT_EQ(csv.error().message, "'x', line 2: statistics.median: a time of -5 ns cannot be");
}

TEST(SoundRecords, ThatAreWrongHaveNoTime) {
  const auto time = std::string(R"(, "samples_ns": [8, 9, 8], "tflops": 3, "statistics": {"median": 8}, "outcome": )");
  for (const std::string& fields :
       {R"("verdict": {"pass": false})" + time + R"("measured")",
        R"("verdict": {"pass": false})" + time + R"("failed")", R"("message": "no room")" + time + R"("refused")"}) {
    const auto read = results_from_json(file_with(fields), "'x'");
    ASSERT_TRUE(read) << read.error().message;
    const Record& r = read->records[0];
    EXPECT_NE(r.outcome, Outcome::measured) << fields;
    EXPECT_TRUE(r.samples_ns.empty()) << fields;
    EXPECT_FALSE(r.statistics) << fields;
    EXPECT_EQ(r.tflops, 0) << fields;
  }
  const auto csv = records_from_csv("problem,variant,pass,outcome,median_ns\n1x1x8x16,row,false,measured,5\n", "'x'");
  ASSERT_TRUE(csv) << csv.error().message;
  EXPECT_EQ(csv->front().outcome, Outcome::failed_verdict);
  EXPECT_FALSE(csv->front().statistics);
}

}  // namespace
}  // namespace attnscope
