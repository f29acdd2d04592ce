// What only a real GPU can run: every shipped variant, what the driver tells of it, and where the time goes.
#include "engine/insight/fit.hpp"
#include "engine/record/preset.hpp"
#include "engine/session/session.hpp"
#include "tests/has.hpp"

namespace attnscope::shipped_test {

/// The folder with shaders/ and assets/: the binary may run where the sources are not where they were built.
fs::path data_folder() {
  const char* given = std::getenv("ATTNSCOPE_DATA");
  return given != nullptr && *given != 0 ? given : ATTNSCOPE_SOURCE_DIR;
}

/// A session on the best real GPU there is; without one these tests are skipped and say so.
struct Gpu : testing::Test {
  std::unique_ptr<Session> session;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
  void SetUp() override {
    session = make_local_session({});
    const auto opened = session->open("");
    if (!opened) GTEST_SKIP() << "no Vulkan device: " << opened.error().message;
    if (opened->type == DeviceType::software)
      GTEST_SKIP() << "no real GPU here, only " << opened->name
                   << ": matrix units, spills and occupancy cannot be seen";
    device = *opened;
    variants = *must(session->load_variants(*must(read_variant_sources({data_folder() / "shaders"}))));
    for (const VariantInfo& v : variants) EXPECT_EQ(v.error, "") << v.name;
    std::erase_if(variants, [](const VariantInfo& v) { return !v.why_not.empty(); });
  }

  std::vector<Problem> preset(const std::string& name) {
    return must(load_preset(data_folder() / "assets" / "presets", name))->problems;
  }

