// Manifests of kernels that were written for another engine: what is read, what it comes to, and what is refused.

#include "engine/input/text.hpp"
#include "engine/variant/modules.hpp"
#include "tests/foreign/engine_x.hpp"

namespace attnscope::foreign_test {

using namespace testing;

TEST(Foreign, APlanHasEveryTensorInItsPlaceAndForm) {
  Loaded v(engine_x());
  ASSERT_EQ(v->parameters.size(), 2u);
  EXPECT_EQ(v->parameters[0].default_value, 4) << "no shader's constant has its name";
  const char* const text = "2x6x5x16:q=3:kv=2:dv=24:f16";
  const Plan plan = v.plan(text);
  const Problem p = plan.problem;
  EXPECT_EQ(plan.forms, (TensorForms{{binding_q, dense_form(p, binding_q, DType::f32, "bshd")},
                                     {binding_k, dense_form(p, binding_k, DType::f16, "bshd")},
                                     {binding_v, dense_form(p, binding_v, DType::f16, "bshd")},
                                     {binding_o, dense_form(p, binding_o, DType::f32, "bshd")}}));
  EXPECT_EQ(plan.extra_bytes, 2.0 * 2 * 6 * 3 * (16 + 24)) << "f32 moves two bytes more of each";
  ASSERT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.passes[0].slots, (std::vector<Slot>{{0, binding_v, ""},
                                                     {1, std::nullopt, "partial"},
                                                     {9, binding_k, ""},
                                                     {place_of(1, 0), std::nullopt, "dummy"},
                                                     {place_of(1, 2), binding_q, ""}}));
  EXPECT_EQ(plan.passes[1].slots, (std::vector<Slot>{{0, std::nullopt, "partial"}, {3, binding_o, ""}}));
  EXPECT_EQ(plan.passes[0].constants, (SpecValues{{3, 16}, {4, 24}, {7, 4}}));
  // Sizes; strides of q, k and v in bytes, of a batch, a row and a head; scale, group and mask.
  const std::vector<uint32_t> values = {3, 5, 6, 3, 1152, 384, 64, 320, 64, 32, 480, 96, 48, 0, 2, 0};
  const auto& push = plan.passes[0].push;
  ASSERT_EQ(push.size(), 4 * values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(i == 13 || word(push, 4 * i) == values[i]) << "offset " << 4 * i;  // 13 is the scale
  EXPECT_EQ(word(plan.passes[1].push, 0), 36u);
  Loaded number(changed(engine_x(), "56 = \"parts\"", "56 = \"7\""));
  EXPECT_EQ(word(number.plan(text).passes[0].push, 56), 7u) << "not the constant whose id is 7";
  ASSERT_EQ(plan.scratch.size(), 2u);
  EXPECT_EQ(plan.scratch[1].name, "dummy");
  EXPECT_EQ(plan.scratch_bytes, 4u * 2 * 6 * 3 * 2 * 26) << "the dummy is no memory that the kernel works with";
}

TEST(Foreign, TheSourcesArePartOfTheHash) {
  const auto hash = [](const VariantSource& s) { return Loaded(s)->hash; };
  const std::string before = hash(engine_x());
  EXPECT_NE(hash(changed(engine_x(), "kernel", "kernels", "lib/load.glsl")), before);
  EXPECT_NE(hash(changed(engine_x(), "1e30", "1e31", "kernels/attend.comp")), before);
  VariantSource more = engine_x();
  more.outside["lib/other.glsl"] = "no shader reaches this";
  EXPECT_EQ(hash(more), before);
  EXPECT_EQ(hash(toy()), "37dd3a5949712946") << "that of a manifest of this project is as it was";
}

TEST(Foreign, EachFaultIsOneClearError) {
  const std::vector<Fault> faults = {
      {"k = 9", "key = 9", "'key' is no tensor; known are q, k, v, o, offsets, pages"},
      {"k = 9", "k = 0", "are both on binding 0"},
      {"q = { set = 1, binding = 2 }", "q = { set = 1, binding = 0 }", "are both on binding 0 of set 1"},
      {"q = { set = 1, binding = 2 }", "q = { set = 9, binding = 2 }", "sets are 0 to 3"},
      {"q = { set = 1, binding = 2 }", "q = { set = 1, at = 2 }", "unknown key 'at'"},
      {"k = 9", "k = \"9\"", "must be a binding"},
      {"k = 9", "", "has a buffer on binding 9, to which 'bindings' binds nothing"},
      {"k = 9", "k = [9, 17]",
       "has k on binding 17, where engine_x/kernels/attend.comp has no buffer that it uses: leave it out"},
      {"partial = 1", "", "has a buffer on binding 1"},
      {"layout = \"bshd\"", "layout = \"sbhe\"", "layout of 'q' is \"sbhe\"; it is the letters of bhsd"},
      {"q = { type", "w = { type", "'w' is no tensor that has a type and a layout; those are q, k, v, o"},
      {"type = \"f32\"", "type = \"f31\"", "tensors: type of "},
      {"52 = \"scale\"", "52 = { value = \"scale\", type = \"uint\" }", "the push constant at offset 52 is float"},
      {"52 = \"scale\"", "50 = \"scale\"", "a multiple of 4"},
      {"52 = \"scale\"", "52 = \"scalar\"", "unknown name 'scalar'"},
      {"48 = { value = \"v_head_bytes\", type = \"uint\" }\n", "48 = \"v_head_bytes\"\n", "say 'type'"},
      {"48 = { value = \"v_head_bytes\", type = \"uint\" }\n", "48 = { value = 1, type = \"uint64\" }\n",
       "does not end within its member"},
      {"has_mask = \"mask_row\"", "has_masks = 0", "nothing binds push constant 'has_mask'"},
      {"has_mask = \"mask_row\"", "has_mask = 0\nmore = 1",
       "'push' has 'more', and its push-constant block has no such member"},
      {"has_mask = \"mask_row\"", "has_mask = 0\n64 = 1", "'push' has offset 64"},
      {"Width = \"v_dim\"", "Width = \"v_dim\", Wide = 1", "constants: 'Wide' is nothing that a shader has"},
      {"n_parts = \"parts\"", "n_parts = \"parts\", more = 1", "push: 'more' is nothing that a shader has"},
      {"n_parts = \"parts\"", "n_parts = \"part\"", "unknown name 'part'"},
      {"7 = \"lanes\"", "7 = \"lanes\"\n8 = 1", "constant '8' is not a spec constant"},
      {"7 = \"lanes\"", "", "parameter 'lanes' is neither a spec constant of a shader nor in any expression of a pass"},
      {"4 = \"v_dim\"", "4 = \"v_dim\"\nscale = 1", "which binds it: leave it out here, or bind it by constant_id"},
      {"4 = \"v_dim\"", "", "nothing binds spec constant 'DIM_V' (constant_id 4)"},
      {"WRITABLE = \"readonly\"", "WRITABLE = \"read\\nonly\"", "must be one line"},
      {"WRITABLE = \"readonly\"", "WRITABLE = { pick = 0 }", "needs 'pick', an expression, and 'of'"},
      {"WRITABLE = \"readonly\"", "WRITABLE = { pick = 1, of = [\"readonly\"] }", "'pick' is 1; there are 1 texts"},
      {"WRITABLE = \"readonly\"", "\"A B\" = \"1\"", "is no name of a define"},
      {"start = 4", "start = 5", "its start 5 is not among the values"},
      {"name = \"lanes\"", "name = \"unused\"", "unknown name 'lanes'"},
      {"name = \"partial\"", "name = \"sums\"", "'partial' is no tensor"},
      {"shader = \"kernels/attend.comp\"", "shader = \"kernels/nosuch.comp\"",
       "there is no file 'kernels/nosuch.comp' in the folder, nor in one of --sources; give --sources DIR, the sources "
       "of Engine X"},
  };
  expect_faults(engine_x(), faults);
  EXPECT_TRUE(has(failure(changed(engine_x(), "preamble = \"\"\"", "preamble = \"\"\"\n#error no")),
                  "engine_x/kernels/attend.comp: defines and preamble:"));
  VariantSource none = engine_x();
  none.outside.clear();
  EXPECT_TRUE(has(failure(none), "give --sources DIR, the sources of Engine X"));
}

TEST(Foreign, StridesInBytesAreOfTheBlocksOfAKvtype) {
  const Plan plan = Loaded(engine_x()).plan("2x6x5x64:q=3:kv=2:dv=32:kvtype=q8_0:f16");
  const std::vector<uint32_t> k = {5 * 2 * 2 * 34, 2 * 2 * 34, 2 * 34}, v_bytes = {5 * 2 * 34, 2 * 34, 34};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(word(plan.passes[0].push, 28 + 4 * i), k[i]);
    EXPECT_EQ(word(plan.passes[0].push, 40 + 4 * i), v_bytes[i]);
  }
  EXPECT_EQ(form_bytes(plan.problem, binding_k, plan.forms), plan.problem.k_bytes());
}

