// Reflection and specialization of real GLSL; modules whose constants are made final.

#include "shader_test.hpp"

namespace attnscope::module_test {

constexpr const char* kTile = R"(#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 64;
layout(constant_id = 1) const uint BLOCK_M = 32;
layout(constant_id = 2) const uint BLOCK_N = 16;
layout(constant_id = 3) const bool CAUSAL = false;
layout(constant_id = 4) const float SCALE = 0.5;
layout(constant_id = 5) const int SHIFT = -3;
layout(set = 0, binding = 0) readonly buffer Q { float16_t q[]; };
layout(set = 0, binding = 3) writeonly buffer O { float o[]; };
layout(set = 0, binding = 5) readonly buffer Unused { float unused_values[]; };
layout(push_constant) uniform Push { uint seq_q; float scale; int shift; } push;
const uint ROWS = BLOCK_M / (WG / 32) + (CAUSAL ? 1 : 0);
shared float tile[BLOCK_M * (BLOCK_N + 1)];
shared f16vec4 half_tile[BLOCK_N / 4];
void main() {
  float acc[ROWS];
  for (uint r = 0; r < ROWS; ++r) acc[r] = float(q[r]) * SCALE + float(SHIFT);
  tile[gl_LocalInvocationIndex] = subgroupAdd(acc[0]) + subgroupShuffle(acc[0], 1);
  half_tile[0] = f16vec4(tile[0]);
  barrier();
  o[gl_GlobalInvocationID.x] = tile[push.seq_q] * push.scale + float(half_tile[0].x) + float(push.shift)
      + float(gl_WorkGroupSize.x);
}
)";

TEST(Reflect, SpecConstantsMergeLocalSizeWithTheNamedOne) {
  auto r = must(reflect(compiled(kTile)));
  ASSERT_EQ(r->constants.size(), 6u);
  const uint32_t half = std::bit_cast<uint32_t>(0.5f), minus_3 = static_cast<uint32_t>(-3);
  const std::tuple<const char*, ScalarType, uint32_t> known[] = {
      {"WG", ScalarType::uint32, 64},     {"BLOCK_M", ScalarType::uint32, 32},  {"BLOCK_N", ScalarType::uint32, 16},
      {"CAUSAL", ScalarType::boolean, 0}, {"SCALE", ScalarType::float32, half}, {"SHIFT", ScalarType::int32, minus_3}};
  for (uint32_t i = 0; i < 6; ++i) {
    const SpecConstant& c = r->constants[i];
    EXPECT_EQ(c.id, i);
    EXPECT_EQ(std::tuple(c.name, c.type, c.default_bits), known[i]) << c.name;
  }
}

TEST(Reflect, PushBlockBindingsAndFeatures) {
  auto r = must(reflect(compiled(kTile)));
  EXPECT_EQ(r->push_bytes, 12u);
  ASSERT_EQ(r->push.size(), 3u);
  EXPECT_EQ(std::tuple(r->push[1].name, r->push[1].offset, r->push[1].type, r->push[2].type),
            std::tuple("scale", 4u, ScalarType::float32, ScalarType::int32));
  EXPECT_EQ(r->storage_bindings, (std::vector<uint32_t>{0, 3})) << "a buffer that nothing reads needs no binding";
  EXPECT_EQ(r->capabilities,
            (std::vector<std::string>{"shader_f16", "storage_16bit", "subgroup_arithmetic", "subgroup_shuffle"}));
}

TEST(Reflect, NoAliasRenamesAConstantAndFloatControlsAreFeaturesByWidth) {
  auto r =
      must(reflect(compiled("#version 460\n#extension GL_EXT_spirv_intrinsics : require\n"
                            "layout(constant_id = 3) const uint BLOCK_N = 4;\nconst uint COLUMNS = BLOCK_N;\n"
                            "shared float t[COLUMNS];\nspirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], "
                            "capabilities = [4467], 4462, 16);\nvoid main() { t[0] = 1; }\n")));
  EXPECT_EQ(only(r->constants).name, "BLOCK_N");
  EXPECT_EQ(r->capabilities, std::vector<std::string>{"round_to_even_f16"});
}

TEST(Reflect, RefusesWhatAPassCannotBind) {
  EXPECT_TRUE(fails(reflect(compiled("#version 460\nlayout(set=0, binding=0, r32f) uniform image2D pic;\n"
                                     "void main() { imageStore(pic, ivec2(0), vec4(0)); }\n")),
                    "pic"));
  EXPECT_TRUE(
      fails(reflect(compiled(
                "#version 460\nlayout(set=4, binding=0) buffer Far { float far[]; };\nvoid main() { far[0] = 1; }\n")),
            "set 4"));
}

