#include "engine/record/labels.hpp"
#include "engine/variant/manifest.hpp"
#include "tests/has.hpp"

namespace attnscope::labels_test {

using Labels = std::vector<std::string>;

/// A shipped variant's parameters at the first of their values, as defaults.
struct Shipped {
  Config defaults;
  std::vector<ConfigName> named;
};
Shipped shipped(const VariantSource& source) {
  Shipped out;
  const auto manifest = parse_manifest(source);
  EXPECT_TRUE(manifest) << source.name;
  if (!manifest) return out;
  for (const ParameterDecl& p : manifest->parameters) out.defaults[p.name] = p.values.front();
  for (const NamedConfig& n : manifest->configs) {
    Config config = out.defaults;
    for (const auto& [name, value] : n.values) config[name] = value;
    out.named.push_back({source.name, config, n.name, out.defaults});
  }
  return out;
}
std::vector<VariantSource> sources() { return *read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"}); }
Shipped shipped(const char* name) {
  for (const VariantSource& source : sources())
    if (source.name == name) return shipped(source);
  ADD_FAILURE() << name;
  return {};
}
Config with(Config config, const Config& changes) {
  for (const auto& [name, value] : changes) config[name] = value;
  return config;
}

TEST(Labels, SayWhatDiffersFromTheDefaultsAndNoMore) {
  const Config d = shipped("tiled").defaults;
  const std::vector<ConfigName> blocks{{"tiled", d, "default", d},
                                       {"tiled", with(d, {{"BLOCK_M", 16}, {"BLOCK_N", 32}}), "", d},
                                       {"tiled", with(d, {{"BLOCK_M", 16}, {"STAGES", 2}}), "", d}};
  ASSERT_TRUE(d.contains("THREAD_M") && d.at("BLOCK_N") != 32 && d.at("STAGES") == 1);
  const std::string m16 = d.at("BLOCK_M") == 16 ? "" : "M=16 ";
  EXPECT_EQ(short_labels(blocks), (Labels{"tiled default", "tiled " + m16 + "N=32", "tiled " + m16 + "STAGES=2"}));
  EXPECT_EQ(short_config_labels(blocks).front(), "default");
}

TEST(Labels, ANameIsShortenedOnlyWhereItStandsForOneParameter) {
  const Config d{{"BLOCK_M", 1}, {"BLOCK_N", 1}, {"THREAD_M", 1}, {"THREAD_N", 1},
                 {"M", 1},       {"P_KEYS", 1},  {"STAGES", 1}};
  const auto label = [&](const Config& a, const Config& b) {
    return short_config_labels(std::vector<ConfigName>{{"v", with(d, a), "", d}, {"v", with(d, b), "", d}});
  };
  EXPECT_EQ(label({{"BLOCK_N", 2}}, {{"STAGES", 2}}), (Labels{"N=2", "STAGES=2"}));
  EXPECT_EQ(label({{"BLOCK_N", 2}}, {{"THREAD_N", 2}}), (Labels{"BLOCK_N=2", "THREAD_N=2"}));
  EXPECT_EQ(label({{"BLOCK_M", 2}}, {{"STAGES", 2}}), (Labels{"BLOCK_M=2", "STAGES=2"}))
      << "M is a parameter of its own";
  EXPECT_EQ(label({{"P_KEYS", 2}}, {{"STAGES", 2}}), (Labels{"P_KEYS=2", "STAGES=2"})) << "P_ is no family";
  const std::vector<ConfigName> n{{"v", with(d, {{"BLOCK_N", 2}}), "", d}};
  EXPECT_EQ(shortened_parameters(n), Labels{"N is BLOCK_N"});
}

TEST(Labels, ANamedConfigHasItsName) {
  const Config d{{"A", 1}};
  const std::vector<ConfigName> some{
      {"v", {{"A", 2}}, "fast", d}, {"v", d, "", d}, {"peer", {}, "graph", {}}, {"peer", {}, "", {}}};
  EXPECT_EQ(short_labels(some), (Labels{"v fast", "v default", "peer graph", "peer"}));
}

TEST(Labels, WithoutDefaultsTheyTellTheConfigsApart) {
  const std::vector<ConfigName> two{{"v", {{"A", 1}, {"B", 1}, {"C", 3}}}, {"v", {{"A", 1}, {"B", 2}, {"C", 3}}}};
  EXPECT_EQ(short_config_labels(two), (Labels{"B=1", "B=2"}));
  EXPECT_EQ(short_config_labels(std::span(two).first(1)), Labels{"A=1 B=1 C=3"});
}

TEST(Labels, TiesAreShownWhole) {
  // Two result files of different versions: what "default" was has changed.
  const std::vector<ConfigName> two{{"v", {{"A", 1}, {"B", 1}}, "default"}, {"v", {{"A", 2}, {"B", 1}}, "default"}};
  EXPECT_EQ(short_config_labels(two), (Labels{"A=1,B=1", "A=2,B=1"}));
}

TEST(Labels, DifferentConfigsOfEveryShippedVariantHaveDifferentLabels) {
  std::vector<ConfigName> all;
  for (const VariantSource& source : sources()) {
    const Shipped variant = shipped(source);
    all.push_back({source.name, variant.defaults, "default", variant.defaults});
    all.insert(all.end(), variant.named.begin(), variant.named.end());
    // Each parameter changed alone, all of them, and again without known defaults.
    Config everything = variant.defaults;
    for (const auto& [name, value] : variant.defaults) {
      all.push_back({source.name, with(variant.defaults, {{name, value + 1000}}), "", variant.defaults});
      everything[name] = value + 2000;
      all.push_back({source.name, everything, "", variant.defaults});
      all.push_back({source.name, with(everything, {{name, value + 3000}})});
    }
  }
  ASSERT_GT(all.size(), 150u);
  const Labels labels = short_labels(all);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      if (all[i].variant != all[k].variant || all[i].config == all[k].config) continue;
      EXPECT_NE(labels[i], labels[k]) << to_text(all[i].config) << " and " << to_text(all[k].config);
    }
}

}  // namespace attnscope::labels_test
