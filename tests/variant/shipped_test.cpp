// Every variant in shaders/, whatever its name: loads for each dtype it claims, and can be planned.
#include <algorithm>
#include <map>

#include "engine/attention/options.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope {
namespace {

using testing::big_gpu;
using testing::h200;
using testing::matrix_gpu;
using testing::problem;
using testing::small_gpu;

std::vector<VariantSource> shipped() {
  auto sources = read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"});
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().message);
  EXPECT_GE(sources->size(), 4u);
  return *sources;
}

const std::vector<std::string>& shapes() {
  static const std::vector<std::string> all = {
      "1x4x32x32", "2x8x512x64", "1x3x77x40", "2x6x129x64:kv=2", "1x2x100x80:q=33:causal", "1x4x65x96:causal",
      "1x2x17x33:dv=7", "1x4x64x256", "1x4x64x64:dv=256", "1x8x1000x128:q=1:kv=2", "1x2x5x8:q=9:causal",
      "varlen=37,5,90:4x64", "1x16x256x128", "1x4x16x512:q=16", "1x8x300x64:q=1:kv=2:page=16", "1x4x64x4096:q=16",
      "1x4x32x8192:q=16",
      // What only some variants take.
      "1x4x300x64:kv=2:causal:window=128:softcap=50:sinks", "1x8x300x64:q=1:kv=2:window=40:sinks",
      "varlen=37,5,90:4x64:window=9:sinks", "1x4x65x64:mask=alibi", "1x8x300x64:q=1:kv=2:kvtype=q8_0:softcap=30",
      "1x8x300x64:q=1:kv=2:kvtype=f8e4m3", "1x2x50x40:q=2:kvtype=f8e4m3"};
  return all;
}

TEST(Shipped, LoadsForEveryTypeItClaims) {
  for (const auto& source : shipped()) {
    const auto manifest = parse_manifest(source);
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_FALSE(manifest->title.empty() || manifest->summary.empty());
    for (const auto& dtype : manifest->dtypes) {
      VariantSource one = source;
      std::string& text = one.files["manifest.toml"];
      const size_t at = text.find("dtypes = [");
      ASSERT_NE(at, std::string::npos) << source.name;
      text.replace(at, text.find(']', at) - at + 1, "dtypes = [\"" + dtype + "\"]");
      Compiler compiler;
      const auto v = load_variant(one, compiler);
      EXPECT_TRUE(v) << dtype << ": " << v.error().message;
    }
  }
}

TEST(Shipped, PlansEveryShapeAndTypeItClaims) {
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    for (const DeviceInfo& device : {big_gpu(), small_gpu(), matrix_gpu()}) {
      if (!why_not(*v, device).empty()) continue;
      for (const auto& dtype : v->manifest.dtypes) {
        size_t planned = 0;
        for (const auto& shape : shapes()) {
          const Problem p = problem(shape + ":" + dtype);
          if (!why_not(*v, p, device).empty()) continue;
          const auto nearest = nearest_legal(*v, p, default_config(*v), device, compiler, {.ms = 60'000});
          ASSERT_EQ(nearest.end, Nearest::End::found)
              << source.name << " " << shape << " " << dtype << ": " << nearest.why.message;
          const auto plan = make_plan(*v, p, nearest.config, device, compiler);
          ASSERT_TRUE(plan) << source.name << " " << shape << " " << dtype << ": " << plan.error().message;
          ++planned;
        }
        // A variant may do without matrices of unknown layout.
        EXPECT_TRUE(planned > 0 || device.matrix_layout) << source.name << " " << dtype << " on " << device.name;
      }
    }
  }
}

TEST(Shipped, EachOptionIsTakenByTwo) {
  std::map<std::string, size_t> takers;
  for (const auto& source : shipped()) {
    const auto manifest = parse_manifest(source);
    ASSERT_TRUE(manifest) << manifest.error().message;
    for (const std::string& option : manifest->options) ++takers[option];
  }
  for (const ProblemOption& option : kProblemOptions) EXPECT_GE(takers[std::string(option.name)], 2u) << option.name;
}

TEST(Shipped, MatricesOfUnknownLayoutAreUsed) {
  size_t serving = 0;
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    const auto& needs = v->manifest.features;
    if (std::find(needs.begin(), needs.end(), "coopmat") == needs.end()) continue;
    const Problem p = problem("1x4x128x64:f16");
    serving += why_not(*v, p, matrix_gpu()).empty() && make_plan(*v, p, default_config(*v), matrix_gpu(), compiler);
  }
  EXPECT_GT(serving, 0u);
}

