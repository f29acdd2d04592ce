// The kernels of the ceilings on the software device: every one runs, and what it computed is what it should have.
#include "engine/peaks/measure.hpp"
#include "tests/vulkan/vulkan_test.hpp"

namespace attnscope::peaks::measure_test {

struct PeaksTest : vulkan::DeviceTest {};

constexpr Effort kLittle{.warmup_ms = 0.1, .target_ms = 0.5, .samples = 3, .copy_bytes = 1u << 22};

TEST_F(PeaksTest, AreMeasuredAndSaneAndEndWhenCancelled) {
  std::set<std::string> stages;
  const auto peaks = must(measure(device(), kLittle, [&](const std::string& stage) { stages.insert(stage); }, {}));
  EXPECT_EQ(peaks->device, device().info().name);
  EXPECT_EQ(peaks->kernels, kernels.hash());
  const bool f16 = device().info().has("shader_f16"), matrices = !device().info().matrix_shapes.empty();
  for (const Ceiling& c : peaks->ceilings) {
    SCOPED_TRACE(to_text(c) + ": " + c.why_not);
    EXPECT_NE(c.value.has_value(), !c.why_not.empty()) << "a value or the reason";
    const bool absent = (c.kind == CeilingKind::fma && c.type != "f32" && !f16) ||
                        (c.kind == CeilingKind::matrix && !matrices) || c.kind == CeilingKind::barrier;
    if (!absent) {
      ASSERT_TRUE(c.value);
    }
    if (c.value) {
      EXPECT_GT(*c.value, 0);
    }
  }
  // No processor moves a byte through memory for every operation that it can do.
  EXPECT_GT(*ceiling(*peaks, CeilingKind::fma, "f32") * 1e3, *ceiling(*peaks, CeilingKind::copy) / 16);
  EXPECT_GT(*ceiling(*peaks, CeilingKind::fma, "f32") * 1e3, *ceiling(*peaks, CeilingKind::exp2));
  EXPECT_LT(*ceiling(*peaks, CeilingKind::launch), 1e5);
  EXPECT_TRUE(stages.contains("copy, device memory"));
  EXPECT_TRUE(stages.contains("shared memory reads"));
  const std::atomic<bool> cancel{true};
  const auto no_stage = [](const std::string&) {};
  EXPECT_TRUE(fails(measure(device(), kLittle, no_stage, {.cancel = &cancel}), ErrorKind::cancelled));
}

TEST(PeaksKernels, OfMatricesCompileForEveryTypeThatTheyAreMeasuredWith) {
  Compiler compiler;
  for (const auto& [a, c] : {std::pair{"float16_t", "float"},
                             {"float16_t", "float16_t"},
                             {"int8_t", "int32_t"},
                             {"uint8_t", "uint32_t"},
                             {"float", "float"}}) {
    const auto spirv = compiler.compile(
        {"matrix.comp", std::string(kernels("matrix")), {}, {{"A_TYPE", a}, {"C_TYPE", c}, {"BFLOAT", "0"}}});
    EXPECT_TRUE(spirv) << a << " " << c << ": " << spirv.error().message;
  }
  EXPECT_TRUE(kernels("none").empty());
}

}  // namespace attnscope::peaks::measure_test