/// Padded rows and heads, a turned K, several tensors in one buffer, a mask of f32.
TEST(Foreign, StridesAreExpressions) {
  Loaded v(engine_y());
  const char* const text = "2x4x13x16:kv=2:dv=8:mask:f16";
  const Plan plan = v.plan(text);
  EXPECT_EQ(plan.forms.at(binding_k).strides, (PerDim{2 * (16 * 16 + 3), 16 * 16 + 3, 1, 16}));
  EXPECT_EQ(plan.forms.at(binding_k).elements, 4u * (16 * 16 + 3));
  EXPECT_EQ(plan.forms.at(binding_v).strides, (PerDim{2 * 16 * 10, 16 * 10, 10, 1}));
  EXPECT_EQ(plan.forms.at(binding_mask).strides[2], 16u);
  EXPECT_TRUE(plan.forms.at(binding_q).addressed) << "as the problem has it, in a buffer that has an address";
  EXPECT_EQ(plan.extra_bytes, 2.0 * 13 * 13) << "the mask is of f32";
  EXPECT_EQ(word(only(plan.passes[0].uniforms).bytes, 20), 16u * 16 + 3);
  EXPECT_EQ(plan.passes[0].push_addresses.size(), 3u);
  EXPECT_EQ(plan.passes[0].uniforms[0].addresses.size(), 1u);
  EXPECT_EQ(plan.passes[0].slots, (std::vector<Slot>{{2, binding_o, ""}}));
  EXPECT_EQ(v.plan("2x4x13x16:q=1:mask:f16").passes[0].slots[1], (Slot{3, std::nullopt, "partial"}))
      << "bound where that holds";

  const Plan one = Loaded(packed_engine_y()).plan("2x4x8x16:mask:f16");
  EXPECT_EQ(form_bytes(one.problem, binding_q, one.forms), 2u * 2 * 3 * 4 * 8 * 16);
  EXPECT_EQ(form_bytes(one.problem, binding_k, one.forms), 0u);

  for (const auto& [from, to, says] :
       {std::tuple{"col = \"8 *", "col = \"4 *", "a stride of"},
        {"row = \"v_row + 2\"", "row = \"v_row - 1\"", "is less than the 8 of what lies within"},
        {"row = \"v_row + 2\"", "row = 0.5", "not a whole number"}})
    EXPECT_TRUE(fails(Loaded(changed(engine_y(), from, to)).try_plan(text), says)) << to;
  expect_faults(engine_y(), {{"padding = 0", "padding = 1", "is 0 or -inf"},
                             {"padding = 0", "in = \"o\"", "cannot lie in 'o'"},
                             {"row = 1,", "rows = 1,", "known here: batch, col, head, row"},
                             {"row = 1,", "row = \"wide\",", "unknown name 'wide'"},
                             {"value = \"k\", type = \"address\"", "value = \"pages\", type = \"address\"",
                              "'pages' has no address"},
                             {"keys = \"seq_kv\"", "", "nothing binds push constant 'keys'"},
                             {"uniforms.\"1.3\"", "uniforms.\"1.x\"", "a table for each block"},
                             {"applies = \"seq_kv > 16\"", "applies = \"keys > 16\"", "unknown name 'keys'"}});
}

