// The example of docs/variants.md is a variant like any other: taken from the text, loaded and planned.
#include <fstream>
#include <iterator>

#include "tests/variant/variant_test.hpp"

namespace attnscope {
namespace {

std::string code_block(const std::string& text, const std::string& heading) {
  const size_t at = text.find("`" + heading + "`\n```");
  EXPECT_NE(at, std::string::npos) << heading;
  if (at == std::string::npos) return {};
  const size_t first = text.find('\n', text.find("```", at)) + 1;
  return text.substr(first, text.find("```", first) - first);
}

TEST(Docs, TheExampleWorks) {
  std::ifstream in(ATTNSCOPE_SOURCE_DIR "/docs/variants.md");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto shipped = read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"});
  ASSERT_TRUE(shipped);
  VariantSource source{"mine", {}, shipped->front().common};
  source.files["manifest.toml"] = code_block(text, "mine/manifest.toml");
  source.files["mine.comp"] = code_block(text, "mine/mine.comp");
  Compiler compiler;
  const auto v = load_variant(source, compiler);
  ASSERT_TRUE(v) << v.error().message;
  for (const auto& dtype : v->manifest.dtypes) {
    const Problem p = testing::problem("2x6x129x33:kv=2:causal:" + dtype);
    const auto plan = make_plan(*v, p, default_config(*v), testing::small_gpu(), compiler);
    EXPECT_TRUE(plan) << plan.error().message;
  }
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

}  // namespace
}  // namespace attnscope
