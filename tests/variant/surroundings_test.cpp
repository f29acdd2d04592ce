// What lies one step away from a config, and the tiles that a manifest declares.
#include "engine/variant/surroundings.hpp"

#include <algorithm>

#include "tests/variant/variant_test.hpp"

namespace attnscope {
namespace {

using testing::big_gpu;
using testing::problem;
using testing::replace;
using testing::toy;

VariantSource tiled_toy() {
  VariantSource source = toy();
  replace(source, "manifest.toml", "[let]",
          "[tiles]\nquery = \"BLOCK_M\"\nkey = \"BLOCK_N\"\nlane_stride = \"4 * BLOCK_N\"\nlane_bytes = 4\n\n[let]");
  return source;
}

TEST(Surroundings, AreTheNearestLegalValuesOfEachParameter) {
  Compiler compiler;
  const auto variant = load_variant(tiled_toy(), compiler);
  ASSERT_TRUE(variant) << variant.error().message;
  const auto around =
      look_around(*variant, problem("1x2x256x64"), {{"BLOCK_M", 32}, {"BLOCK_N", 64}}, big_gpu(), compiler);
  ASSERT_TRUE(around) << around.error().message;
  EXPECT_EQ(around->shape.workgroups, 16u);
  EXPECT_EQ(around->shape.invocations, 128u);
  EXPECT_EQ(around->shape.passes, 1u);
  EXPECT_EQ(around->shape.shared_bytes, 32u * 64 * 4);
  EXPECT_EQ(around->shape.extra_bytes, 80);
  EXPECT_EQ(around->shape.tiles, (Tiles{32, 64, 0, 256, 4}));
  // BLOCK_M=16 and BLOCK_N=128 break the constraint.
  ASSERT_EQ(around->neighbours.size(), 2u);
  EXPECT_EQ(around->neighbours[0].parameter, "BLOCK_M");
  EXPECT_EQ(around->neighbours[0].value, 64);
  EXPECT_EQ(around->neighbours[0].shape.workgroups, 8u);
  EXPECT_EQ(around->neighbours[0].shape.tiles.query, 64);
  EXPECT_EQ(around->neighbours[1].parameter, "BLOCK_N");
  EXPECT_EQ(around->neighbours[1].value, 32);
}

TEST(Surroundings, OfAnIllegalConfigAreItsRefusal) {
  Compiler compiler;
  const auto variant = load_variant(toy(), compiler);
  ASSERT_TRUE(variant);
  const auto around =
      look_around(*variant, problem("1x2x256x64"), {{"BLOCK_M", 16}, {"BLOCK_N", 64}}, big_gpu(), compiler);
  ASSERT_FALSE(around);
  EXPECT_NE(around.error().message.find("more than twice"), std::string::npos) << around.error().message;
}

TEST(Surroundings, WithoutTilesHaveNone) {
  Compiler compiler;
  const auto variant = load_variant(toy(), compiler);
  ASSERT_TRUE(variant);
  EXPECT_EQ(look_around(*variant, problem("1x2x256x64"), {}, big_gpu(), compiler)->shape.tiles, Tiles{});
}

TEST(Surroundings, TilesAreCheckedWhenTheVariantLoads) {
  Compiler compiler;
  VariantSource unknown = tiled_toy();
  replace(unknown, "manifest.toml", "query = \"BLOCK_M\"", "query = \"BLOCK_X\"");
  const auto variant = load_variant(unknown, compiler);
  ASSERT_FALSE(variant);
  EXPECT_NE(variant.error().message.find("BLOCK_X"), std::string::npos) << variant.error().message;
  VariantSource typo = tiled_toy();
  replace(typo, "manifest.toml", "query = ", "queries = ");
  const auto manifest = parse_manifest(typo);
  ASSERT_FALSE(manifest);
  EXPECT_NE(manifest.error().message.find("tiles: unknown key 'queries'"), std::string::npos)
      << manifest.error().message;
}

}  // namespace
}  // namespace attnscope
