#include "engine/attention/layout.hpp"
#include "tests/has.hpp"

namespace attnscope::problem_test {

Problem parsed(std::string_view text) { return *must(parse_problem(text), std::string(text)); }
/// That it is bad input, and the message quotes the problem and holds `part`.
void expect_refused(std::string_view text, std::string_view part = "") {
  EXPECT_TRUE(fails(parse_problem(text), ErrorKind::bad_input, "problem '" + std::string(text) + "'", part)) << text;
}

TEST(ProblemText, ReadsTheDocumentedForms) {
  const Problem dense = parsed("2x8x512x64:f32");
  EXPECT_EQ(
      std::tuple(dense.batch, dense.heads_q, dense.heads_kv, dense.seq_q, dense.seq_kv, dense.head_dim, dense.v_dim),
      std::tuple(2u, 8u, 8u, 512u, 512u, 64u, 64u));

  const Problem decode = parsed("1x32x16384x128:q=1:kv=8:f16");
  EXPECT_EQ(decode.seq_q, 1u);
  EXPECT_EQ(decode.seq_kv, 16384u);
  EXPECT_EQ(decode.group(), 4u);
  EXPECT_EQ(decode.dtype, DType::f16);

  EXPECT_TRUE(parsed("1x16x4096x128:causal:bf16").causal);
  EXPECT_EQ(parsed("1x4x64x512:dv=256").v_dim, 256u);
  EXPECT_EQ(parsed("1x1x8x8:page=16").pages(), 1u);
  EXPECT_EQ(parsed("1x1x8x8:in=onehot").inputs, InputKind::one_hot);
  EXPECT_EQ(parsed("1x1x8x8:in=wide:bf16").inputs, InputKind::wide);
  EXPECT_DOUBLE_EQ(parsed("1x1x8x64").softmax_scale(), 0.125);
  EXPECT_DOUBLE_EQ(parsed("1x1x8x64:scale=0.5").softmax_scale(), 0.5);

  const Problem packed = parsed("varlen=37,512,90:8x64:f16");
  EXPECT_EQ(std::tuple(packed.batch, packed.seq_q, packed.seq_kv), std::tuple(3u, 512u, 512u));
  EXPECT_EQ(packed.total_q(), 639u);
  EXPECT_EQ(packed.o_elements(), 639u * 8 * 64);
}

TEST(ProblemText, ReadsOptions) {
  const Problem gpt_oss = parsed("1x64x4096x64:kv=8:causal:window=128:sinks:f16");
  EXPECT_EQ(gpt_oss.window, 128u);
  EXPECT_TRUE(gpt_oss.sinks);
  EXPECT_EQ(parsed("1x1x8x64:softcap=50").softcap, 50);
  EXPECT_EQ(parsed("1x1x8x64:mask").mask, MaskKind::shared);
  EXPECT_EQ(parsed("3x1x8x64:mask=batch").mask_elements(), 3u * 8 * 8);
  EXPECT_EQ(parsed("3x1x8x64:q=2:mask=alibi").mask_elements(), 2u * 8);
  const Problem masked = parsed("2x2x9x8:q=5:mask=causal:window=4");
  EXPECT_EQ(masked.mask_elements(), 5u * 9);
  EXPECT_EQ(problem_flops(masked), problem_flops(parsed("2x2x9x8:q=5:causal:window=4"))) << "what remains visible";
  // A window that hides nothing is none to a kernel, nor is one in the mask.
  for (const char* text : {"1x1x9x8:causal:window=8", "1x1x9x8:q=20:window=19", "varlen=3,9:1x8:window=8"})
    EXPECT_TRUE(parsed(text).windowed()) << text;
  for (const char* text : {"1x1x9x8", "1x1x9x8:q=20:causal:window=9", "1x1x9x8:q=20:window=20",
                           "varlen=3,9:1x8:window=9", "1x1x9x8:mask=causal:window=3"})
    EXPECT_FALSE(parsed(text).windowed()) << text;
  const Problem quantized = parsed("1x8x100x64:q=1:kv=2:dv=32:kvtype=q8_0:f16");
  EXPECT_EQ(quantized.k_bytes(), 2u * 100 * 2 * 34);
  EXPECT_EQ(quantized.v_bytes(), 2u * 100 * 34);
  EXPECT_EQ(parsed("1x8x100x64:q=1:kv=2:kvtype=f8e4m3").k_bytes(), 2u * 100 * 64);
  const Problem mixed = parsed("1x8x100x64:q=1:kv=2:ktype=q5_1:vtype=iq4_nl:f16");
  EXPECT_EQ(mixed.k_bytes(), 2u * 100 * 2 * 24);
  EXPECT_EQ(mixed.v_bytes(), 2u * 100 * 2 * 18);
  EXPECT_EQ(parsed("1x8x100x64:kv=2:vtype=q4_1:f16").k_bytes(), 2u * 100 * 64 * 2);
  const Problem mla = parsed("1x128x100x576:q=1:kv=1:dv=512:mla:kvtype=q4_0:f16");
  EXPECT_EQ(mla.k_bytes(), 100u * 18 * 18);
  EXPECT_EQ(mla.v_bytes(), 0u);
  EXPECT_EQ(parsed("2x8x100x64:q=3:kv=2:topk=9").list_elements(), 2u * 2 * 3 * 9);
  // What today's text says is as it was.
  const Problem plain = parsed("1x8x100x64:f16");
  EXPECT_EQ(plain.window + plain.mask_elements(), 0u);
  EXPECT_EQ(plain.softcap, 0);
  EXPECT_FALSE(plain.sinks);
  EXPECT_EQ(plain.k_bytes(), 2 * plain.k_elements());
}

TEST(ProblemText, IsCanonical) {
  EXPECT_EQ(to_text(parsed("1x1x8x64:kvtype=q8_0:mask=alibi:sinks:softcap=30:window=4:causal:f16")),
            "1x1x8x64:causal:window=4:softcap=30:sinks:mask=alibi:kvtype=q8_0:f16");
  EXPECT_EQ(to_text(parsed("1x1x8x64:vtype=q4_0:topk=3:ktype=q8_0")), "1x1x8x64:ktype=q8_0:vtype=q4_0:topk=3:f32");
  EXPECT_EQ(to_text(parsed("1x1x8x64:vtype=q5_0:mla:ktype=q5_0")), "1x1x8x64:kvtype=q5_0:mla:f32");
  EXPECT_EQ(to_text(parsed("1x1x8x64:mask:scale=2")), "1x1x8x64:mask:scale=2:f32");
  EXPECT_EQ(to_text(parsed("1x8x64x64:f16:causal:kv=2:q=3")), "1x8x64x64:q=3:kv=2:causal:f16");
  EXPECT_EQ(to_text(parsed("1x8x64x64:q=64:kv=8:dv=64:in=normal")), "1x8x64x64:f32");
  EXPECT_EQ(to_text(parsed("varlen=5:2x8:kv=1:dv=4:scale=1e-3")), "varlen=5:2x8:kv=1:dv=4:scale=0.001:f32");
}

TEST(ProblemText, RoundTripsRandomProblems) {
  std::mt19937_64 random(7);
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  for (int i = 0; i < 5000; ++i) {
    Problem p;
    p.heads_kv = 1 + below(5);
    p.heads_q = p.heads_kv * (1 + below(7));
    p.head_dim = 1 + below(300);
    p.v_dim = below(2) ? p.head_dim : 1 + below(300);
    p.dtype = DType(below(3));
    p.causal = below(2);
    p.inputs = InputKind(below(p.dtype == DType::f16 ? 4 : 5));
    if (below(3) == 0) p.window = 1 + below(700);
    if (below(3) == 0) p.softcap = double(1 + below(100000)) / 97.0;
    p.sinks = below(3) == 0;
    if (p.inputs != InputKind::wide && below(2)) {
      p.k_type = KvType(below(8));
      p.v_type = below(2) ? p.k_type : KvType(below(8));
      p.head_dim = p.v_dim = 32 * (1 + below(6));
      p.mla = p.k_type == p.v_type && below(2);
    }
    if (below(3) == 0) p.scale = double(1 + below(1000000)) / 977.0;
    if (below(3) == 0) {
      for (uint32_t n = 1 + below(4); n > 0; --n) p.varlen.push_back(1 + below(500));
      p.batch = uint32_t(p.varlen.size());
      for (const uint32_t n : p.varlen) p.seq_q = p.seq_kv = std::max(p.seq_q, n);
    } else {
      p.batch = 1 + below(9);
      p.seq_q = 1 + below(600);
      p.seq_kv = below(2) ? p.seq_q : 1 + below(600);
      p.page_size = below(3) ? 0 : 1 + below(64);
      if (p.window == 0 && below(3) == 0) p.topk = 1 + below(p.seq_kv);
      p.mask = MaskKind(below(p.causal ? 4 : 5));
    }
    ASSERT_TRUE(check_problem(p)) << to_text(p);
    ASSERT_EQ(*must(parse_problem(to_text(p))), p) << to_text(p);
  }
}

TEST(ProblemErrors, NameTheFieldTheValueAndTheLimit) {
  EXPECT_EQ(refusal(parse_problem("2x8x0x64")), "problem '2x8x0x64': seq (third field) is 0; it must be at least 1.");
  for (const char* text : {"banana", "", "1x2x3", "1x2x3x4x5"}) expect_refused(text, "BxHxSxD");
  for (const char* text : {"1x2x-3x4", "1x2x3.5x4", "1x2x 3x4"}) expect_refused(text, "it must be a whole number");
  for (const std::string& text :
       words("0x2x3x4 1x0x3x4 1x2x3x4:q=0 1x2x3x4:kv=0 1x2x3x4:page=0 varlen=3:8x0 1x2x4294967295x4 1x2x3x4:dv=65537 "
             "1x2x3x4:f8 1x2x3x4: 1x2x3x4:causal=1 1x2x3x4:sinks=1 1x2x3x4:q=1:q=1 1x2x3x4:mask:mask=batch "
             "1x2x3x4:window=2000000000 1x2x3x4:window=x 1x2x3x4:softcap=0 1x2x3x32:vtype=as_dtype varlen=3:8x64x2 "
             "varlen=3,0:8x64 varlen=3,x:8x64 varlen=3:8x64:page=16 varlen=3,4:2x64:topk=2 varlen=3,4:2x64:mask"))
    expect_refused(text);
  for (const char* scale : {"abc", "", "nan", "inf", "0", "-1", "1e9", "0x10", "1 "})
    expect_refused("1x2x3x4:scale=" + std::string(scale), "scale is");
  for (const char* cap : {"-1", "1e7", "1e-9"})
    expect_refused("1x2x3x4:softcap=" + std::string(cap), "it must be between 0.01 and 1000000");
  for (const char* text : {"1x2x3x4:in=wide:f16", "1x2x3x32:in=wide:f32:kvtype=q8_0", "1x2x3x64:mla:in=wide:f32"})
    expect_refused(text, "65,504");
  for (const char* text : {"1x2x3x32:kvtype=q8_0:vtype=q4_0", "1x2x3x32:ktype=q8_0:kvtype=q4_0"})
    expect_refused(text, "given with ktype or vtype");
  for (const char* type : {"q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"}) {
    expect_refused("1x2x3x40:ktype=" + std::string(type), "head_dim is 40; with " + std::string(type) + " it must be");
    expect_refused("1x2x3x64:dv=4:kvtype=" + std::string(type), "dv (value head dim) is 4; with " + std::string(type));
  }
  for (const auto& [text, says] :
       {std::pair{"1x2x3x", "head_dim (fourth field) is empty"},
        {"1x2x99999999999999999999999x4", "99999999999999999999999; it must be at most 1073741824"},
        {"1x2x3x65537", "head_dim (fourth field) is 65537; it must be at most 65536"},
        {"1x6x3x4:kv=4", "heads is 6 and kv (K/V heads) is 4; heads must be a multiple of kv"},
        {"1x2x3x4:f16:f32", "dtype is given twice"},
        {"1x2x3x4:in=wild", "normal, large, onehot, ramp or wide"},
        {"1x2x3x4:window=0", "window (keys) is 0; it must be more, or left out"},
        {"1x2x3x4:softcap=nan", "softcap is 'nan'; it must be a number"},
        {"1x2x3x4:mask=some", "mask is 'some'; it can be batch, alibi or causal"},
        {"1x2x3x4:kvtype=q2_K", "kvtype is 'q2_K'; it can be one of q8_0, f8e4m3, q4_0"},
        {"1x2x3x64:dv=72:mla", "dv is 72 and head_dim is 64; with mla"},
        {"1x2x3x36:dv=32:mla", "dv is 32 and head_dim is 36; with mla"},
        {"1x2x3x64:mla:ktype=q8_0", "ktype and vtype differ; with mla"},
        {"1x2x3x64:topk=0", "topk (keys of a list) is 0; it must be more, or left out"},
        {"1x2x3x64:topk=4", "topk is 4; it must be at most the number of keys, 3"},
        {"1x2x30x64:topk=4:window=8", "topk is set with window"},
        {"varlen=:8x64", "length 1 of varlen is empty"},
        {"varlen=3", "HxD"},
        {"varlen=3:8x64:q=1", "q= is set with varlen"},
        // Over the limit of a tensor, without overflow.
        {"1x1x1073741824x1:q=1025:mask", "the mask would have"},
        {"1073741824x1073741824x1073741824x65536", "a tensor may have at most 2^40"},
        {"1x1x1073741824x2048:q=1", "K would have"},
        {"1x1x1073741824x1:dv=2048:q=1", "V would have"}})
    expect_refused(text, says);
  parsed("1x16x1073741824x64:kv=1:q=1");  // 2^36 elements of K
  // Lengths that do not go together.
  Problem p{.varlen = {4, 5}};
  EXPECT_FALSE(check_problem(p));
  p.batch = 2;
  p.seq_q = p.seq_kv = 5;
  EXPECT_TRUE(check_problem(p));
}

/// By looking at each pair.
double pairs_of(const Problem& p) {
  const int64_t off = int64_t{p.seq_kv} - p.seq_q;
  double pairs = 0;
  for (int64_t i = 0; i < p.seq_q; ++i)
    for (int64_t j = 0; j < p.seq_kv; ++j) {
      const bool causal = !p.causal || j <= i + off;
      const bool near = p.window == 0 || (j > i + off - p.window && j < i + off + p.window);
      pairs += causal && near;
    }
  return pairs;
}

TEST(ProblemCounting, WindowsLeaveTheirPairs) {
  for (uint32_t queries = 1; queries < 9; ++queries)
    for (uint32_t keys = 1; keys < 9; ++keys)
      for (uint32_t window = 0; window < 12; ++window)
        for (const bool causal : {false, true}) {
          const Problem p{.seq_q = queries, .seq_kv = keys, .causal = causal, .window = window};
          EXPECT_DOUBLE_EQ(problem_pairs(p), pairs_of(p)) << to_text(p);
          const Layout layout(p, {});
          double visible = 0;
          for (uint32_t i = 0; i < queries; ++i)
            visible += std::max(0.0, double(layout.visible(0, i)) - layout.first_visible(0, i));
          EXPECT_DOUBLE_EQ(visible, pairs_of(p)) << to_text(p);
        }
  EXPECT_DOUBLE_EQ(problem_pairs(parsed("varlen=5,9:2x8:causal:window=3")),
                   problem_pairs(parsed("1x2x5x8:causal:window=3")) + problem_pairs(parsed("1x2x9x8:causal:window=3")));
}

TEST(ProblemCounting, CountsFlopsAndTheBytesThatOptionsLeave) {
  // One query reads the window's keys alone.
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x1000x64:q=1:kv=2:window=128:f16")), (4 + 128 * 2) * 128 * 2.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x1000x64:q=3:kv=2:causal:window=128:f16")), (12 + 130 * 2) * 128 * 2.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:causal:window=7")), problem_bytes(parsed("1x4x100x64")));
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:q=1:kvtype=q8_0:f16")), 4 * 128 * 2.0 + 400 * 4 * 34.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:q=1:kvtype=f8e4m3:f16")), 4 * 128 * 2.0 + 400 * 128.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:q=1:ktype=q4_1:vtype=q5_0:f16")), 4 * 128 * 2.0 + 400 * 2 * 42.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:q=1:kv=1:dv=32:mla:f16")), 4 * 96 * 2.0 + 100 * 128.0);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:q=1:topk=10:f16")), 4 * 128 * 2.0 + 40 * 256.0 + 40 * 4);
  EXPECT_EQ(problem_pairs(parsed("1x4x100x64:q=3:topk=10")), 4 * 30);
  EXPECT_EQ(problem_pairs(parsed("1x1x10x64:causal:topk=4")), 1 + 2 + 3 + 7 * 4);
  EXPECT_EQ(problem_pairs(parsed("1x1x4x64:q=6:causal:topk=3")), 0 + 0 + 1 + 2 + 3 + 3);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x100x64:sinks:f16")), problem_bytes(parsed("1x4x100x64:f16")) + 16);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("3x4x100x64:mask:f16")), problem_bytes(parsed("3x4x100x64:f16")) + 20000);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("3x4x100x64:mask=batch:causal:f16")),
                   problem_bytes(parsed("3x4x100x64:f16")) + 3 * 2 * 5050);
  const Problem p = parsed("2x8x512x64:f32");
  EXPECT_DOUBLE_EQ(problem_flops(p), 4.0 * 2 * 8 * 512 * 512 * 64);
  EXPECT_DOUBLE_EQ(problem_bytes(p), 4.0 * 2 * 8 * 512 * 64 * 4);
  EXPECT_DOUBLE_EQ(problem_flops(parsed("1x1x10x64:dv=32")), 2.0 * (64 + 32) * 100);
  EXPECT_DOUBLE_EQ(problem_bytes(parsed("1x4x10x64:kv=2:q=3:dv=32:f16")), (3 * 4 + 10 * 2) * (64 + 32) * 2.0);
}

}  // namespace attnscope::problem_test
