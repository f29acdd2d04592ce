// Kernels written for another engine, verified and timed on a device as they are.
#include "engine/session/workload.hpp"
#include "tests/foreign/engine_x.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::foreign_test {

using namespace testing;

struct ForeignRun : ::testing::Test {
  Record run(const VariantSource& source, const char* problem, const Config& config = {}, bool measure = false) {
    EXPECT_EQ(must(session_->load_variants({source}))->front().error, "");
    RunRequest request = small_run(problem, source.name, config);
    request.measure = request.resources = measure;
    return *must(session_->run(request, {}, kGoOn));
  }
  /// Timed on each, and right.
  void expect_measured(const VariantSource& source, const std::vector<const char*>& problems) {
    for (const char* problem : problems)
      EXPECT_TRUE(ended(run(source, problem, {}, true), Outcome::measured)) << problem;
  }

  std::unique_ptr<Session> session_ = cpu_session({});
};

TEST_F(ForeignRun, IsRightOnEveryShape) {
  for (const char* problem : {"1x1x1x8:f16", "2x6x5x16:q=3:kv=2:dv=24:f16", "1x2x33x40", "3x2x17x7:dv=5:f16",
                              "1x4x40x32:kv=2:in=large:f16", "2x2x9x8:in=onehot", "1x2x64x16:in=ramp:f16"})
    EXPECT_TRUE(ended(run(engine_x(), problem, {{"parts", 1}}), Outcome::verified)) << problem;
  // Rows of blocks as the engine has them: a token's heads beside each other, strides in bytes.
  expect_measured(engine_x(), {"2x6x33x64:kv=2:dv=32:kvtype=q8_0:f16", "1x4x9x96:kvtype=q8_0"});
}

/// What lies between rows of its output no kernel writes, and no check either.
TEST_F(ForeignRun, AnOutputWithGapsIsTimedAndACausalProblemComesAsAMask) {
  VariantSource naive = changed(shipped_sources({"naive"}).front(), "[let]",
                                "[tensors]\no = { strides = { row = \"o_row + 4\" } }\n[let]");
  naive.name = "padded";
  expect_measured(naive, {"1x2x40x32", "2x3x33x24:q=7:f16"});
  // It knows of no causal mask: what it gets is a tensor, with tiles of nothing but -inf and rows without a key.
  expect_measured(engine_x(), {"2x2x33x16:mask=causal:f16", "1x2x40x16:q=50:mask=causal:window=5", "2x2x9x8:mask"});
  EXPECT_EQ(run(engine_x(), "1x2x9x16:causal").outcome, Outcome::refused);
}

/// A uniform block, buffers by address, a turned and padded K, keys read beyond the last, all tensors in one buffer.
TEST_F(ForeignRun, BuffersAsOtherEnginesHaveThem) {
  const char* const any_shape = "2x4x13x16:kv=2:dv=8:mask=causal:f16";
  expect_measured(engine_y(), {any_shape, "1x2x40x16:q=1:mask", "1x2x19x24:mask=causal:window=5"});
  // What lies beyond the last key is read: it must be nothing that a product keeps.
  const VariantSource nan = changed(engine_y(), "v_row\" }, padding = 0", "v_row\" }");
  EXPECT_EQ(run(nan, any_shape).outcome, Outcome::failed_verdict);

  expect_measured(packed_engine_y(), {"2x3x16x16:mask:f16"});
}

TEST_F(ForeignRun, AMaskOfABf16ProblemMayBeBf16) {
  VariantSource source = engine_y();
  for (const auto& [from, to] :
       {std::pair{"dtypes = [\"f16\"", "dtypes = [\"bf16\", \"f16\""},
        {"[tensors]\nk = { ", "[tensors]\nq = { type = \"f32\" }\no = { type = \"f32\" }\nk = { type = \"f32\", "},
        {"v = { ", "v = { type = \"f32\", "},
        {"mask = { type = \"f32\"", "mask = { type = \"bf16\""},
        {"MASK = \"float\"", "MASK = \"uint16_t\""}})
    source = changed(source, from, to);
  source = changed(source, "float(p.mask.at[s.offsets.w * i + j])",
                   "uintBitsToFloat(uint(p.mask.at[s.offsets.w * i + j]) << 16)", "kernels/by_address.comp");
  expect_measured(source, {"2x2x13x16:mask=causal:bf16", "1x2x40x16:mask:bf16"});
  for (const char* inexact : {"1x2x9x16:mask:f16", "1x2x9x16:mask=alibi:bf16"})
    EXPECT_EQ(run(source, inexact).outcome, Outcome::refused) << inexact;
}

TEST_F(ForeignRun, ALayoutThatIsNotTheShadersIsFoundAndRoundingQTimesTheScaleIsAPrecision) {
  for (const auto& [from, to] : {std::pair{"k = { layout = \"bshd\" }", "k = { layout = \"bhsd\" }"},
                                 {"o = { type = \"f32\", layout = \"bshd\" }", "o = { type = \"f32\" }"}}) {
    VariantSource source = changed(engine_x(), from, to);
    // K's strides follow its layout; what is wrong is the shader's own idea of them.
    if (std::string_view(from).starts_with("k"))
      source = changed(source, "value = \"k_row * k_bytes\"", "value = \"heads_kv * head_dim * k_bytes\"");
    EXPECT_EQ(run(source, "1x4x33x16:f16").outcome, Outcome::failed_verdict) << from;
  }
  // Strides follow the layout, so this one is right.
  const VariantSource right = changed(engine_x(), "k = { layout = \"bshd\" }", "k = { layout = \"bhsd\" }");
  EXPECT_TRUE(ended(run(right, "1x4x33x16:f16"), Outcome::verified));
  VariantSource rounds = changed(engine_x(), "\"\"\"\n#extension", "\"\"\"\n#define ROUNDS_Q\n#extension");
  EXPECT_EQ(run(rounds, "1x2x65x32:in=large").outcome, Outcome::failed_verdict);
  rounds = changed(rounds, "[tensors]", "[precision]\nscores = \"f16\"\n[tensors]");
  EXPECT_TRUE(ended(run(rounds, "1x2x65x32:in=large"), Outcome::verified));
}

