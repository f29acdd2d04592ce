#include "app/gui/panels/problem.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnscope::gui {
namespace {

std::string names(const std::vector<ProblemPreset>& presets, bool software) {
  std::string out;
  for (const ProblemPreset* p : in_order(presets, software)) out += p->name + " ";
  return out;
}

TEST(PresetOrder, WhatSuitsTheDeviceComesFirstAndTheRestStaysAsItIs) {
  const std::vector<ProblemPreset> presets = {{"battery", "", {}},   {"long", "", {}},           {"quick", "", {}},
                                              {"start-gpu", "", {}}, {"start-software", "", {}}, {"zoo", "", {}}};
  EXPECT_EQ(names(presets, true), "start-software quick battery long start-gpu zoo ");
  EXPECT_EQ(names(presets, false), "start-gpu quick battery long start-software zoo ");
  EXPECT_EQ(names({{"mine", "", {}}}, true), "mine ");
}

TEST(PresetOrder, WordsNarrowTheListByTextNameAndSummary) {
  const std::vector<ProblemPreset> presets = {
      {"decode", "One new query", {*parse_problem("1x8x4096x64:q=1:f16"), *parse_problem("4x8x4096x128:q=1:f32")}},
      {"long", "Long sequences", {*parse_problem("1x8x65536x64:causal:f16")}}};
  const auto all = in_order(presets, true);
  const auto found = [&](const char* words) {
    std::string out;
    for (const PresetRow& row : find_presets(all, words)) out += fmt::format("{}.{} ", row.preset->name, row.problem);
    return out;
  };
  EXPECT_EQ(found(""), "decode.0 decode.1 long.0 ");
  EXPECT_EQ(found("F16"), "decode.0 long.0 ");
  EXPECT_EQ(found("new  f32"), "decode.1 ") << "of the summary, and of its own text";
  EXPECT_EQ(found("Long"), "long.0 ");
  EXPECT_EQ(found("causal f32"), "");
}

}  // namespace
}  // namespace attnscope::gui
