// Every check on the software device: it passes, with silent validation layers, and finds a shader that is wrong.
#include "engine/doctor/doctor.hpp"
#include "tests/vulkan/vulkan_test.hpp"

namespace attnscope::doctor::doctor_test {

struct Doctor : vulkan::DeviceTest {};

TEST_F(Doctor, EveryCheckFindsAFaultAndPassesOnTheSoftwareDeviceOrSaysWhatIsMissing) {
  const std::vector<std::string> names = checks_of(device().info());
  EXPECT_GE(names.size(), 16u);
  for (const std::string& name : names) {
    const CheckResult r = value(examine(device(), name, false, {}));
    EXPECT_EQ(r.check, name);
    EXPECT_NE(r.outcome, CheckOutcome::fail) << name << ": " << r.text;
    EXPECT_FALSE(r.outcome == CheckOutcome::unsupported && r.text.empty()) << name;
    const CheckResult faulty = value(examine(device(), name, true, {}));
    EXPECT_NE(faulty.outcome, CheckOutcome::pass) << name;
    EXPECT_FALSE(faulty.text.empty()) << name;
  }
  EXPECT_TRUE(fails(examine(device(), "none of them", false, {}), ErrorKind::bad_input));
}

TEST(DoctorKernels, MatricesOfEveryTypeCompile) {
  // No software device has them.
  Compiler compiler;
  for (const auto& [a, c, bfloat] : {std::tuple{"float16_t", "float", false},
                                     {"float16_t", "float16_t", false},
                                     {"int8_t", "int32_t", false},
                                     {"uint8_t", "uint32_t", false},
                                     {"float", "float", false},
                                     {"float16_t", "float", true}}) {
    CompileRequest request{
        "matrix.comp", std::string(kernels("matrix")), {{"check.glsl", std::string(kernels("check"))}}, {}};
    request.defines = {{"A_TYPE", a}, {"B_TYPE", a}, {"C_TYPE", c}, {"BFLOAT", bfloat ? "1" : "0"}, {"FAULT", "0"}};
    if (bfloat)
      for (const char* size : {"BFLOAT_M", "BFLOAT_N", "BFLOAT_K"}) request.defines.emplace_back(size, "16");
    std::ignore = must(compiler.compile(request), a);
  }
}

}  // namespace attnscope::doctor::doctor_test
