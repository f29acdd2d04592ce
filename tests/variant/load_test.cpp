#include "tests/variant/variant_test.hpp"

namespace attnscope::load_test {

using namespace testing;

TEST(Load, MismatchesNameBothSides) {
  std::string lets;
  for (int i = 0; i < 200; ++i) lets += fmt::format("L{} = 1\n", i);
  expect_faults(
      toy(),
      {
          // A manifest name that the SPIR-V lacks.
          {"name = \"BLOCK_N\"\n", "name = \"BLOCK_X\"\n", "toy/toy.comp|'BLOCK_N'|toy/manifest.toml|BLOCK_X"},
          {"const uint BLOCK_N = 32;", "const uint BLOCK_NN = 32;", "'BLOCK_N' : undeclared|toy/toy.comp:", "toy.comp"},
          {"WORKGROUP = \"threads\"", "WORKGROUP = \"threads\", EXTRA = 1", "'EXTRA'|toy/toy.comp|manifest.toml"},
          // A name in the SPIR-V that nothing binds.
          {"HEAD_DIM = 64;", "NEW = 64;\n#define HEAD_DIM NEW", "'NEW'", "toy.comp"},
          {"uint seq_kv; float scale;", "uint seq_kv; float scale; uint nosuch;", "push constant 'nosuch'|toy/toy.comp",
           "toy.comp"},
          {"binding = 8", "binding = 9", "binding 9|toy/toy.comp|[[scratch]]", "toy.comp"},
          // Defaults and expressions.
          {"BLOCK_M = 32", "BLOCK_M = 48", "default 48|16, 32, 64, 128|'BLOCK_M'", "toy.comp"},
          {"require = \"head_dim <= 256\"", "require = \"BLOCK_M <= 256\"", "'BLOCK_M'|problem"},
          {"require = \"BLOCK_N <= 2 * BLOCK_M\"", "require = \"BLOCK_Q <= 2\"", "'BLOCK_Q'"},
          {"tiles = \"ceil_div(seq_q, BLOCK_M)\"", "tiles = \"ceil_div(seq_q, BLOCK_Q)\"", "'tiles'|'BLOCK_Q'"},
          {"threads = ", "head_dim = ", "'head_dim'|known already"},
          {"grid = [\"tiles\"", "grid = [\"tilez\"", "grid|'tilez'"},
          {"[let]\n", "[let]\n" + lets, "entries of let; at most 128"},
          {"BLOCK_N = 128 }", "BLOCK_N = 100 }", "'wide'|BLOCK_N=100"},
          {"BLOCK_N = 128 }", "BLOCK_Q = 128 }", "'wide'|'BLOCK_Q'"},
          {"extra_bytes = \"tiles * 10\"", "extra_bytes = \"tiles * x\"", "'x'"},
          {"BLOCK_N = 128 }", "BLOCK_N = 128 }\nsuits = \"sequence > 100\"", "unknown name 'sequence'"},
          {"title = ", "features = [\"shader_f16\", \"cooopmat\"]\ntitle = ", "'cooopmat'|coopmat2_tensor"},
          // The shader's own errors carry its file and line.
          {"barrier();", "barrier()", "toy/toy.comp:16:", "toy.comp"},
          {"common/size.glsl", "common/nosuch.glsl", "toy/toy.comp:11:|common/nosuch.glsl", "toy.comp"},
      });
}

TEST(Load, NamesAreNames) {
  for (const char* name : {"../../pwn", "/abs", "a/b", "a b", "-a", ".a", "a\\u0000", "\\u00e4", "a.b"})
    for (const char* was : {"name = \"main\"", "name = \"wide\"", "name = \"BLOCK_N\""})
      EXPECT_TRUE(has(failure(changed(toy(), was, fmt::format("name = \"{}\"", name))), "is no name"))
          << name << " for " << was;
  expect_faults(toy(), {{"name = \"partial\"", "name = \"../x\"", "is no name"},
                        {"tiles = ", "\"a b\" = 5\ntiles = ", "is no name"},
                        {"constants = ", "defines = { \"A B\" = 1 }\nconstants = ", "is no name"}});
  const VariantSource source = changed(changed(toy(), "name = \"partial\"", "name = \"partial sums\""),
                                       "name = \"main\"", "name = \"Main-2_b\"");
  EXPECT_EQ(Loaded(source)->manifest.passes[0].name, "Main-2_b") << "a buffer's name is a label";
  EXPECT_EQ(not_a_name(std::string(64, 'x')), "");
  EXPECT_NE(not_a_name(std::string(65, 'x')), "");
  EXPECT_NE(not_a_name(""), "");
  EXPECT_EQ(not_a_variant_name("row"), "");
  for (const char* taken : {"all", "auto", "common", "a/b"}) EXPECT_NE(not_a_variant_name(taken), "") << taken;
}

TEST(Load, TheHashSeesWhatTakesPartAloneAndNotWhatOnlyChoosesAmongVariantsOrConfigs) {
  const auto with = [](const std::string& text, const std::string& more) {
    VariantSource s = toy();
    std::string& manifest = s.files.at("manifest.toml");
    manifest = text + manifest + more;
    return Loaded(s)->hash;
  };
  const std::string before = with("", "");
  VariantSource more = toy(), other = toy();
  more.common["unused.glsl"] = "// not included";
  EXPECT_EQ(Loaded(more)->hash, before);
  other.common["size.glsl"] = "#define SIZE 8\n";
  EXPECT_NE(Loaded(other)->hash, before);
  EXPECT_EQ(with("rank = 'seq_q > 1 ? 7 : 3'\n", ""), before);
  EXPECT_EQ(with("# a remark\n", "\n\n[[config]]\nname = 'other'\npurpose = 'tests'\nsuits = 'causal'\n"), before);
  EXPECT_NE(with("", "\n[[constraint]]\nrequire = 'head_dim > 1'\nbecause = 'tests'\n"), before);
}

TEST(Config, TextForms) {
  const Variant v = Loaded(toy()).variant;
  const auto config = [&](const char* text) { return *must(parse_config(v, text)); };
  for (const auto& [text, meant] : {std::pair{"default", "BLOCK_M=32,BLOCK_N=32"},
                                    {"wide", "BLOCK_M=64,BLOCK_N=128"},
                                    {"BLOCK_N=16", "BLOCK_M=32,BLOCK_N=16"},
                                    {" BLOCK_M = 64 , BLOCK_N=16 ", "BLOCK_M=64,BLOCK_N=16"},
                                    {" ", "BLOCK_M=32,BLOCK_N=32"}})
    EXPECT_EQ(to_text(config(text)), meant) << text;
  EXPECT_EQ(config_name(v, config("BLOCK_M=64,BLOCK_N=128")), "wide");
  EXPECT_EQ(config_name(v, default_config(v)), "default");
  EXPECT_EQ(config_name(v, config("BLOCK_N=16")), "");
  for (const auto& [text, says] : {std::pair{"BLOCK_M=33", "16, 32, 64, 128, not 33"},
                                   {"tuned", "for bench and verify alone"},
                                   {"BLOCK_Q=16", "BLOCK_M (16 32 64 128)"},
                                   {"narrow", "default, wide"},
                                   {"BLOCK_M=x", "not an integer"},
                                   {"BLOCK_M=16,,", "no parameter ''"},
                                   {"BLOCK_M=16,BLOCK_M=32", "given twice"}})
    EXPECT_TRUE(fails(parse_config(v, text), ErrorKind::bad_input, says)) << text;
}

TEST(Sources, LaterFoldersWinAndShareTheFirstCommon) {
  const TempDir dir;
  const fs::path root = dir.path();
  write_file(root / "a/common/x.glsl", "A");
  write_file(root / "a/one/manifest.toml", "from a");
  write_file(root / "a/two/manifest.toml", "from a");
  write_file(root / "a/two/main.comp", "code");
  write_file(root / "a/two/notes.md", "not a shader");
  write_file(root / "b/two/manifest.toml", "from b");
  const auto both = must(read_variant_sources({root / "a", root / "b"}));
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ(std::tuple((*both)[0].name, (*both)[1].files.at("manifest.toml"), (*both)[1].files.count("main.comp"),
                       (*both)[1].common.at("x.glsl"), (*both)[0].shadows),
            std::tuple("one", "from b", 0u, "A", ""));
  EXPECT_EQ((*both)[1].shadows, fs::weakly_canonical(root / "a/two").string()) << "who is replaced is never a secret";
  const auto own = must(read_variant_sources({root / "a", root / "a/two/"}));
  EXPECT_EQ(own->size(), 2u);
  EXPECT_EQ((*own)[1].files.count("notes.md"), 0u);
  EXPECT_EQ((*own)[1].shadows, "") << "the same folder, given twice";
  EXPECT_TRUE(fails(read_variant_sources({root / "nosuch"}), "nosuch"));
}

TEST(Sources, ALinkThatLeadsOutOrALongFileCostsItsVariantAlone) {
  const TempDir dir;
  const fs::path root = dir.path();
  write_file(root / "secret", "key");
  write_file(root / "s/common/x.glsl", "X");
  for (const char* name : {"good", "leaky", "loop", "gone", "vast", "manifest"})
    write_file(root / "s" / name / "main.comp", name == std::string("vast") ? std::string(2 << 20, ' ') : "code");
  for (const char* name : {"good", "leaky", "loop", "gone", "vast"})
    write_file(root / "s" / name / "manifest.toml", "m");
  fs::create_symlink("main.comp", root / "s/good/same.comp");
  fs::create_symlink("../common/x.glsl", root / "s/good/common.glsl");
  fs::create_symlink(root / "secret", root / "s/leaky/secret.glsl");
  fs::create_symlink("loop.glsl", root / "s/loop/loop.glsl");
  fs::create_symlink(root / "nowhere", root / "s/gone/gone.glsl");
  fs::create_symlink(root / "secret", root / "s/manifest/manifest.toml");
  const auto read = must(read_variant_sources({root / "s"}));
  ASSERT_EQ(read->size(), 6u);
  for (const VariantSource& source : *read) {
    if (source.name == "good") {
      EXPECT_EQ(source.unreadable, "");
      EXPECT_EQ(source.files.at("same.comp"), "code");
      EXPECT_EQ(source.files.at("common.glsl"), "X");
      continue;
    }
    for (const auto& [name, text] : source.files) EXPECT_NE(text, "key") << source.name << "/" << name;
    EXPECT_EQ(failure(source), source.unreadable);
    EXPECT_TRUE(has(source.unreadable, source.name == "vast" ? "1,048,576" : "is a link")) << source.name;
  }
}

TEST(Load, EachLetAndConstantIsLookedAtOnce) {
  // 62 lets, or constants, that each name the next two are 10^12 paths.
  std::string lets, constants, more;
  for (int i = 0; i < 60; ++i) {
    lets += fmt::format("L{} = \"L{} + L{}\"\n", i, i + 1, i + 2);
    constants += fmt::format(", C{} = \"C{} + C{}\"", i, i + 1, i + 2);
    more += fmt::format("layout(constant_id = {}) const uint C{} = 1;\n", 100 + i, i);
  }
  VariantSource source = changed(toy(), "[let]\n", "[let]\n" + lets + "L60 = 1\nL61 = \"seq_q\"\n");
  source = changed(source, "[[supports]]\n", "[[supports]]\nrequire = \"L0 > 0\"\nbecause = \"b\"\n[[supports]]\n");
  EXPECT_EQ(Loaded(source)->parameters.size(), 2u);
  constants += ", C60 = 1, C61 = \"seq_q - seq_q\"";
  more += "layout(constant_id = 160) const uint C60 = 1;\nlayout(constant_id = 161) const uint C61 = 1;\n";
  source = changed(toy(), "constants = { WORKGROUP = \"threads\"", "constants = { WORKGROUP = \"threads\"" + constants);
  source = changed(source, "\"tiles\"", "\"max(tiles, min(C0, 1))\"");
  source = changed(source, "layout(constant_id = 0)", more + "layout(constant_id = 0)", "toy.comp");
  (void)Loaded(source).try_plan("1x1x64x64");
}

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
  expect_faults(
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
  EXPECT_TRUE(has(failure(none), "toy/manifest.toml"));
}

TEST(Docs, EveryManifestKeyIsNamed) {
  const std::string text = read_file(shipped("docs/variants.md"));
  // The reader lists the keys it knows when it meets one that it does not.
  const auto known_after = [&](const std::string& from) {
    const std::string message = failure(changed(toy(), from, "nosuch = 1\n" + from));
    return message.substr(message.find("known here: ") + 12);
  };
  for (const char* from : {"title = ", "meaning = ", "shader = ", "purpose = "})
    for (std::string key : words(known_after(from))) {
      if (key.ends_with(',')) key.pop_back();
      EXPECT_TRUE(has(text, "`" + key + "`") || has(text, "[" + key + "]")) << key;
    }
}

}  // namespace attnscope::load_test
