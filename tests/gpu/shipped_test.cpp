// What only a real GPU can run: every shipped variant on every problem of the speed table and of odd shapes, with what
// the driver tells of it.
#include <algorithm>

#include "engine/insight/roofline.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace attnscope {
namespace {

using Gpu = testing::GpuTest;

void expect_correct(const Record& r) {
  EXPECT_TRUE(r.verdict && r.verdict->pass) << r.variant << " " << to_text(r.config) << " on " << to_text(r.problem)
                                            << ": " << (r.verdict ? r.verdict->reason : r.message);
}

TEST_F(Gpu, EveryVariantIsRightOnTheSpeedTable) {
  size_t ran = 0;
  for (const Problem& problem : preset("speed"))
    for (const VariantInfo& v : variants) {
      // The largest take minutes of CPU for their inputs and references, and say nothing new of a variant.
      if (!v.why_not.empty() || problem_flops(problem) > 4e10 || problem_bytes(problem) > 1e8) continue;
      Config config;
      for (const Parameter& p : v.parameters) config[p.name] = p.default_value;
      if (const auto record = verify(v, problem, config)) {
        expect_correct(*record);
        ++ran;
      }
    }
  EXPECT_GT(ran, 50u);
}

TEST_F(Gpu, EveryNamedConfigIsRightOnOddShapes) {
  size_t ran = 0;
  for (const char* text : {"1x3x77x40:f16", "1x2x100x80:q=33:causal:f16", "1x2x65x128:dv=64:f32",
                           "varlen=37,5,90:4x64:f16", "1x8x300x128:q=3:kv=2:f16"}) {
    const Problem problem = *parse_problem(text);
    for (const VariantInfo& v : variants) {
      if (!v.why_not.empty()) continue;
      Config defaults;
      for (const Parameter& p : v.parameters) defaults[p.name] = p.default_value;
      std::vector<Config> configs{defaults};
      for (const NamedConfig& named : v.configs) {
        configs.push_back(defaults);
        for (const auto& [name, value] : named.values) configs.back()[name] = value;
      }
      for (const Config& config : configs)
        if (const auto record = verify(v, problem, config)) {
          expect_correct(*record);
          ++ran;
        }
    }
  }
  EXPECT_GT(ran, 50u);
}

TEST_F(Gpu, TheDriverTellsRegistersAndSpillsAndOccupancyFollows) {
  if (!device.has("pipeline_statistics")) GTEST_SKIP() << device.name << " reports no pipeline statistics";
  const auto core = core_capacity(device);
  size_t told = 0;
  for (const VariantInfo& v : variants) {
    if (!v.why_not.empty()) continue;
    Config config;
    for (const Parameter& p : v.parameters) config[p.name] = p.default_value;
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
    if (core) {
      const auto occupancy = estimate_occupancy({r.workgroup_invocations, r.registers, r.shared_bytes}, *core);
      ASSERT_TRUE(occupancy) << v.name;
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
    if (!v.why_not.empty()) continue;
    Config config;
    for (const Parameter& p : v.parameters) config[p.name] = p.default_value;
    for (const Parameter& p : v.parameters)
      for (const int64_t value : p.values) {
        Config other = config;
        other[p.name] = value;
        const auto look = session->inspect(problem, v.name, other);
        ASSERT_TRUE(look) << look.error().message;
        if (!look->why_not.empty()) continue;
        RunRequest request;
        request.problem = problem;
        request.variant = v.name;
        request.config = other;
        request.measure = request.resources = false;
        const auto record = session->run(request, {}, go_on);
        ASSERT_TRUE(record) << record.error().message;
        EXPECT_EQ(record->outcome, Outcome::verified) << v.name << " " << to_text(other) << ": " << record->message
                                                      << (record->verdict ? record->verdict->reason : "");
      }
  }
}

}  // namespace
}  // namespace attnscope