TEST(Reflect, RefusesWhatIsNotSpirv) {
  EXPECT_FALSE(reflect(nullptr));
  EXPECT_FALSE(reflect(std::make_shared<const std::vector<uint32_t>>(8, 7u)));
  const Spirv good = compiled(kTile);
  // Every truncation is an error or a smaller module, never a crash.
  for (size_t n = 0; n < good->size(); n += 7) {
    const auto cut = std::make_shared<const std::vector<uint32_t>>(good->begin(), good->begin() + std::ptrdiff_t(n));
    (void)bool(reflect(cut));
    (void)bool(specialize(cut, {}));
  }
  // Nor does any changed word, which may claim lengths, ids and sizes that are not there.
  for (size_t n = 5; n < good->size(); ++n)
    for (uint32_t change : {0x1u, 0x80u, 0x10000u, 0xffffffffu}) {
      auto changed = std::make_shared<std::vector<uint32_t>>(*good);
      (*changed)[n] ^= change;
      (void)bool(reflect(changed));
      (void)bool(specialize(changed, {}));
    }
}

TEST(Specialize, ValuesReachLocalSizeArraysAndBooleans) {
  const auto sizes = [](const SpecValues& values) {
    const auto s = must(specialize(compiled(kTile), values));
    return std::tuple(s->local_size, s->shared_bytes, s->private_bytes);
  };
  using Size = std::array<uint32_t, 3>;
  // 32 * 17 floats, and 4 half vectors of 8 bytes
  EXPECT_EQ(sizes({}), std::tuple(Size{64, 1, 1}, 32u * 17 * 4 + 4 * 8, 32u / 2 * 4)) << "of the named constants";
  EXPECT_EQ(sizes({{0, 128}, {1, 64}, {2, 64}, {3, 1}}),
            std::tuple(Size{128, 1, 1}, 64u * 65 * 4 + 16 * 8, (64u / 4 + 1) * 4));
}

TEST(Specialize, SharedVariablesAreAlignedTo16) {
  auto s = must(specialize(
      compiled("#version 460\nshared float a;\nshared vec3 b[3];\nshared mat2 c;\nstruct S { float x; vec2 y; };\n"
               "shared S d[2];\nshared bool e;\n"
               "void main() { a = 1; b[0] = vec3(1); c = mat2(1); d[0].x = 1; e = true; }\n"),
      {}));
  EXPECT_EQ(s->shared_bytes, 16u + 48 + 16 + 32 + 16);
}

TEST(Specialize, ImpossibleValuesAreErrorsNotNumbers) {
  const Spirv spirv = compiled(kTile);
  EXPECT_TRUE(fails(specialize(spirv, {{0, 0}}), "0x1x1"));
  EXPECT_TRUE(fails(specialize(spirv, {{0, 16}}), "divides by zero")) << "WG / 32 is 0";
  EXPECT_TRUE(fails(specialize(spirv, {{99, 1}}), "99"));
  EXPECT_TRUE(fails(specialize(spirv, {{2, 0}}), "half_tile")) << "half_tile would have no element";
}

/// The length of the only shared array, with two signed and two unsigned constants.
uint64_t length_of(const std::string& expression, const SpecValues& values) {
  const auto s = must(
      specialize(
          compiled("#version 460\nlayout(constant_id = 0) const int A = 0;\nlayout(constant_id = 1) const int B = 0;\n"
                   "layout(constant_id = 2) const uint U = 0;\nlayout(constant_id = 3) const uint V = 0;\n"
                   "layout(constant_id = 4) const bool F = false;\n"
                   "shared vec4 t[" +
                   expression + "];\nvoid main() { t[0] = vec4(1); }\n"),
          values),
      expression);
  return s->shared_bytes / 16;
}

TEST(Specialize, ArithmeticMatchesGlsl) {
  const auto neg = [](int v) { return static_cast<uint32_t>(v); };
  EXPECT_EQ(length_of("A + B", {{0, 7}, {1, neg(-3)}}), 4u);
  EXPECT_EQ(length_of("-(A / B)", {{0, neg(-7)}, {1, 2}}), 3u);
  EXPECT_EQ(length_of("A % B + 1", {{0, 17}, {1, 5}}), 3u);
  EXPECT_EQ(length_of("U * V - 1u", {{2, 6}, {3, 7}}), 41u);
  EXPECT_EQ(length_of("(U + V - 1u) / V", {{2, 65}, {3, 32}}), 3u);
  EXPECT_EQ(length_of("U << V", {{2, 3}, {3, 4}}), 48u);
  EXPECT_EQ(length_of("(U >> 1) | 1u", {{2, 12}}), 7u);
  EXPECT_EQ(length_of("uint(-(A >> 1))", {{0, neg(-8)}}), 4u);
  EXPECT_EQ(length_of("U & ~3u", {{2, 15}}), 12u);
  EXPECT_EQ(length_of("U ^ V", {{2, 12}, {3, 5}}), 9u);
  EXPECT_EQ(length_of("F ? 5 : 9", {{4, 1}}), 5u);
  EXPECT_EQ(length_of("F ? 5 : 9", {{4, 0}}), 9u);
  EXPECT_EQ(length_of("(A < B && U >= V) ? 2 : 3", {{0, neg(-1)}, {1, 1}, {2, 4}, {3, 4}}), 2u);
  EXPECT_EQ(length_of("(U > V || !F) ? 2 : 3", {{2, neg(-1)}, {3, 4}, {4, 1}}), 2u);
  EXPECT_EQ(length_of("uint(F) + 1u", {{4, 1}}), 2u);
  EXPECT_EQ(length_of("(A != B ? 4 : 8) * (A == B ? 4 : 8)", {{0, 1}, {1, 1}}), 32u);
}

