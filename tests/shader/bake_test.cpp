// Modules whose constants are made final.
#include "engine/shader/bake.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "shader_test.hpp"

namespace attnscope {
namespace {

constexpr const char* kShader = R"(#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const uint ROWS = 4;
layout(constant_id = 2) const bool CAUSAL = false;
layout(constant_id = 3) const float SCALE = 0.5;
layout(set = 0, binding = 3) writeonly buffer O { float o[]; };
shared float tile[ROWS * (WG + 1) + (CAUSAL ? 32 : 0)];
void main() {
  tile[gl_LocalInvocationIndex] = SCALE;
  barrier();
  o[gl_GlobalInvocationID.x] = tile[ROWS];
}
)";

bool contains(const Spirv& module, const char* text) {
  const auto* bytes = reinterpret_cast<const char*>(module->data());
  const char* end = bytes + module->size() * 4;
  return std::search(bytes, end, text, text + std::strlen(text)) != end;
}

TEST(Bake, GivesTheValuesAndLeavesNoConstantOpen) {
  const Spirv module = compiled(kShader);
  const SpecValues values{{0, 32}, {1, 8}, {2, 1}};
  const auto baked = bake(module, values);
  ASSERT_TRUE(baked) << baked.error().message;
  const auto reflection = reflect(*baked);
  ASSERT_TRUE(reflection) << reflection.error().message;
  EXPECT_TRUE(reflection->constants.empty());
  EXPECT_EQ(reflection->storage_bindings, std::vector<uint32_t>{3});
  const auto wanted = specialize(module, values), got = specialize(*baked, {});
  ASSERT_TRUE(wanted && got) << (got ? "" : got.error().message);
  EXPECT_EQ(got->local_size, (std::array<uint32_t, 3>{32, 1, 1}));
  EXPECT_EQ(got->local_size, wanted->local_size);
  EXPECT_EQ(got->shared_bytes, wanted->shared_bytes);
  EXPECT_TRUE(contains(module, "CAUSAL"));
  EXPECT_FALSE(contains(*baked, "CAUSAL")) << "names are left out";
}

TEST(Bake, KeepsThemOpenWithNewDefaults) {
  const auto open = bake(compiled(kShader), {{0, 32}, {2, 1}}, true);
  ASSERT_TRUE(open) << open.error().message;
  const auto reflection = reflect(*open);
  ASSERT_TRUE(reflection) << reflection.error().message;
  ASSERT_EQ(reflection->constants.size(), 4u);
  EXPECT_EQ(reflection->constants[0].default_bits, 32u);
  EXPECT_EQ(reflection->constants[1].default_bits, 4u);
  EXPECT_EQ(reflection->constants[2].default_bits, 1u);
  EXPECT_EQ(specialize(*open, {})->local_size[0], 32u) << "also where another constant shares the id";
}

TEST(Bake, RefusesWhatIsNotThere) {
  EXPECT_FALSE(bake(compiled(kShader), {{9, 1}}));
  EXPECT_FALSE(bake(std::make_shared<const std::vector<uint32_t>>(3, 7u), {}));
}

}  // namespace
}  // namespace attnscope
