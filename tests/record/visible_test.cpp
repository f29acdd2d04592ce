#include "engine/visible.hpp"

#include <gtest/gtest.h>

#include "engine/record/json_fields.hpp"
#include "engine/record/table.hpp"
#include "engine/record/terminal.hpp"

namespace attnscope {
namespace {

TEST(Visible, WhatATerminalWouldObeyIsShown) {
  EXPECT_EQ(visible("\x1b]0;owned\a"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(visible("\x1b[2Jgone\x7f\b"), "\\x1b[2Jgone\\x7f\\x08");
  EXPECT_EQ(visible("over\rwritten"), "over\\x0dwritten");
  EXPECT_EQ(visible("C1: \u009b31m"), "C1: \\x9b31m");
  EXPECT_EQ(visible("raw C1: \x9b"
                    "31m"),
            "raw C1: \\x9b31m");
  EXPECT_EQ(visible("\u202eevil\u2066 \u200f \u061c"), "\\u202eevil\\u2066 \\u200f \\u061c");
  EXPECT_EQ(visible("tag \U000e0041"), "tag \\U000e0041");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, LettersStayAsTheyAre) {
  const std::string text = "µs – ä ß 日本語 עברית العربية 👩‍🔬 ×\n\tindented";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(visible("line\r\nline"), "line\nline");
  EXPECT_EQ(visible_line("a\nb\tc\rd"), "a b c d");
}

TEST(Visible, WhatIsNoUtf8IsShownByteByByte) {
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b") << "too long a form of ESC and its like";
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate";
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80") << "cut off";
}

TEST(Visible, TablesObeyNothing) {
  TextTable t;
  t.title = "t\x1b[31m";
  t.columns = {{"n\x1b"}, {"v"}};
  t.rows = {{"a\x1b[2J\nb", "x"}};
  t.notes = {"note \x1b]52;c;\a"};
  for (const std::string& text : {render_terminal(t, 80), render_markdown(t)})
    EXPECT_EQ(text.substr(text.find('\n')).find('\x1b'), std::string::npos) << text;
  EXPECT_NE(render_terminal(t, 80).find("a\\x1b[2J b"), std::string::npos) << render_terminal(t, 80);
}

TEST(Visible, JsonEscapesThemByItsOwnRules) {
  const std::string hostile = "\x1b \u009b \u202e \U000e0041 \x7f µ";
  for (const std::string& text : {dump_line(Json{{"k", hostile}}), dump_pretty(Json{{hostile, {hostile}}})}) {
    split_controls(
        text, [&](uint32_t c, size_t, size_t) { EXPECT_EQ(c, uint32_t{'\n'}) << text; }, [](std::string_view) {});
    const auto back = parse_json(text, "it");
    ASSERT_TRUE(back) << text;
    EXPECT_NE(back->dump().find("µ"), std::string::npos);
  }
  EXPECT_EQ(parse_json(dump_line(Json(hostile)), "it")->get<std::string>(), hostile);
}

}  // namespace
}  // namespace attnscope
