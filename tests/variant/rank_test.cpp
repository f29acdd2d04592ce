// `rank` of manifests: what it may say, and what the shipped ones say of problems whose best variant is known.
#include <algorithm>
#include <map>

#include "engine/variant/rank.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope {
namespace {

using testing::big_gpu;
using testing::h200;
using testing::problem;
using testing::toy;

Result<Variant> ranked(const std::string& line) {
  VariantSource source = toy();
  std::string& text = source.files["manifest.toml"];
  text = line + "\n" + text;
  Compiler compiler;
  return load_variant(source, compiler);
}
double rank(const std::string& line, const std::string& text) {
  const auto v = ranked(line);
  EXPECT_TRUE(v) << line << ": " << (v ? "" : v.error().message);
  return v ? rank_of(*v, problem(text), big_gpu()).rank : -1;
}

TEST(Rank, IsAnExpressionOverProblemAndDevice) {
  EXPECT_EQ(rank("", "1x1x64x64"), 0) << "missing";
  EXPECT_EQ(rank("rank = 2.5", "1x1x64x64"), 2.5);
  EXPECT_EQ(rank("rank = \"seq_q > 32 ? core_count : head_dim / 2\"", "1x1x64x64"), 132);
  EXPECT_EQ(rank("rank = \"seq_q > 32 ? core_count : head_dim / 2\"", "1x1x8x64"), 32);
  EXPECT_EQ(rank("rank = \"1 / (seq_q - 64)\"", "1x1x64x64"), 0) << "not finite here";
  const auto v = ranked("rank = 1");
  ASSERT_TRUE(v);
  EXPECT_NE(rank_of(*v, problem("1x1x8x512"), big_gpu()).why_not.find("head_dim is 512"), std::string::npos);
  EXPECT_EQ(rank_of(*v, problem("1x1x8x64"), big_gpu()).why_not, "");
}

TEST(Rank, KnowsNoConfig) {
  for (const char* line : {"rank = \"BLOCK_M\"", "rank = \"tiles\"", "rank = \"nosuch\""}) {
    const auto v = ranked(line);
    ASSERT_FALSE(v) << line;
    EXPECT_NE(v.error().message.find("rank"), std::string::npos) << v.error().message;
  }
  EXPECT_FALSE(ranked("rank = \"1 +\""));
}

/// The shipped variants, loaded once.
const std::vector<Variant>& shipped() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> variants;
    Compiler compiler;
    const auto sources = read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"});
    EXPECT_TRUE(sources);
    for (const VariantSource& source : *sources) {
      auto v = load_variant(source, compiler);
      EXPECT_TRUE(v) << (v ? "" : v.error().message);
      if (v) variants.push_back(std::move(*v));
    }
    return variants;
  }();
  return all;
}

std::string highest(const std::string& text, const DeviceInfo& device) {
  VariantRank best;
  best.rank = -1;
  for (const Variant& v : shipped()) {
    const VariantRank one = rank_of(v, problem(text), device);
    if (one.why_not.empty() && one.rank > best.rank) best = one;
  }
  return best.variant;
}

TEST(Rank, TakesWhatWasMeasuredTheFastestOnMatrixUnits) {
  const DeviceInfo device = h200();
  // By measured times, but for 1x14x2048x64 and 1x12x1024x64, where coopmat's config of today was not measured.
  const std::map<std::string, std::string> best = {
      {"1x32x2048x128:kv=8:causal:f16", "coopmat"},
      {"1x64x4096x128:kv=8:causal:f16", "coopmat"},
      {"1x14x2048x64:kv=2:causal:f16", "coopmat"},
      {"1x16x2048x256:kv=8:causal:f16", "coopmat"},
      {"1x32x2048x96:causal:f16", "coopmat"},
      {"1x32x2048x80:causal:f16", "coopmat"},
      {"1x12x1024x64:causal:f16", "coopmat"},
      {"8x12x512x64:f16", "coopmat"},
      {"1x16x577x64:f16", "coopmat"},
      {"1x16x729x72:f16", "coopmat"},
      {"1x20x1500x64:f16", "coopmat"},
      {"2x8x4096x40:f16", "coopmat"},
      {"2x8x1024x80:f16", "coopmat"},
      {"2x8x256x160:f16", "coopmat"},
      {"2x10x4096x64:f16", "coopmat"},
      {"2x10x77x64:q=4096:f16", "coopmat"},
      {"1x24x4608x128:f16", "coopmat"},
      {"1x16x4096x192:dv=128:causal:f16", "coopmat"},
      {"1x32x2048x128:kv=8:causal:bf16", "coopmat"},
      {"1x32x16384x128:q=512:kv=8:causal:f16", "coopmat"},
      {"1x12x1024x64:causal:f32", "coopmat_split"},
      {"2x8x4096x40:f32", "coopmat_split"},
      {"1x32x8192x128:q=1:kv=8:f16", "decode_matrix"},
      {"32x32x2048x128:q=1:kv=8:f16", "decode_matrix"},
      {"1x16x8192x256:q=1:kv=8:f16", "decode"},
      {"1x32x2048x80:q=1:f16", "decode"},
      {"1x71x2048x64:q=1:kv=1:f16", "decode_matrix"},
      {"1x32x8192x128:q=4:kv=8:causal:f16", "decode_matrix"},
      {"1x64x32768x128:q=1:kv=8:f16", "decode_matrix"},
      {"1x16x8192x576:q=1:kv=1:dv=512:f16", "decode_matrix"},
      {"1x4x64x512:f32", "wide"},
      {"1x4x64x4096:f32", "wide"},
      {"1x4x64x4096:f16", "wide_matrix"},
      {"8x32x4096x128:q=1:kv=8:page=16:f16", "decode"},
      {"varlen=4096,4096,4096,4096:16x128:f16", "coopmat"},
  };
  for (const auto& [text, variant] : best) EXPECT_EQ(highest(text, device), variant) << text;
}

TEST(Rank, TakesWhatSuitsADeviceWithoutThem) {
  DeviceInfo gpu = big_gpu();
  gpu.features.emplace_back("subgroup_vote");
  EXPECT_EQ(highest("1x16x4096x128:f16", gpu), "simt");
  EXPECT_EQ(highest("1x32x8192x128:q=1:kv=8:f16", gpu), "decode");
  EXPECT_EQ(highest("1x16x4096x128:f16", big_gpu()), "fmha") << "simt needs votes";
  // A CPU: narrow subgroups, and no number of cores.
  DeviceInfo cpu = gpu;
  cpu.type = DeviceType::software;
  cpu.limits.core_count = 0;
  cpu.limits.subgroup_size = cpu.limits.min_subgroup_size = cpu.limits.max_subgroup_size = 8;
  EXPECT_EQ(highest("2x8x64x64:f32", cpu), "fmha");
  EXPECT_EQ(highest("1x2x128x64:f16", cpu), "fmha");
  EXPECT_EQ(highest("1x3x61x32:f32", cpu), "tiled");
  EXPECT_EQ(highest("1x4x32x32:f32", cpu), "tiled");
  EXPECT_EQ(highest("1x4x256x64:q=1:kv=2:f16", cpu), "decode");
  EXPECT_EQ(highest("1x8x256x64:q=4:kv=1:causal:f32", cpu), "naive");
  EXPECT_EQ(highest("1x1x16x2048:f32", cpu), "naive");
  EXPECT_EQ(highest("varlen=20,65:4x40:kv=2:f32", cpu), "varlen");
}

}  // namespace
}  // namespace attnscope