TEST(Foreign, ParametersAndTensorsThatDoNotServeTheProblem) {
  Loaded v(engine_y());
  EXPECT_TRUE(v.try_plan("1x2x17x16:mask", {{"TILE", 4}}));
  EXPECT_TRUE(fails(v.try_plan("1x2x16x16:mask", {{"TILE", 4}}), "TILE=4 means nothing here, where it stays at 8"));
  Loaded started(changed(toy(), "values = [16, 32, 64, 128]", "values = [16, 64]\nstart = 64"));
  EXPECT_EQ(started->parameters[0].default_value, 64);
  Loaded half(changed(engine_x(), "v = { type = \"dtype\"", "v = { type = \"f16\""));
  EXPECT_TRUE(fails(half.try_plan("1x2x5x16"), "V is stored as f16 for this kernel, which cannot hold the"));
}

/// A module as another compiler may give it: without names, and with another entry point.
std::string stripped(const Spirv& spirv) {
  std::vector<uint32_t> out(spirv->begin(), spirv->begin() + 5);
  for (size_t at = 5; at < spirv->size();) {
    const uint32_t count = (*spirv)[at] >> 16, op = (*spirv)[at] & 0xffff;
    std::vector<uint32_t> words(spirv->begin() + at, spirv->begin() + at + count);
    if (op == 15) std::memcpy(&words[3], "mine", 4);
    if (op != 5 && op != 6) out.insert(out.end(), words.begin(), words.end());
    at += count;
  }
  return {reinterpret_cast<const char*>(out.data()), out.size() * 4};
}

