// What would hang, crash or fill memory, with the real binary: each costs itself, with a reason.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <chrono>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// A copy of the shipped `row` under another name, its shader with `more` before its entry point.
void write_row(const std::filesystem::path& folder, const std::string& more) {
  const std::string shader = read_file(shipped("shaders/row/row.comp"));
  write_file(folder / "row.comp", replaced(shader, "void main() {", more + "\nvoid main() {"));
  write_file(folder / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
}

std::string macro_bomb() {
  std::string text = "#define A0 1.0 +\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = " A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + before + before + "\n";
  }
  return text + "float bomb() { return A39 1.0; }";
}

TEST(BadFolders, EachCostsItselfWithAReason) {
  const TempDir dir;
  std::string sum = "g", key = "a";
  for (int i = 0; i < 200000; ++i) sum += "+g";
  for (int i = 0; i < 50000; ++i) key += ".a";
  write_row(dir.path() / "bomb", macro_bomb());
  write_row(dir.path() / "sum", "shared float g;\nvoid sum() { g = " + sum + "; }");
  write_row(dir.path() / "key", "");
  write_file(dir.path() / "key" / "manifest.toml", key + " = 1\n");
  write_row(dir.path() / "good", "");
  const Finished f = run_binary({"variants", "--device", "cpu", "--shaders", dir.path(), "--json"},
                                "XDG_CACHE_HOME=" + quoted(dir.path() / "cache"));
  EXPECT_EQ(f.code, 2) << f.err;
  std::map<std::string, std::string> errors;
  ASSERT_TRUE(json::accept(f.out)) << f.out << f.err;
  const json document = json::parse(f.out);
  for (const json& v : document.at("variants")) errors[v.at("name")] = v.at("error");
  EXPECT_NE(errors.at("bomb").find("compiling bomb/row.comp took more than "), std::string::npos) << errors.at("bomb");
  EXPECT_TRUE(errors.at("sum").starts_with("The worker that was to load it ")) << errors.at("sum");
  EXPECT_NE(errors.at("key").find("key/manifest.toml:1: a key has more than 32 parts"), std::string::npos)
      << errors.at("key");
  for (const auto& [name, error] : errors) {
    const bool bad = name == "bomb" || name == "sum" || name == "key";
    EXPECT_EQ(error.empty(), !bad) << name << ": " << error;
  }
}

TEST(BadFiles, DeepAndEndlessOnesAreOneErrorEach) {
  const TempDir dir;
  write_file(dir.path() / "deep.json", std::string(60000, '['));
  const auto bench = [&](const std::string& baseline) {
    return run_binary(
        {"bench", "--device", "cpu", "--problem", "1x1x8x16", "--variant", "row", "--baseline", baseline});
  };
  const Finished deep = bench(dir.path() / "deep.json");
  EXPECT_EQ(deep.code, 2) << deep.err;
  EXPECT_NE(deep.err.find("nested more than 64 deep"), std::string::npos) << deep.err;
  const Finished endless = bench("/dev/zero");
  EXPECT_EQ(endless.code, 2) << endless.err;
  EXPECT_NE(endless.err.find("does not end within 268,435,456 bytes"), std::string::npos) << endless.err;
}

/// `row` with nine more parameters of 64 values, and a constraint over all of them that none meets: 10^18 configs.
void write_hopeless(const std::filesystem::path& dir) {
  std::string manifest = read_file(shipped("shaders/row/manifest.toml")), constants, sum = "0u", total = "0.5", values;
  for (int i = 0; i < 64; ++i) values += std::to_string(i) + ", ";
  for (const char c : std::string("ABCDEFGHI")) {
    const std::string name(1, c);
    manifest += "\n[[parameter]]\nname = \"" + name + "\"\nmeaning = \"m\"\nvalues = [" + values + "]\n";
    constants += "layout(constant_id = " + std::to_string(20 + c - 'A') + ") const uint " + name + " = 0;\n";
    sum += " + " + name;
    total += " + " + name;
  }
  manifest += "\n[[constraint]]\nrequire = \"" + total + " == 1000\"\nbecause = \"no sum is\"\n";
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "#include \"common/bindings.glsl\"", constants + "#include \"common/bindings.glsl\"");
  shader = replaced(shader, "float factor = score_scale();", "float factor = score_scale() + float(" + sum + ");");
  write_file(dir / "hopeless" / "row.comp", shader);
  write_file(dir / "hopeless" / "manifest.toml", manifest);
}

TEST(HopelessSpace, IsGivenUp) {
  const TempDir dir;
  write_hopeless(dir.path());
  const std::vector<std::string> words{"verify",   "--device", "cpu",       "--shaders", dir.path(), "--variant",
                                       "hopeless", "--quiet",  "--problem", "1x2x9x16",  "--config"};
  std::vector<std::string> plain = words, all = words;
  plain.push_back("default");
  all.push_back("all");
  const Finished one = run_binary(plain);
  EXPECT_EQ(one.code, 2) << one.err;
  EXPECT_NE(one.err.find("farther ones were not tried"), std::string::npos) << one.err;
  const Finished every = run_binary(all);
  EXPECT_EQ(every.code, 2) << every.err;
  EXPECT_NE(every.err.find("only the first"), std::string::npos) << every.err;
  EXPECT_NE(every.err.find("planning them took more than 10 s"), std::string::npos) << every.err;
}

}  // namespace
}  // namespace attnscope