TEST_F(ForeignRun, WhatIsWrongIsCaught) {
  const auto with = [](const std::string& file, const std::string& define) {
    return changed(engine_x(), "#version 450", "#version 450\n#define " + define, file);
  };
  for (const auto& [define, says] : {std::pair{"WRITES_PAST", "beyond"}, {"LEAVES_OUT", "NaN"}}) {
    const Record r = run(with("kernels/combine.comp", define), "1x3x33x16:f16", {}, true);
    EXPECT_TRUE(ended(r, Outcome::failed_verdict, says)) << define;
    EXPECT_TRUE(r.samples_ns.empty());
  }
  const Record past = run(with("kernels/attend.comp", "WRITES_PAST_SCRATCH"), "1x3x33x16:f16");
  EXPECT_TRUE(has(reason_of(past), "beyond the end of scratch memory 'partial'"));
  const VariantSource writes =
      changed(with("kernels/attend.comp", "WRITES_Q"), "WRITABLE = \"readonly\"", "WRITABLE = \"coherent\"");
  EXPECT_TRUE(ended(run(writes, "1x3x33x16:f16"), Outcome::failed_verdict, "changed an input: Q"));

  const Record lazy = run(with("kernels/attend.comp", "REMEMBERS"), "1x3x33x16:f16", {}, true);
  EXPECT_EQ(lazy.outcome, Outcome::failed_verdict);
  EXPECT_TRUE(lazy.samples_ns.empty()) << reason_of(lazy);
  // What they left behind is nobody else's.
  EXPECT_TRUE(ended(run(engine_x(), "1x3x33x16:f16"), Outcome::verified));
}

/// Every f16 there is, and f32 between them, through the device and back.
TEST(Convert, RoundsAsTheHostDoes) {
  const auto instance = must(vulkan::Instance::create({true}));
  auto device = must(vulkan::Device::open(*instance, "cpu"));
  vulkan::Kernels kernels(*device);
  const vulkan::Wait wait;
  // Q of [2, 3, 43, 509]: odd everywhere.
  const Problem p = *parse_problem("2x3x43x509:f16");
  Tensor f32{DType::f32, {}};
  f32.bytes.resize(4 * p.q_elements());
  for (uint64_t i = 0; i < f32.size(); ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float value = half_to_float(bits);
    f32.set(i, std::isfinite(value) ? value * (i < 65536 ? 1.0f : 1.0004882f) : value);
  }
  const auto buffer = [&](DType dtype) {
    return GuardedBuffer::create(*device, p.q_elements() * dtype_bytes(dtype), poison_word(dtype), wait);
  };
  auto from = buffer(DType::f32), half = buffer(DType::f16), back = buffer(DType::f32);
  ASSERT_TRUE(from && half && back);
  ASSERT_TRUE(from->upload(f32.bytes, wait));
  const TensorForm turned = dense_form(p, binding_q, DType::f16, "bshd");
  const TensorForm as_f32 = dense_form(p, binding_q, DType::f32);
  ASSERT_TRUE(convert(kernels, p, binding_q, *from, as_f32, *half, turned, wait));
  ASSERT_TRUE(convert(kernels, p, binding_q, *half, turned, *back, as_f32, wait));
  EXPECT_TRUE(*half->guards_intact(wait));
  auto got = back->download(wait), middle = half->download(wait);
  ASSERT_TRUE(got && middle);
  const Tensor result{DType::f32, *got}, halves{DType::f16, *middle};
  for (uint64_t i = 0; i < f32.size(); ++i) {
    const float expected = half_to_float(float_to_half(f32.at(i)));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(result.at(i))) << i;
    } else {
      ASSERT_EQ(result.at(i), expected) << i << " " << f32.at(i);
    }
  }
  // Of other bytes as they are: 5 keys of 3 heads of 7 bytes, and 35 bytes are no whole words.
  const Problem bytes = *parse_problem("1x3x5x7:kvtype=f8e4m3:f16");
  const auto packed = [&] {
    return GuardedBuffer::create(*device, bytes.k_bytes(), kv_padding_word(bytes.k_type, bytes.dtype), wait);
  };
  auto as_it_is = packed(), by_token = packed();
  ASSERT_TRUE(as_it_is && by_token);
  const Inputs inputs = make_inputs(bytes, 1);
  ASSERT_TRUE(as_it_is->upload(inputs.k.bytes, wait));
  ASSERT_TRUE(convert(kernels, bytes, binding_k, *as_it_is, own_form(bytes, binding_k), *by_token,
                      dense_form(bytes, binding_k, DType::f16, "bshd"), wait));
  EXPECT_TRUE(*by_token->guards_intact(wait));
  const std::vector<std::byte> moved = *must(by_token->download(wait));
  for (size_t h = 0; h < 3; ++h)
    for (size_t i = 0; i < 5 * 7; ++i)
      ASSERT_EQ(moved[(i / 7 * 3 + h) * 7 + i % 7], inputs.k.bytes[h * 35 + i]) << h << " " << i;
  // [batch 1, head 2, row 5, dim 7] lies as [1, 5, 2, 7].
  EXPECT_EQ(halves.at(((1 * 43 + 5) * 3 + 2) * 509 + 7), result.at(((1 * 3 + 2) * 43 + 5) * 509 + 7));
}

}  // namespace attnscope::foreign_test