TEST(Shipped, Bf16MatricesAreUsedWhereADeviceHasThemAndNowhereElse) {
  DeviceInfo has = h200(), has_not = h200();
  for (const char* feature : {"bfloat16", "coopmat_bfloat16"}) has.features.emplace_back(feature);
  has.matrix_shapes.push_back({16, 16, 16, "bf16", "bf16", "f32", "f32", "subgroup"});
  const Problem p = problem("1x4x128x64:bf16");
  const auto uses = [&](const Variant& v, const DeviceInfo& device, Compiler& compiler) {
    const auto plan = make_plan(v, p, default_config(v), device, compiler);
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return false;
    const auto module = reflect(plan->passes[0].spirv);
    EXPECT_TRUE(module);
    const auto& needs = module->capabilities;
    const bool own = std::find(needs.begin(), needs.end(), "coopmat_bfloat16") != needs.end();
    EXPECT_EQ(own, plan->precision.probabilities == DType::bf16);
    return own;
  };
  size_t using_them = 0;
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    if (!why_not(*v, p, has).empty()) continue;
    SCOPED_TRACE(v->name);
    using_them += uses(*v, has, compiler);
    EXPECT_FALSE(uses(*v, has_not, compiler));
  }
  EXPECT_GT(using_them, 0u);
}

TEST(Shipped, InputsBeyondF16AreTakenWhereNothingBecomesF16) {
  DeviceInfo matrices = h200();
  for (const char* feature : {"bfloat16", "coopmat_bfloat16"}) matrices.features.emplace_back(feature);
  matrices.matrix_shapes.push_back({16, 16, 16, "bf16", "bf16", "f32", "f32", "subgroup"});
  const Problem p = problem("1x4x128x64:in=wide:bf16");
  size_t with = 0, without = 0;
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    with += why_not(*v, p, matrices).empty();
    without += why_not(*v, p, h200()).empty();
  }
  EXPECT_GT(without, 5u) << "those that compute in f32";
  EXPECT_GT(with, without) << "and those on matrices of bf16";
}

TEST(Shipped, EachValueOfAParameterCompiles) {
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    for (const Parameter& parameter : v->parameters) {
      size_t planned = 0;
      for (const char* text : {"1x4x256x64:causal:f16", "1x4x256x64:causal", "1x8x4096x64:q=1:kv=2:f16",
                               "1x4x16x1024:q=16:f16", "varlen=37,5,90:4x64"}) {
        const Problem p = problem(text);
        if (!why_not(*v, p, h200()).empty()) continue;
        for (const int64_t value : parameter.values) {
          Config config = default_config(*v);
          config[parameter.name] = value;
          const auto plan = make_plan(*v, p, config, h200(), compiler);
          planned += bool(plan);
          if (plan) continue;
          // What is refused is refused by a rule: a message of the compiler begins with the file and the line.
          for (const char* file : {".comp:", ".glsl:"})
            EXPECT_EQ(plan.error().message.find(file), std::string::npos)
                << source.name << " " << parameter.name << "=" << value << " on " << text << ": "
                << plan.error().message;
        }
      }
      EXPECT_GT(planned, 1u) << source.name << " " << parameter.name;
    }
  }
}

TEST(Shipped, DefaultsHoldAHeadDimOf128In32KB) {
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    const Problem p = problem("1x4x128x128:f16");
    if (!why_not(*v, p, small_gpu()).empty()) continue;
    const auto plan = make_plan(*v, p, default_config(*v), small_gpu(), compiler);
    EXPECT_TRUE(plan) << source.name << ": " << plan.error().message;
  }
}

TEST(Shipped, NamedConfigsServeSomeShapeOnABigGpu) {
  for (const auto& source : shipped()) {
    Compiler compiler;
    const auto v = load_variant(source, compiler);
    ASSERT_TRUE(v) << v.error().message;
    if (!why_not(*v, big_gpu()).empty()) continue;
    for (const auto& named : v->manifest.configs) {
      std::string refused;
      bool served = false;
      for (const auto& shape : shapes())
        for (const auto& dtype : v->manifest.dtypes) {
          const Problem p = problem(shape + ":" + dtype);
          const auto plan = make_plan(*v, p, *parse_config(*v, named.name), big_gpu(), compiler);
          served = served || plan;
          if (!plan) refused += shape + ": " + plan.error().message + "\n";
        }
      EXPECT_TRUE(served) << source.name << " " << named.name << "\n" << refused;
    }
  }
}

}  // namespace
}  // namespace attnscope
