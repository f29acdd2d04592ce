#include "tests/variant/variant_test.hpp"

namespace attnscope::expression_test {

double value(const std::string& text, const Names& names = {}) { return *must(evaluate(text, names), text); }
std::string failure(const std::string& text, const Names& names = {}) { return refusal(evaluate(text, names)); }

TEST(Expression, Arithmetic) {
  EXPECT_EQ(std::tuple(value("ceil_div(7, 2)"), value("ceil_div(8, 2)"), value("mod(7, 4)"), value("mod(-1, 4)"),
                       value("pow2ceil(33)"), value("pow2ceil(64)"), value("floor(2.5) + ceil(2.5) + log2(8)"),
                       value("min(3, 1, 2) + max(3, 1, 2)"), value("!(1 > 2) && 3 != 4 || 0"),
                       value("a >= 2 ? 10 : 20", {{"a", 2}})),
            std::tuple(4, 4, 3, 3, 64, 64, 8, 4, 1, 10));
  EXPECT_EQ(value("a >= 2 ? 10 : 20", {{"a", 1}}), 20) << "the same text sees new values";
  EXPECT_EQ(value("a + 1", {{"a", 9007199254740991.0}}), 9007199254740992.0) << "exact up to 2^53";
  EXPECT_EQ(value("131072 * 131072 * 32 * 4"), 2199023255552.0);
}

TEST(Expression, BitsOfWholeNumbers) {
  EXPECT_EQ(*evaluate("bit_and(vendor_id, 255) + bit_or(1, 6) * 1000 + bit_xor(5, 1) * 100", {{"vendor_id", 0x10de}}),
            0xde + 7000 + 400);
  EXPECT_EQ(value("0x10DE + 0Xff * 2 - 0x0"), 0x10de + 510);
  EXPECT_FALSE(evaluate("0x", {}));
  EXPECT_FALSE(evaluate("0x1ffffffffffffffff", {}));
  EXPECT_EQ(*evaluate("shift_left(3, 4) + shift_right(255, 6)", {}), 48 + 3);
  EXPECT_EQ(*evaluate("shift_right(1, 64)", {}), 0);
  EXPECT_FALSE(evaluate("bit_and(0.5, 1)", {}));
  EXPECT_FALSE(evaluate("bit_and(-1, 1)", {}));
}

TEST(Expression, ErrorsQuoteTheTextAndTheNameAndLongAndDeepOnesAreRefused) {
  EXPECT_TRUE(has(failure("BLOCK_M * nosuch", {{"BLOCK_M", 1}}), "BLOCK_M * nosuch", "'nosuch'"));
  EXPECT_TRUE(has(failure("1 +"), "1 +"));
  EXPECT_TRUE(has(failure("a = 1", {{"a", 2}}), "=="));
  EXPECT_TRUE(has(failure("1 / a", {{"a", 0}}), "finite"));
  failure("");
  std::string sum = "1";
  for (int i = 0; i < 60000; ++i) sum += " + 1";
  const std::string why = failure(sum);
  EXPECT_TRUE(has(why, "240001 characters; at most 4096"));
  EXPECT_LT(why.size(), 400u) << "it need not be repeated whole";
  EXPECT_TRUE(has(failure(std::string(1000, '(') + "1" + std::string(1000, ')')), "more than 64 deep"));
  EXPECT_EQ(value(std::string(64, '(') + "1" + std::string(64, ')')), 1);
  EXPECT_FALSE(used_names(sum));
}

TEST(Expression, ResolvesInAnyOrderRefusesCyclesAndFillsInSentences) {
  Names names{{"a", 2}};
  ASSERT_TRUE(resolve({{"x", "y + 1"}, {"y", "z * 2"}, {"z", "a"}}, names, "let"));
  EXPECT_EQ(names["x"], 5);
  Names cycle;
  EXPECT_TRUE(fails(resolve({{"x", "y"}, {"y", "x"}}, cycle, "let"), "depends on itself"));
  Names none;
  EXPECT_TRUE(fails(resolve({{"x", "y"}, {"y", "nosuch"}}, none, "let"), "'nosuch'"));
  EXPECT_EQ(fill_in("needs {4 * n} bytes", {{"n", 16640}}), "needs 66,560 bytes");
  EXPECT_EQ(fill_in("{a} and {b}", {{"a", 1}}), "1 and {b}");
  EXPECT_EQ(fill_in("open {a", {{"a", 1}}), "open {a");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(0.5), "0.5");
}

