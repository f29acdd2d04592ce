// Which config the manifests take on a GPU of 132 cores with matrix units, and what they reckon of it.
#include <map>

#include "engine/variant/planner.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope {
namespace {

using testing::h200;
using testing::problem;

const Variant& shipped(const std::string& name) {
  static std::map<std::string, Variant> loaded;
  const auto found = loaded.find(name);
  if (found != loaded.end()) return found->second;
  auto sources = read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"});
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().message);
  for (const VariantSource& source : *sources)
    if (source.name == name) {
      Compiler compiler;
      auto v = load_variant(source, compiler);
      EXPECT_TRUE(v) << (v ? "" : v.error().message);
      if (v) return loaded.emplace(name, std::move(*v)).first->second;
    }
  ADD_FAILURE() << "no variant " << name;
  static const Variant none{};
  return none;
}

/// What runs where nothing is said, and the value of one of the manifest's expressions for it.
struct Choice {
  std::string name;
  Config config;
};
Choice chosen(const Variant& v, const Problem& p) {
  Compiler compiler;
  Choice choice{suited_config(v, p, h200(), compiler), default_config(v)};
  for (const NamedConfig& named : v.manifest.configs)
    if (named.name == choice.name) choice.config = full_config(v, named);
  const auto nearest = nearest_legal(v, p, choice.config, h200(), compiler, {.ms = 60'000});
  EXPECT_EQ(nearest.end, Nearest::End::found) << nearest.why.message;
  choice.config = nearest.config;
  return choice;
}
double value(const Variant& v, const Problem& p, const Config& config, const std::string& expression) {
  const DeviceInfo device = h200();
  Compiler compiler;
  const auto found = Planner(v, p, device, compiler).value(expression, config);
  EXPECT_TRUE(found) << expression << ": " << (found ? "" : found.error().message);
  return found ? *found : -1;
}

TEST(Defaults, DecodeKeepsItsRowsInRegisters) {
  const Variant& v = shipped("decode");
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const int group : {1, 2, 3, 4, 5, 7, 8, 16, 71, 128})
      for (const int dim : {64, 80, 96, 128, 192, 256, 512}) {
        const Problem p = problem("1x" + std::to_string(group) + "x4096x" + std::to_string(dim) + ":q=1:kv=1:" + dtype);
        // 192 spilled 128 bytes on an H200, 64 registers beyond 255.
        EXPECT_LE(value(v, p, chosen(v, p).config, "registers"), 183) << to_text(p);
      }
}

TEST(Defaults, DecodeMatrixFillsTheDeviceOnce) {
  const Variant& v = shipped("decode_matrix");
  struct Row {
    const char* problem;
    double least_workgroups;
  };
  for (const Row& row : {Row{"1x64x32768x128:q=1:kv=8:f16", 250}, Row{"1x16x8192x576:q=1:kv=1:dv=512:f16", 120},
                         Row{"1x32x8192x128:q=4:kv=8:causal:f16", 250}, Row{"1x71x2048x64:q=1:kv=1:f16", 30},
                         Row{"1x14x4096x64:q=1:kv=2:f16", 30}, Row{"1x16x8192x256:q=1:kv=8:f16", 200},
                         Row{"32x32x2048x128:q=1:kv=8:f16", 200}, Row{"1x128x4096x576:q=2:kv=1:dv=512:bf16", 100},
                         Row{"1x8x1x24:q=1:f16", 8}, Row{"1x32x2048x80:q=1:f16", 200}}) {
    const Problem p = problem(row.problem);
    const Choice choice = chosen(v, p);
    const auto of = [&](const char* expression) { return value(v, p, choice.config, expression); };
    const bool one_pass = choice.name == "one-pass";
    EXPECT_TRUE(one_pass || choice.config == default_config(v)) << row.problem << ": the defaults themselves are legal";
    EXPECT_LE(of("registers"), 232) << row.problem;
    EXPECT_LE(of("shared_bytes"), 49152) << row.problem;
    const double workgroups = of("tiles_rows_all * split_count");
    EXPECT_GE(workgroups, row.least_workgroups) << row.problem;
    if (of("split_count") > 1) {
      EXPECT_LE(workgroups, one_pass ? 132 : of("132 * workgroups_a_core")) << row.problem << ": no second wave";
    }
  }
}

TEST(Defaults, CoopmatFollowsRegistersAndWorkgroupsACore) {
  const Variant& v = shipped("coopmat");
  struct Row {
    const char *problem, *config;
  };
  for (const Row& row : {Row{"1x16x4096x128:f16", ""},
                         Row{"1x16x2048x64:f16", "head-64"},
                         Row{"2x8x256x64:f16", "tiny"},
                         Row{"2x8x512x64:f16", "short"},
                         Row{"1x40x2048x80:f16", "head-80"},
                         Row{"1x32x2048x96:causal:f16", "head-96"},
                         Row{"1x16x729x72:f16", "even"},
                         Row{"2x8x4096x40:f16", "head-64"},
                         Row{"2x8x4096x160:f16", "head-160"},
                         Row{"1x16x4096x192:dv=128:causal:f16", "head-192"},
                         Row{"1x16x2048x256:causal:f16", "head-256"},
                         Row{"1x8x1024x256:f16", "short-wide"},
                         Row{"2x8x256x160:f16", "tiny"},
                         Row{"2x10x77x64:q=4096:f16", "few-keys"},
                         Row{"1x12x1024x64:causal:f16", "short"},
                         Row{"1x32x2048x128:kv=8:causal:f16", "even"},
                         Row{"1x16x4096x128:causal:f16", "causal"},
                         Row{"1x64x4096x128:kv=8:causal:f16", "causal"},
                         Row{"1x32x16384x128:q=512:kv=8:causal:f16", "even"},
                         Row{"2x10x4096x64:f16", "head-64"}}) {
    const Problem p = problem(row.problem);
    const Choice choice = chosen(v, p);
    const auto of = [&](const char* expression) { return value(v, p, choice.config, expression); };
    EXPECT_EQ(choice.name, row.config) << row.problem;
    EXPECT_LE(of("registers"), 246) << row.problem;
    EXPECT_LE(of("shared_bytes"), 49152) << row.problem;
  }
}

}  // namespace
}  // namespace attnscope
