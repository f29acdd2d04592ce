// Variants that change, are wrong, do not compile or cannot run: no number of another.

#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::workbench_variants_test {

TEST_F(Sampled, VariantsThatCannotRunSayWhy) {
  const auto why_not = [&](const char* name) {
    const DeviceState& known = bench.device_state;
    return known.why_not(*known.variant(name), to_text(bench.request.selection.problem)).text;
  };
  EXPECT_TRUE(has(why_not("matrix"), "coopmat"));
  EXPECT_TRUE(has(why_not("broken"), "main.comp:12"));
  EXPECT_EQ(why_not("naive"), "");
  bench.request.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.variant, "naive");
}

// --- a number belongs to its run -------------------------------------------------------------------------------------

TEST_F(Sampled, AnEditedShaderStartsAnew) {
  const std::string first = live().began->environment.shader_hash;
  world->shader = 12;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.variant() && bench.request.variant()->hash != first; }));
  EXPECT_FALSE(bench.live.timed()) << "the samples so far are of the shader before";
  ASSERT_TRUE(sampled(20));
  EXPECT_NE(live().began->environment.shader_hash, first);
  EXPECT_NEAR(median(), 12e6, 2e6) << "no sample of the shader before is left";
  for (const double ns : bench.live.timed()->series.samples()) EXPECT_GT(ns, 6e6);
}

TEST_F(Sampled, AReloadThatChangesNothingGoesOn) {
  bench.reload_shaders();
  const int runs = world->runs;
  ASSERT_TRUE(until([&] { return world->runs > runs && bench.live.timed(); }));
  EXPECT_GE(bench.live.timed()->series.taken(), 60u);
}

TEST_F(Sampled, ASyntaxErrorKeepsTheConfigAndShowsNoNumber) {
  ASSERT_TRUE(sampled(20, 64));
  world->syntax_error = true;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.request.variant() && !bench.request.variant()->error.empty(); }));
  EXPECT_FALSE(bench.live.timed());
  EXPECT_EQ(bench.request.selection.config.at("BLOCK_M"), 64) << "kept for when it loads again";
  world->syntax_error = false;
  bench.reload_shaders();
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
}

TEST_F(Sampled, WhatTurnsOutWrongLosesItsTimePinAndSamples) {
  bench.pin();
  world->wrong_results = true;
  world->shader = 2;
  bench.reload_shaders();
  ASSERT_TRUE(until([&] { return bench.live.shown() && live().verdict && !live().verdict->pass; }));
  ASSERT_TRUE(until([&] { return !bench.live.measuring(); }));
  EXPECT_FALSE(bench.live.timed());
  EXPECT_FALSE(bench.live.copy()) << "and no word";
  EXPECT_EQ(live().series.taken(), 0u);
  ASSERT_TRUE(until([&] { return bench.log.entries().back().record->outcome == Outcome::failed_verdict; }));
  EXPECT_FALSE(bench.log.entries().back().best);
  bench.pin();
  EXPECT_EQ(bench.pins.all().size(), 1u);
  size_t wrong = 0;
  for (const Record& r : bench.all_records()) {
    if (r.outcome != Outcome::failed_verdict) continue;
    ++wrong;
    EXPECT_TRUE(r.samples_ns.empty());
    EXPECT_FALSE(r.statistics);
    EXPECT_EQ(r.environment.shader_hash, "tiled-2");
  }
  EXPECT_EQ(wrong, 1u);
}

TEST_F(Sampled, ALongCompileShowsNobodysNumber) {
  world->hold_compile = true;
  bench.request.set_value("BLOCK_M", 16);
  ASSERT_TRUE(until([&] { return bench.live.shown() && bench.live.shown()->stage == "compile"; }));
  EXPECT_FALSE(bench.live.timed());
  EXPECT_EQ(bench.live.copy(), nullptr);
  world->hold_compile = false;
  ASSERT_TRUE(sampled(20));
}

TEST_F(Sampled, AVariantWhoseFolderVanishesIsWaitedForUnlessAPersonChoosesAnother) {
  ASSERT_TRUE(sampled(20, 64));
  const auto folders = [&](bool vanished) {
    world->vanished = vanished;
    const uint64_t listed = bench.device_state.variants_version();
    bench.sources_changed({"tiled"});
    return until([&] { return bench.device_state.variants_version() > listed; });
  };
  ASSERT_TRUE(folders(true));
  EXPECT_NE(bench.stuck(), "");
  EXPECT_FALSE(bench.live.shown() || bench.request_of(0)->selection);
  ASSERT_TRUE(folders(false));
  EXPECT_EQ(bench.stuck(), "");
  ASSERT_TRUE(sampled(20));
  EXPECT_EQ(live().selection.config.at("BLOCK_M"), 64);
  ASSERT_TRUE(folders(true));
  bench.request.set_variant("naive");
  ASSERT_TRUE(sampled(20));
  ASSERT_TRUE(folders(false));
  EXPECT_EQ(bench.request.selection.variant, "naive");
}

}  // namespace attnscope::gui::workbench_variants_test
