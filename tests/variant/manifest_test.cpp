#include "engine/variant/manifest.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope::manifest_test {

using testing::replace;
using testing::toy;

std::string failure(const VariantSource& source) {
  const auto m = parse_manifest(source);
  EXPECT_FALSE(m);
  return m ? "" : m.error().message;
}

TEST(Manifest, ReadsEveryKey) {
  VariantSource source = toy();
  source.files["manifest.toml"] =
      "system = \"T\"\noptions = [\"window\", \"packed_kv\"]\nfeatures = [\"coopmat\"]\nnondeterministic = \"why\"\n"
      "precision = { accumulate = \"f16\", probabilities = \"dtype\", kv = \"f16\", f16_pairs = true }\n" +
      source.files["manifest.toml"];
  replace(source, "manifest.toml", "constants = { WORKGROUP = \"threads\" }",
          "constants = { WORKGROUP = \"threads\", N = 3 }\ndefines = { WITH_X = true }\nwhen = \"seq_q > 1\"\n"
          "subgroup_size = 32");
  const auto m = must(parse_manifest(source));
  EXPECT_EQ(
      std::tuple(m->title, m->system, m->features, m->dtypes, m->options, m->accumulate, m->probabilities, m->kv,
                 m->f16_pairs, m->nondeterministic, m->let.at("threads")),
      std::tuple("Toy", "T", std::vector<std::string>{"coopmat"}, (std::vector<std::string>{"f32", "f16"}),
                 (std::vector<std::string>{"window", "packed_kv"}), "f16", "dtype", "f16", "1", "why", "4 * BLOCK_M"));
  ASSERT_EQ(m->parameters.size(), 2u);
  EXPECT_EQ(m->parameters[1], (ParameterDecl{"BLOCK_N", "keys", {16, 32, 64, 128}}));
  ASSERT_EQ(m->constraints.size(), 1u);
  ASSERT_EQ(m->supports.size(), 1u);
  ASSERT_EQ(m->scratch.size(), 1u);
  EXPECT_EQ(m->scratch[0].binding, 8u);
  ASSERT_EQ(m->passes.size(), 1u);
  EXPECT_EQ(m->passes[0].grid, (std::array<std::string, 3>{"tiles", "batch * heads_q", "1"}));
  EXPECT_EQ(m->passes[0].constants, (std::map<std::string, std::string>{{"WORKGROUP", "threads"}, {"N", "3"}}));
  EXPECT_EQ(m->passes[0].defines.at("WITH_X"), "1");
  EXPECT_EQ(m->passes[0].when, "seq_q > 1");
  EXPECT_EQ(m->passes[0].subgroup_size, "32");
  ASSERT_EQ(m->configs.size(), 1u);
  EXPECT_EQ(m->configs[0].values.at("BLOCK_N"), 128);
}

TEST(Manifest, ErrorsNameFileLineAndKey) {
  struct Case {
    std::string from, to, says;
  };
  const std::vector<Case> cases = {
      {"title = \"Toy\"", "titel = \"Toy\"", "unknown key 'titel'"},
      {"summary = \"A variant for tests\"", "summary = 7", "toy/manifest.toml:3: 'summary' must be a string"},
      {"meaning = \"rows\"", "meaning = \"rows\"\ndefault = 16",
       "toy/manifest.toml:18: parameter 'BLOCK_M': unknown key 'default'"},
      {"meaning = \"rows\"", "meaning = \"rows\"\npreamble = \"\"", "a key of the file stands above its first"},
      {"values = [16, 32, 64, 128]", "values = [16, \"32\"]",
       "toy/manifest.toml:18: parameter 'BLOCK_M': 'values' must be an integer"},
      {"values = [16, 32, 64, 128]", "values = [32, 16]", "must ascend"},
      {"values = [16, 32, 64, 128]", "values = []", "needs 'values'"},
      {"because = \"BLOCK_N", "becuse = \"BLOCK_N", "unknown key 'becuse'; known here: because, require"},
      {"because = \"head_dim is {head_dim}, and 256 is the most\"", "",
       "toy/manifest.toml:11: supports: needs the key 'because'"},
      {"binding = 8", "binding = 3", "binding 3 is not in 8..31"},
      {"shader = \"toy.comp\"", "shader = \"nosuch.comp\"", "there is no file 'nosuch.comp'"},
      {"grid = [\"tiles\", \"batch * heads_q\"]", "grid = []", "'grid' needs one to three"},
      {"dtypes = [\"f32\", \"f16\"]", "dtypes = [\"f64\"]", "names 'f64'"},
      {"title = \"Toy\"", "title = \"Toy\"\noptions = [\"windows\"]",
       "'options' names 'windows'; known are window, softcap, sinks, mask, alibi, packed_kv, mla, topk"},
      {"name = \"wide\"", "name = \"default\"", "default, tuned and all are taken"},
      {"name = \"BLOCK_N\"", "name = \"BLOCK_M\"", "two parameters are named 'BLOCK_M'"},
      {"title = \"Toy\"", "title = \"Toy", "toy/manifest.toml:2:"},
  };
  for (const auto& c : cases) {
    VariantSource source = toy();
    replace(source, "manifest.toml", c.from, c.to);
    const std::string message = failure(source);
    EXPECT_TRUE(has(message, c.says)) << c.to << "\n  gave: ";
    EXPECT_EQ(message.rfind("toy/manifest.toml:", 0), 0u) << message;
  }
  VariantSource none = toy();
  none.files.erase("manifest.toml");
  EXPECT_TRUE(has(failure(none), "toy/manifest.toml"));
}

TEST(Docs, EveryManifestKeyIsNamed) {
  std::ifstream in(ATTNSCOPE_SOURCE_DIR "/docs/variants.md");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  // The reader lists the keys it knows when it meets one that it does not.
  const auto known_after = [&](std::string_view from, std::string_view to) {
    VariantSource source = testing::toy();
    testing::replace(source, "manifest.toml", from, to);
    const auto m = parse_manifest(source);
    EXPECT_FALSE(m);
    const size_t at = m ? 0 : m.error().message.find("known here: ");
    return m ? std::string() : m.error().message.substr(at + 12);
  };
  for (const std::string& list :
       {known_after("title = ", "nosuch = 1\ntitle = "), known_after("meaning = ", "nosuch = 1\nmeaning = "),
        known_after("shader = ", "nosuch = 1\nshader = "), known_after("purpose = ", "nosuch = 1\npurpose = ")}) {
    size_t at = 0;
    while (at < list.size()) {
      const size_t end = std::min(list.find(", ", at), list.size());
      const std::string key = list.substr(at, end - at);
      const bool named =
          text.find("`" + key + "`") != std::string::npos || text.find("[" + key + "]") != std::string::npos;
      EXPECT_TRUE(named) << key;
      at = end + 2;
    }
  }
}

}  // namespace attnscope::manifest_test
