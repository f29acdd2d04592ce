#include "engine/variant/manifest.hpp"
#include "tests/files.hpp"
#include "tests/variant/variant_test.hpp"

namespace attnscope::manifest_test {

using testing::changed;
using testing::toy;

TEST(Manifest, ReadsEveryKey) {
  VariantSource source = toy();
  source.files["manifest.toml"] =
      "system = \"T\"\noptions = [\"window\", \"packed_kv\"]\nfeatures = [\"coopmat\"]\nnondeterministic = \"why\"\n"
      "precision = { accumulate = \"f16\", probabilities = \"dtype\", kv = \"f16\", f16_pairs = true }\n" +
      source.files["manifest.toml"];
  source = changed(source, "constants = { WORKGROUP = \"threads\" }",
                   "constants = { WORKGROUP = \"threads\", N = 3 }\ndefines = { WITH_X = true }\nwhen = \"seq_q > 1\"\n"
                   "subgroup_size = 32");
  const auto m = must(parse_manifest(source));
  EXPECT_EQ(
      std::tuple(m->title, m->system, m->features, m->dtypes, m->options, m->accumulate, m->probabilities, m->kv,
                 m->f16_pairs, m->nondeterministic, m->let.at("threads")),
      std::tuple("Toy", "T", std::vector<std::string>{"coopmat"}, (std::vector<std::string>{"f32", "f16"}),
                 (std::vector<std::string>{"window", "packed_kv"}), "f16", "dtype", "f16", "1", "why", "4 * BLOCK_M"));
  ASSERT_EQ(std::tuple(m->parameters.size(), m->constraints.size(), m->supports.size(), m->scratch.size(),
                       m->passes.size(), m->configs.size()),
            std::tuple(2u, 1u, 1u, 1u, 1u, 1u));
  EXPECT_EQ(m->parameters[1], (ParameterDecl{"BLOCK_N", "keys", {16, 32, 64, 128}}));
  EXPECT_EQ(m->scratch[0].binding, 8u);
  EXPECT_EQ(m->passes[0].grid, (std::array<std::string, 3>{"tiles", "batch * heads_q", "1"}));
  EXPECT_EQ(m->passes[0].constants, (std::map<std::string, std::string>{{"WORKGROUP", "threads"}, {"N", "3"}}));
  EXPECT_EQ(std::tuple(m->passes[0].defines.at("WITH_X"), m->passes[0].when, m->passes[0].subgroup_size,
                       m->configs[0].values.at("BLOCK_N")),
            std::tuple("1", "seq_q > 1", "32", 128));
}

TEST(Manifest, ErrorsNameFileLineAndKey) {
  testing::expect_faults(
      toy(),
      {
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
      });
  VariantSource none = toy();
  none.files.erase("manifest.toml");
  EXPECT_TRUE(has(testing::failure(none), "toy/manifest.toml"));
}

TEST(Docs, EveryManifestKeyIsNamed) {
  const std::string text = read_file(shipped("docs/variants.md"));
  // The reader lists the keys it knows when it meets one that it does not.
  const auto known_after = [&](const std::string& from) {
    const std::string message = testing::failure(changed(toy(), from, "nosuch = 1\n" + from));
    return message.substr(message.find("known here: ") + 12);
  };
  for (const char* from : {"title = ", "meaning = ", "shader = ", "purpose = "})
    for (std::string key : words(known_after(from))) {
      if (key.ends_with(',')) key.pop_back();
      EXPECT_TRUE(has(text, "`" + key + "`") || has(text, "[" + key + "]")) << key;
    }
}

}  // namespace attnscope::manifest_test