TEST(Names, StridesOfEachLayout) {
  const DeviceInfo device = testing::big_gpu();
  Names dense = problem_names(testing::problem("2x6x129x64:kv=2:dv=32"), device);
  EXPECT_EQ(std::tuple(dense["group"], dense["q_batch"], dense["k_head"], dense["v_batch"], dense["o_row"],
                       dense["has_subgroup_shuffle"], dense["has_coopmat"]),
            std::tuple(3, 6 * 129 * 64, 129 * 64, 2 * 129 * 32, 32, 1, 0));
  Names packed = problem_names(testing::problem("varlen=5,9:8x64:f16"), device);
  EXPECT_EQ(std::tuple(packed["q_row"], packed["q_head"], packed["q_batch"], packed["total_q"], packed["dtype"]),
            std::tuple(8 * 64, 64, 0, 14, packed["f16"]));
  for (const char* text : {"1x1x9x8:window=8", "1x1x9x8:window=9", "1x1x9x8:q=20:window=19", "1x1x9x8:q=20:window=20",
                           "1x1x9x8:q=20:causal:window=8", "1x1x9x8:q=20:causal:window=9", "varlen=3,9:1x8:window=8",
                           "1x1x9x8:q=2:window=9"})
    EXPECT_EQ(problem_names(testing::problem(text), device).at("window"),
              testing::problem(text).windowed() ? testing::problem(text).window : 0)
        << text;
  Names paged = problem_names(testing::problem("2x8x100x64:q=1:kv=4:page=16"), device);
  EXPECT_EQ(std::tuple(paged["k_head"], paged["k_page"], paged["pages"]), std::tuple(16 * 64, 4 * 16 * 64, 7));
}

TEST(Names, OfTheDevice) {
  const DeviceInfo device{
      .type = DeviceType::integrated_gpu, .vendor_id = 0x10de, .driver_id = 4, .features = {"int8"}};
  const Problem p = testing::problem("1x1x8x64:mask=causal:window=4");
  const Names names = problem_names(p, device);
  EXPECT_EQ(std::tuple(names.at("vendor_id"), names.at("driver_id"), names.at("unified_memory"), names.at("has_int8"),
                       names.at("has_int64")),
            std::tuple(0x10de, 4, 1, 1, 0));
  // A kernel is told of the mask alone.
  EXPECT_EQ(names.at("causal") + names.at("window"), 0);
  EXPECT_EQ(names.at("mask"), 1);
}

TEST(Names, ShapeOfMatricesWithoutTheirLayout) {
  DeviceInfo device = testing::matrix_gpu();
  const Problem p = testing::problem("1x4x64x64:f16");
  Names names = problem_names(p, device);
  EXPECT_EQ(std::tuple(names["mat_m"], names["mat_n"], names["mat_elements"], names["mat_f16_accumulator"]),
            std::tuple(8, 16, 0, 0));
  device.matrix_shapes.push_back({8, 16, 32, "f16", "f16", "f16", "f16", "workgroup"});
  device.matrix_shapes.push_back({16, 16, 16, "f16", "f16", "f16", "f16", "subgroup"});
  EXPECT_EQ(problem_names(p, device)["mat_f16_accumulator"], 0);
  device.matrix_shapes.push_back({8, 16, 32, "f16", "f16", "f16", "f16", "subgroup"});
  EXPECT_EQ(problem_names(p, device)["mat_f16_accumulator"], 1);
}

}  // namespace attnscope::expression_test
