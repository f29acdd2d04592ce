// Modules whose constants are made final.
#include "engine/shader/module.hpp"
#include "shader_test.hpp"
#include "tests/has.hpp"

namespace attnscope::bake_test {

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
  const auto baked = must(bake(module, values));
  const auto reflection = must(reflect(*baked));
  EXPECT_TRUE(reflection->constants.empty());
  EXPECT_EQ(reflection->storage_bindings, std::vector<uint32_t>{3});
  const auto wanted = specialize(module, values), got = specialize(*baked, {});
  ASSERT_TRUE(wanted && got) << (got ? "" : got.error().message);
  EXPECT_EQ(std::tuple(got->local_size, got->local_size, got->shared_bytes),
            std::tuple((std::array<uint32_t, 3>{32, 1, 1}), wanted->local_size, wanted->shared_bytes));
  EXPECT_TRUE(contains(module, "CAUSAL"));
  EXPECT_FALSE(contains(*baked, "CAUSAL")) << "names are left out";
}

TEST(Bake, KeepsThemOpenWithNewDefaults) {
  const auto open = must(bake(compiled(kShader), {{0, 32}, {2, 1}}, true));
  const auto reflection = must(reflect(*open));
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

constexpr const char* kUnseen = R"(#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const uint N = 32;
layout(set = 0, binding = 0) buffer B { float x[]; };
layout(push_constant) uniform Push { uint n; };
shared float t[N];
void main() { t[gl_LocalInvocationIndex % N] = x[n]; barrier(); x[0] = t[1]; }
)";

TEST(Unseen, DiffersInWordsAndInNothingThatIsReadOfIt) {
  const Spirv plain = compiled(kUnseen);
  for (const char* text : {"", "a", "abc", "abcd", "abcde", "0123456789abcdef"}) {
    const auto other = must(with_string(plain, text));
    EXPECT_NE(**other, *plain);
    EXPECT_EQ((*other)->size() - plain->size(), 2 + std::string(text).size() / 4 + 1);
    EXPECT_EQ((**other)[3], (*plain)[3] + 1) << "the bound";
    const auto before = must(reflect(plain)), after = must(reflect(*other));
    ASSERT_EQ(after->constants.size(), before->constants.size());
    for (size_t i = 0; i < before->constants.size(); ++i)
      EXPECT_EQ(after->constants[i].name, before->constants[i].name);
    EXPECT_EQ(after->push_bytes, before->push_bytes);
    EXPECT_EQ(after->storage_bindings, before->storage_bindings);
    const SpecValues values{{0, 128}, {1, 512}};
    EXPECT_EQ(specialize(*other, values)->shared_bytes, specialize(plain, values)->shared_bytes);
    EXPECT_EQ(specialize(*other, values)->local_size, specialize(plain, values)->local_size);
  }
  EXPECT_NE(**with_string(plain, "a"), **with_string(plain, "b"));
}

TEST(Unseen, RefusesWhatIsNoModule) {
  const auto make = [](std::vector<uint32_t> words) {
    return with_string(std::make_shared<const std::vector<uint32_t>>(std::move(words)), "x");
  };
  EXPECT_FALSE(with_string(nullptr, "x"));
  EXPECT_FALSE(make({}));
  EXPECT_FALSE(make({1, 2, 3, 4, 5}));
  EXPECT_FALSE(make({0x07230203, 0x10600, 0, 8, 0, 17}));             // an instruction of no words
  EXPECT_FALSE(make({0x07230203, 0x10600, 0, 8, 0, 9u << 16 | 17}));  // one that reaches past the end
}

}  // namespace attnscope::bake_test
