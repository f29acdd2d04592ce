// The floor that measured ceilings put under a problem's time.
#include "engine/insight/peaks.hpp"

#include <gtest/gtest.h>

#include "engine/record/run.hpp"
#include "tests/has.hpp"
#include "tests/insight/peaks_of_h200.hpp"

namespace attnscope {
namespace {

Demand demand(const char* text, Precision precision = {}) {
  const Problem p = *parse_problem(text);
  return {problem_flops(p), problem_bytes(p), p.dtype, precision, CacheMode::hot, LaunchMode::isolated};
}

TEST(Floor, IsThatOfTheArithmeticWhichTheTypeAllows) {
  const Peaks peaks = peaks_of_h200();
  EXPECT_EQ(compute_roof(peaks, DType::f16, {})->name, "matrix f16 f32");
  EXPECT_EQ(compute_roof(peaks, DType::f16, {DType::f16, DType::f16})->name, "matrix f16 f16");
  EXPECT_EQ(compute_roof(peaks, DType::bf16, {})->name, "fma f32") << "no bf16 matrix was measured";
  EXPECT_EQ(compute_roof(peaks, DType::f32, {})->name, "fma f32");
  const auto pairs = compute_roof(peaks, DType::f32, {.f16_pairs = true});
  EXPECT_EQ(pairs->name, "matrix f16 f32, three products");
  EXPECT_DOUBLE_EQ(pairs->tflops, 200);
  EXPECT_FALSE(compute_roof({}, DType::f32, {}));
}

TEST(Floor, NamesTheRoofThatLimits) {
  const Peaks peaks = peaks_of_h200();
  const auto compute = must(floor_of(demand("1x16x4096x128:f16"), 440, peaks));
  EXPECT_EQ(compute->roof, "matrix f16 f32");
  EXPECT_NEAR(compute->us, 4.0 * 16 * 4096 * 4096 * 128 / 600e6 + 3, 1e-6);
  EXPECT_NEAR(compute->fraction, compute->us / 440, 1e-12);

  const auto memory = floor_of(demand("1x32x131072x128:q=1:kv=8:f16"), 137.6, peaks);
  EXPECT_EQ(memory->roof, "device memory");
  EXPECT_NEAR(memory->fraction, 0.95, 0.01);

  const auto caches = floor_of(demand("1x64x4096x64:q=1:kv=8:f16"), 20, peaks);
  EXPECT_EQ(caches->roof, "launch") << "8 MB from the caches take less time than a launch";
  Demand cold = demand("1x64x4096x64:q=1:kv=8:f16");
  cold.cache = CacheMode::cold;
  EXPECT_EQ(floor_of(cold, 20, peaks)->memory_us, cold.bytes / 4200 * 1e-3);

  EXPECT_EQ(floor_of(demand("2x8x64x64:f16"), 4.5, peaks)->roof, "launch");
  Demand overlapping = demand("2x8x64x64:f16");
  overlapping.launch = LaunchMode::back_to_back;
  EXPECT_DOUBLE_EQ(floor_of(overlapping, 4.5, peaks)->launch_us, 1) << "no barrier between";
}

TEST(Floor, ItsRoofIsNamedInTheFieldsWords) {
  EXPECT_EQ(roof_text("fma f32"), "FP32 FMA");
  EXPECT_EQ(roof_text("fma f16 pairs"), "FP16 FMA");
  EXPECT_EQ(roof_text("matrix f16 f32, three products"), "FP16 matrix, FP32 accumulate, three products");
  EXPECT_EQ(roof_text("device memory"), "device memory");
}

TEST(Floor, NeedsATimeAndRoofs) {
  EXPECT_FALSE(floor_of(demand("1x16x4096x128:f16"), 0, peaks_of_h200()));
  EXPECT_FALSE(floor_of(demand("1x16x4096x128:f16"), 440, {}));
}

TEST(Floor, IsARecordsWhereItsEnvironmentHasPeaks) {
  attnscope::Run run;
  run.problem = *parse_problem("1x16x4096x128:f16");
  Record without = make_record(run);
  without.samples_ns = {440e3, 441e3, 439e3};
  conclude(without, Outcome::measured);
  EXPECT_FALSE(without.floor);
  run.environment.peaks = peaks_of_h200();
  Record record = make_record(run);
  record.samples_ns = without.samples_ns;
  conclude(record, Outcome::measured);
  ASSERT_TRUE(record.floor);
  EXPECT_EQ(record.floor->roof, "matrix f16 f32");
  record.samples_ns.clear();
  conclude(record, Outcome::measured);
  EXPECT_FALSE(record.floor) << "of no time there is no fraction";
}

}  // namespace
}  // namespace attnscope