  static RunRequest request_of(const VariantInfo& v, const Problem& problem, const Config& config) {
    return {problem, v.name, config};
  }
  /// Verified at what suits; nullopt where the variant does not take the problem.
  std::optional<Record> verify(const VariantInfo& v, const Problem& problem, const Config& config,
                               bool resources = false) {
    const auto look = must(session->inspect(problem, v.name, config), v.name);
    if (!look->why_not.empty() && look->nearest.empty()) return std::nullopt;
    RunRequest request = request_of(v, problem, look->why_not.empty() ? config : look->nearest);
    request.measure = false;
    request.resources = resources;
    const auto record = must(session->run(request, {}, kGoOn), v.name + " on " + to_text(problem));
    return record->outcome == Outcome::refused ? std::nullopt : std::optional(*record);
  }
  /// Whether it ran, and then was right.
  bool is_right(const VariantInfo& v, const Problem& problem, const Config& config) {
    const auto r = verify(v, problem, config);
    EXPECT_TRUE(!r || (r->verdict && r->verdict->pass))
        << v.name << " " << to_text(r->config) << " on " << to_text(problem) << ": " << r->why();
    return r.has_value();
  }
};

TEST_F(Gpu, EveryVariantIsRightOnTheSpeedTable) {
  size_t ran = 0;
  for (const Problem& problem : preset("speed"))
    for (const VariantInfo& v : variants) {
      // The largest take minutes of CPU for their inputs and references, and say nothing new of a variant.
      if (problem_flops(problem) > 4e10 || problem_bytes(problem) > 1e8) continue;
      ran += is_right(v, problem, default_config(v));
    }
  EXPECT_GT(ran, 50u);
}

TEST_F(Gpu, EveryNamedConfigIsRightOnOddShapes) {
  size_t ran = 0;
  for (const char* text : {"1x3x77x40:f16", "1x2x100x80:q=33:causal:f16", "1x2x65x128:dv=64:f32",
                           "varlen=37,5,90:4x64:f16", "1x8x300x128:q=3:kv=2:f16"}) {
    const Problem problem = *parse_problem(text);
    for (const VariantInfo& v : variants) {
      ran += is_right(v, problem, default_config(v));
      for (const NamedConfig& named : v.configs) ran += is_right(v, problem, full_config(v, named));
    }
  }
  EXPECT_GT(ran, 50u);
}

TEST_F(Gpu, TheDriverTellsRegistersAndSpillsAndOccupancyFollows) {
  if (!device.has("pipeline_statistics")) GTEST_SKIP() << device.name << " reports no pipeline statistics";
  size_t told = 0;
  for (const VariantInfo& v : variants) {
    const Config config = default_config(v);
    const auto record = verify(v, *parse_problem("1x4x256x64:f32"), config, true);
    if (!record) continue;
    const Resources& r = record->resources;
    EXPECT_FALSE(r.raw.empty()) << v.name;
    if (!r.registers) continue;
    EXPECT_GT(*r.registers, 0u) << v.name;
    EXPECT_LE(*r.registers, 1024u) << v.name;
    if (r.spill_bytes) {
      EXPECT_LT(*r.spill_bytes, 65536u) << v.name << ": flag bits taken for bytes";
    }
    if (device.limits.warps_per_core > 0) {
      const auto occupancy = must(estimate_occupancy(device, r.workgroup_invocations, r.registers));
      EXPECT_GT(occupancy->fraction, 0) << v.name;
      EXPECT_LE(occupancy->fraction, 1) << v.name;
    }
    ++told;
  }
  EXPECT_GT(told, 0u);
}

TEST_F(Gpu, WhatInspectCallsLegalRuns) {
  const Problem problem = *parse_problem("1x4x300x64:f16");
  for (const VariantInfo& v : variants) {
    const Config config = default_config(v);
    for (const Parameter& p : v.parameters)
      for (const int64_t value : p.values) {
        Config other = config;
        other[p.name] = value;
        const auto look = must(session->inspect(problem, v.name, other));
        if (!look->why_not.empty()) continue;
        RunRequest request = request_of(v, problem, other);
        request.measure = request.resources = false;
        const auto record = must(session->run(request, {}, kGoOn));
        EXPECT_EQ(record->outcome, Outcome::verified) << v.name << " " << to_text(other) << ": " << record->message
                                                      << (record->verdict ? record->verdict->reason : "");
      }
  }
}

TEST_F(Gpu, ACompileIsTimedHoweverOftenTheShaderWasCompiled) {
  const Problem problem = *parse_problem("1x4x256x64:f32");
  const std::vector<VariantInfo> all = variants;  // SetUp() lists them anew
  size_t timed = 0;
  for (const VariantInfo& v : all) {
    const Config config = default_config(v);
    if (!verify(v, problem, config)) continue;
    std::vector<double> times;
    for (int again = 0; again < 2; ++again) {
      SetUp();  // a session of its own: this process's answer to the same question is kept by the last one
      const auto record = must(verify(v, problem, config, true));
      const Resources& r = record->resources;
      ASSERT_EQ(r.compile, Compile::measured) << v.name << ": " << to_text(r.compile);
      ASSERT_TRUE(r.compile_ms) << v.name;
      times.push_back(*r.compile_ms);
    }
    EXPECT_LT(times[0], 5 * times[1]) << v.name << ": the second was quicker than a compile";
    RecordProperty(v.name + "_us", int(1e3 * times[1]));
    if (++timed == 4) break;
  }
  EXPECT_GT(timed, 0u);
}

TEST_F(Gpu, TheSecondJudgementPasses) {
  size_t ran = 0;
  for (const Problem& problem : preset("speed"))
    for (const VariantInfo& v : variants) {
      if ((v.name != "coopmat" && v.name != "simt") || problem_flops(problem) > 6e11) continue;
      const auto choice = must(session->choose_config(problem, v.name, "default"));
      const auto record = must(session->run(request_of(v, problem, choice->config), {}, kGoOn));
      if (record->outcome == Outcome::refused) continue;
      EXPECT_EQ(record->outcome, Outcome::measured) << v.name << " " << to_text(problem) << ": " << record->message
                                                    << (record->verdict ? record->verdict->reason : "");
      ++ran;
    }
  EXPECT_GT(ran, 5u);
}

TEST_F(Gpu, ThreeHundredConfigsAreTriedAndNoneIsWrong) {
  TrialsRequest request{.problem = *parse_problem("1x16x4096x128:f16"), .variant = "coopmat"};
  std::vector<Config> legal;
  for (SpaceRequest space;;) {
    space.budget_ms = 60e3;
    const auto batch = must(session->plan_space(request.problem, request.variant, space, kGoOn));
    legal.insert(legal.end(), batch->legal.begin(), batch->legal.end());
    if (batch->done) break;
    space.first = batch->next;
  }
  std::shuffle(legal.begin(), legal.end(), std::mt19937(7));
  if (legal.size() > 300) legal.resize(300);
  request.configs = legal;
  const EventSink sink = [&](const Event& e) {
    const auto* done = std::get_if<TrialDone>(&e);
    if (done != nullptr) {
      EXPECT_EQ(done->trial.outcome, Outcome::measured) << to_text(done->trial.config) << ": " << done->trial.message;
    }
  };
  EXPECT_EQ(must(session->trials(request, sink, kGoOn))->done, legal.size());
}

}  // namespace attnscope::shipped_test
