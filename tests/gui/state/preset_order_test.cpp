#include "app/gui/state/preset_order.hpp"

#include <string>

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

}  // namespace
}  // namespace attnscope::gui
