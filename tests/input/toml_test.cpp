#include "engine/input/toml.hpp"

#include <gtest/gtest.h>

#include <string>

namespace attnscope {
namespace {

std::string dotted(size_t parts) {
  std::string key = "a";
  for (size_t i = 1; i < parts; ++i) key += ".a";
  return key;
}

const TomlFault* fault(const std::variant<toml::table, TomlFault>& parsed) { return std::get_if<TomlFault>(&parsed); }

TEST(Toml, KeysOfTooManyPartsAreRefusedWithTheirLine) {
  for (const std::string& text :
       {"x = 1\n" + dotted(50000) + " = 1\n", "x = 1\n[" + dotted(50000) + "]\n", "x = 1\n[[" + dotted(50000) + "]]\n",
        "x = 1\ny = { " + dotted(50000) + " = 1 }\n", "x = '''\n'''" + dotted(50000) + " = 1\n"}) {
    const auto parsed = parse_toml(text);
    ASSERT_TRUE(fault(parsed)) << text.substr(0, 30);
    EXPECT_EQ(fault(parsed)->line, 2u) << text.substr(0, 30);
    EXPECT_NE(fault(parsed)->what.find("more than 32 parts"), std::string::npos) << fault(parsed)->what;
  }
  EXPECT_FALSE(fault(parse_toml(dotted(32) + " = 1\n")));
}

TEST(Toml, DotsOfTextsNumbersAndCommentsAreNoKeys) {
  std::string dots(100, '.'), numbers;
  for (int i = 0; i < 100; ++i) numbers += "1.5, ";
  const std::string text = "# " + dots + "\na = \"" + dots + "\\\"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"\n\"" +
                           dots + "\n" + dots + "\"\"\"\"\nd = '''" + dots + "''" + dots + "'''\ne = [" + numbers +
                           "]\n\"" + dots + "\" = 1\n";
  const auto parsed = parse_toml(text);
  ASSERT_FALSE(fault(parsed)) << fault(parsed)->line << ": " << fault(parsed)->what;
  EXPECT_EQ(std::get<toml::table>(parsed)["e"].as_array()->size(), 100u);
}

TEST(Toml, DeepValuesAndLongTextsAreFaultsToo) {
  EXPECT_TRUE(fault(parse_toml("a = " + std::string(60000, '['))));
  std::string tables = "a = ";
  for (int i = 0; i < 60000; ++i) tables += "{a = ";
  EXPECT_TRUE(fault(parse_toml(tables)));
  EXPECT_TRUE(fault(parse_toml("a = \"" + std::string(2 << 20, 'x') + "\"")));
  const auto open = parse_toml("b = 1\na = \"not closed");
  ASSERT_TRUE(fault(open));
  EXPECT_EQ(fault(open)->line, 2u);
}

}  // namespace
}  // namespace attnscope