TEST(Specialize, UncalledFunctionsHoldNothing) {
  auto s = must(specialize(compiled("#version 460\nlayout(set=0,binding=0) buffer B { float x[]; };\n"
                                    "float unused_one(uint i) { float big[1000]; big[i] = x[0]; return big[0]; }\n"
                                    "float used(uint i) { float small[8]; small[i] = x[i]; return small[0]; }\n"
                                    "void main() { x[0] = used(gl_LocalInvocationIndex); }\n"),
                           {}));
  EXPECT_EQ(s->private_bytes, 32u);
}

TEST(Specialize, CooperativeMatricesCountOneInvocationsShare) {
  const Spirv spirv = compiled(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WG = 128;
layout(constant_id = 1) const uint ROWS = 16;
layout(set = 0, binding = 0) buffer B { float x[]; };
void main() {
  coopmat<float, gl_ScopeWorkgroup, ROWS, 64, gl_MatrixUseAccumulator> m =
      coopmat<float, gl_ScopeWorkgroup, ROWS, 64, gl_MatrixUseAccumulator>(0.0);
  coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> s[2];
  s[0] = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(1.0);
  coopMatStore(m, x, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
  coopMatStore(s[0], x, 0, 64, gl_CooperativeMatrixLayoutRowMajor);
}
)");
  auto s = must(specialize(spirv, {{0, 256}, {1, 64}}));
  EXPECT_EQ(s->private_bytes, 64u * 64 * 4 / 256 + 2 * 16 * 16 * 4 / 32);
  EXPECT_TRUE(s->workgroup_matrices);
  EXPECT_EQ(must(reflect(spirv))->capabilities, (std::vector<std::string>{"coopmat", "vulkan_memory_model"}));
}

TEST(Specialize, TypesThatDoubleAreSizedOnceEach) {
  // Made by hand: OpTypeFloat 32, then structs that each hold the one before twice, and a private variable of the last.
  const auto op = [](uint32_t code, std::vector<uint32_t> args) {
    args.insert(args.begin(), (static_cast<uint32_t>(args.size() + 1) << 16) | code);
    return args;
  };
  std::vector<uint32_t> words{0x07230203, 0x00010600, 0, 200, 0};
  const auto add = [&](const std::vector<uint32_t>& in) { words.insert(words.end(), in.begin(), in.end()); };
  add(op(15, {5, 1, 0x6e69616d, 0}));  // OpEntryPoint GLCompute %1 "main"
  add(op(19, {2}));                    // OpTypeVoid
  add(op(33, {3, 2}));                 // OpTypeFunction
  const size_t result_type = words.size() + 1;
  add(op(54, {2, 1, 0, 3}));                                                // OpFunction %1
  add(op(56, {}));                                                          // OpFunctionEnd
  add(op(22, {10, 32}));                                                    // OpTypeFloat
  for (uint32_t i = 0; i < 60; ++i) add(op(30, {11 + i, 10 + i, 10 + i}));  // OpTypeStruct
  add(op(32, {100, 6, 70}));                                                // OpTypePointer Private
  add(op(59, {100, 101, 6}));                                               // OpVariable
  add(op(32, {102, 4, 40}));                                                // OpTypePointer Workgroup
  add(op(59, {102, 103, 4}));
  const auto s = must(specialize(std::make_shared<const std::vector<uint32_t>>(words), {}));
  EXPECT_EQ(s->shared_bytes, uint64_t{4} << 30);
  // ... and one that is larger than any memory is refused, not wrapped around.
  words[words.size() - 5] = 70;
  EXPECT_TRUE(
      fails(specialize(std::make_shared<const std::vector<uint32_t>>(words), {}), "more than 1099511627776 bytes"));
  words[result_type] = 9;
  EXPECT_TRUE(fails(specialize(std::make_shared<const std::vector<uint32_t>>(words), {}),
                    fmt::format("word {} takes id 9, which nothing defines", result_type - 1)));
}

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

TEST(Bake, KeepsThemOpenWithNewDefaultsAndRefusesWhatIsNotThere) {
  const auto open = must(bake(compiled(kShader), {{0, 32}, {2, 1}}, true));
  const auto reflection = must(reflect(*open));
  ASSERT_EQ(reflection->constants.size(), 4u);
  EXPECT_EQ(reflection->constants[0].default_bits, 32u);
  EXPECT_EQ(reflection->constants[1].default_bits, 4u);
  EXPECT_EQ(reflection->constants[2].default_bits, 1u);
  EXPECT_EQ(specialize(*open, {})->local_size[0], 32u) << "also where another constant shares the id";
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

}  // namespace attnscope::module_test
