#include "engine/record/terminal.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "engine/record/units.hpp"

namespace attnscope {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TextTable letters() {
  TextTable t;
  t.columns = {{"name", false, 0, 8}, {"µ", true}, {"second", true, 2}, {"third", true, 1}};
  t.rows = {{"a name of some length", "12.5", "abcdefghij", "x"}, {"ä–ö–ü", "1", "k", "abcdefghijklmnopqrst"}};
  return t;
}

TEST(Terminal, ColumnsGiveUpRoomThenGoByRank) {
  const auto widths = [](size_t width) {
    const TextTable t = letters();
    const std::vector<size_t> natural{21, 4, 10, 20};
    return fit_columns(t.columns, natural, t.keys, width);
  };
  const auto one = [](std::vector<FittedColumn> part) {
    return std::vector<std::vector<FittedColumn>>{std::move(part)};
  };
  EXPECT_EQ(widths(61).parts, one({{0, 21}, {1, 4}, {2, 10}, {3, 20}}));
  EXPECT_EQ(widths(50).parts, one({{0, 10}, {1, 4}, {2, 10}, {3, 20}})) << "the name is cut first";
  EXPECT_EQ(widths(47).parts, one({{0, 19}, {1, 4}, {3, 20}})) << "then the second goes, and the name has room again";
  EXPECT_EQ(widths(47).left_out, std::vector<size_t>{2});
  EXPECT_EQ(widths(20).parts, one({{0, 14}, {1, 4}}));
  EXPECT_EQ(widths(20).left_out, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(widths(12).parts, one({{0, 6}, {1, 4}})) << "hard pressed, the name goes below its least";
}

TEST(Terminal, WhatMayNotGoIsShownInParts) {
  TextTable t = letters();
  for (auto& column : t.columns) column.expendable = 0, column.least = 0;
  const std::string whole = render_terminal(t, 36);
  const auto text = lines(whole);
  ASSERT_EQ(text.size(), 9u) << whole;
  EXPECT_TRUE(text[0].starts_with("name ") && text[0].ends_with("second")) << whole;
  EXPECT_EQ(text[4], "");
  EXPECT_TRUE(text[5].starts_with("name ") && text[5].ends_with("third")) << "the key begins every part\n" << whole;
  EXPECT_TRUE(text[8].ends_with("abcdefghijklmnop…")) << whole;
}

TEST(Terminal, SaysWhatHasNoRoom) {
  const std::string text = render_terminal(letters(), 30);
  EXPECT_EQ(text.find("abcdefghij"), std::string::npos);
  EXPECT_NE(text.find("No room here for: second,\n  third."), std::string::npos) << text;
  EXPECT_EQ(render_terminal(letters()).find("No room"), std::string::npos);
}

TEST(Terminal, CutsAtCharactersAndNotAtBytes) {
  EXPECT_EQ(cut_to("12.10–12.50", 11), "12.10–12.50");
  EXPECT_EQ(cut_to("12.10–12.50", 7), "12.10–…");
  EXPECT_EQ(cut_to("µµµ", 2), "µ…");
  EXPECT_EQ(cut_to("µ", 0), "");
  EXPECT_EQ(cut_to("", 3), "");
}

TEST(Terminal, NotesAreBrokenAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("a\nb", 8), "a b\n");
  EXPECT_EQ(wrapped("abcdefghijkl µµµµµµµµµ", 8), "abcdefgh\n  ijkl\n  µµµµµµ\n  µµµ\n");
  EXPECT_EQ(wrapped("", 8), "");
}

// Cells, titles, notes of every length and with every kind of character: never wider than asked, nothing but spaces
// lost of the notes.
TEST(Terminal, NoLineIsEverTooWide) {
  const std::vector<std::string> words{"µs",  "12.10–12.50", "1x8x64x64:kv=2:causal:f32", "a b c",
                                       "ééé", "…",           std::string(300, 'x'),       "line\nbreak"};
  uint32_t state = 7;
  const auto random = [&](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  const auto text_of = [&](uint32_t most) {
    std::string text;
    for (uint32_t i = random(most + 1); i > 0; --i)
      text += words[random(uint32_t(words.size()))] + (random(2) ? " " : "");
    return text;
  };
  for (int round = 0; round < 150; ++round) {
    TextTable t;
    t.title = text_of(4);
    t.heading = {text_of(9)};
    t.notes = {text_of(20), text_of(3)};
    for (uint32_t c = 1 + random(15); c > 0; --c)
      t.columns.push_back({text_of(1), random(2) == 1, int(random(4)), random(2) * random(30)});
    t.keys = random(4);
    for (uint32_t r = random(4); r > 0; --r) {
      std::vector<std::string> row;
      for (size_t c = 0; c < t.columns.size(); ++c) row.push_back(text_of(2));
      t.rows.push_back(row);
    }
    for (size_t width = 20; width <= 200; width += 1 + width / 9)
      for (const std::string& line : lines(render_terminal(t, width)))
        EXPECT_LE(display_width(line), width) << line << "\nround " << round;
  }
}

}  // namespace
}  // namespace attnscope