TEST(Foreign, SpirvWithoutNamesIsBoundByPosition) {
  Compiler compiler;
  const VariantSource x = engine_x();
  const auto spirv = must(compiler.compile({"combine.comp", x.outside.at("kernels/combine.comp"), {}, {}}));
  const auto with = [&](const std::string& bytes) {
    VariantSource source =
        changed(changed(x, "kernels/combine.comp", "combine.spv"), "n_parts = \"parts\"", "4 = \"parts\"");
    source.files["combine.spv"] = to_base64(bytes);
    return changed(source, "Width = ", "0 = ");
  };
  const PlanPass pass = Loaded(with(stripped(*spirv))).plan("1x2x5x16:f16").passes[1];
  EXPECT_EQ(pass.constants, (SpecValues{{0, 16}}));
  EXPECT_EQ(word(pass.push, 4), 2u);
  EXPECT_EQ(reflect(pass.spirv)->entry, "mine");

  for (const auto& [bytes, says] : {std::pair{std::string("nothing of that sort"), "magic number"},
                                    {std::string("odd"), "whole words"},
                                    {std::string(), "whole words"},
                                    {stripped(*spirv).substr(0, 400), "damaged"}}) {
    const std::string why = failure(with(bytes));
    EXPECT_TRUE(has(why, says));
    EXPECT_EQ(why.find("engine_x/combine.spv"), 0u) << why;
  }
}

struct Outside : ::testing::Test {
  void SetUp() override {
    fs::copy(foreign_folder() / "sources", root_ / "sources", fs::copy_options::recursive);
    fs::copy(foreign_folder() / "adapters", root_ / "adapters", fs::copy_options::recursive);
  }
  VariantSource read() const {
    return must(read_variant_sources({root_ / "adapters/engine_x"}, {root_ / "sources"}))->at(0);
  }
  void write(const fs::path& path, const std::string& text) const { write_file(root_ / path, text); }
  const TempDir temporary_;
  const fs::path root_ = temporary_.path();
};

TEST_F(Outside, OnlyWhatIsReachedIsTakenFromBesideTheIncluderFirstAndTheVariantsOwnWins) {
  write("sources/kernels/unrelated.comp", "void main() {}");
  const VariantSource source = read();
  EXPECT_EQ(mapped(source.outside, [](const auto& file) { return file.first; }),
            (std::vector<std::string>{"kernels/attend.comp", "kernels/combine.comp", "kernels/softmax.glsl",
                                      "lib/load.glsl"}));
  write("sources/softmax.glsl", "#error not this one\n");
  write("sources/own.glsl", "#error not this one\n");
  write("adapters/engine_x/own.glsl", "\n");
  write("sources/kernels/softmax.glsl", source.outside.at("kernels/softmax.glsl") + "#include \"own.glsl\"\n");
  EXPECT_EQ(Loaded(read())->parameters.size(), 2u);
}

TEST_F(Outside, TheLimitsHold) {
  write("secret.glsl", "of nobody's business\n");
  fs::remove(root_ / "sources/lib/load.glsl");
  fs::create_symlink(root_ / "secret.glsl", root_ / "sources/lib/load.glsl");
  EXPECT_TRUE(has(read().unreadable, "leads out of the folder"));
  EXPECT_EQ(read().outside.count("lib/load.glsl"), 0u);

  fs::remove(root_ / "sources/lib/load.glsl");
  write("sources/lib/load.glsl", "#include \"../../secret.glsl\"\n#include \"/etc/hostname\"\n");
  VariantSource source = read();
  EXPECT_EQ(source.unreadable, "");
  EXPECT_EQ(source.outside.size(), 4u) << "what leads out of the folder is not looked for";
  EXPECT_TRUE(has(failure(source), "no such file"));

  write("sources/lib/load.glsl", std::string(2 << 20, ' '));
  EXPECT_TRUE(has(read().unreadable, "1,048,576"));

  std::string many;
  for (int i = 0; i < 300; ++i) {
    write(fmt::format("sources/lib/{}.glsl", i), "\n");
    many += fmt::format("#include \"{}.glsl\"\n", i);
  }
  write("sources/lib/load.glsl", many);
  EXPECT_TRUE(has(read().unreadable, "more than 256 files"));
}

}  // namespace attnscope::foreign_test
